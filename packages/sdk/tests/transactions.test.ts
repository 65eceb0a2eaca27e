import {
  createSolanaRpc,
  generateKeyPairSigner,
  getBase64Encoder,
  getTransactionDecoder,
  isFullySignedTransaction,
  verifySignature,
} from '@solana/kit';
import { describe, expect, test } from 'vitest';
import {
  confirmLeg,
  createLegworkClient,
  LedgerRefusedError,
  sendTransaction,
  signTransaction,
  TransactionRefusedError,
} from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';
import { config } from './support/serviceConfig.js';
import {
  computeUnitLimit,
  computeUnitPrice,
  confirmInstruction,
  OTHER_PROGRAM,
  PROGRAM,
  transferFrom,
  wire,
} from './support/transactions.js';

const expected = { programId: PROGRAM, name: 'confirmLeg' } as const;
const wallet = await generateKeyPairSigner();
const stranger = await generateKeyPairSigner();

const drain = transferFrom(wallet.address);
const confirmation = confirmInstruction(wallet.address);

describe('signing a transaction of the service', () => {
  test('signs the expected instruction beside compute-budget instructions', async () => {
    const unsigned = wire(wallet.address, [computeUnitLimit(20_000), computeUnitPrice(1_000n), confirmation]);
    const signed = getTransactionDecoder().decode(
      getBase64Encoder().encode(await signTransaction(unsigned, wallet, expected)),
    );
    expect(isFullySignedTransaction(signed)).toBe(true);
    const signature = signed.signatures[wallet.address];
    expect(signature && (await verifySignature(wallet.keyPair.publicKey, signature, signed.messageBytes))).toBe(true);
    expect(signed.messageBytes).toEqual(
      getTransactionDecoder().decode(getBase64Encoder().encode(unsigned)).messageBytes,
    );
  });

  test.each([
    ['another instruction beside it', wire(wallet.address, [confirmation, drain]), /11111111/],
    ['it twice', wire(wallet.address, [confirmation, confirmation]), /nothing else/],
    ['only another instruction', wire(wallet.address, [drain]), /expected confirmLeg/],
    ['no instruction', wire(wallet.address, []), /holds no instruction/],
    [
      'the instruction of another program',
      wire(wallet.address, [confirmInstruction(wallet.address, OTHER_PROGRAM)]),
      /nothing else/,
    ],
    [
      'a fee that would empty the wallet',
      wire(wallet.address, [computeUnitPrice(10n ** 12n), confirmation]),
      /priority fee of 1400000000000 lamports/,
    ],
    ["another wallet's fee", wire(stranger.address, [confirmation]), /paid by/],
    [
      "another wallet's signature",
      wire(wallet.address, [confirmInstruction(stranger.address)]),
      /needs the signature of/,
    ],
    ['no transaction', 'AAAA', /not a transaction/],
  ])('refuses %s', async (_, base64, message) => {
    const signing = signTransaction(base64, wallet, expected);
    await expect(signing).rejects.toThrow(message);
    await expect(signing).rejects.toThrow(TransactionRefusedError);
  });
});

test('confirming a leg refuses the account of another leg than the caller means', async () => {
  const transaction = wire(wallet.address, [confirmation]);
  const built = { transaction, legIndex: 0, isFinal: false, recipientPubkey: wallet.address };
  const legId = '01900000-0000-7000-8000-000000000001';
  const service = await startOutsideService(({ path }) =>
    path === '/config'
      ? { json: { ...config, programId: PROGRAM } }
      : { json: { ...built, legId, blockhash: 'x', lastValidBlockHeight: 1 } },
  );
  const client = createLegworkClient({ url: service.url, signer: wallet });
  const confirming = confirmLeg(client, createSolanaRpc(service.url), wallet, legId, stranger.address);
  await expect(confirming).rejects.toThrow(`not the one at ${stranger.address}`);
  await expect(confirming).rejects.toThrow(TransactionRefusedError);
});

/** A node that says of what it was sent how it stands, look by look, and has one height. */
async function nodeThatSays(height: number, looks: readonly (object | null)[]) {
  const asked: string[] = [];
  const node = await startOutsideService(({ body }) => {
    const { id, method } = JSON.parse(body) as { id: unknown; method: string };
    const look = asked.filter((one) => one === 'getSignatureStatuses').length;
    asked.push(method);
    const results: Record<string, unknown> = {
      sendTransaction: 'x',
      getBlockHeight: height,
      getSignatureStatuses: { context: { slot: 1 }, value: [looks[Math.min(look, looks.length - 1)]] },
    };
    return { json: { jsonrpc: '2.0', id, result: results[method] } };
  });
  return { rpc: createSolanaRpc(node.url), asked };
}

const CONFIRMED = { slot: 1, confirmations: 1, err: null, confirmationStatus: 'confirmed' };
const signed = () => signTransaction(wire(wallet.address, [confirmation]), wallet, expected);

test('of a transaction that has landed nothing more is asked', async () => {
  const { rpc, asked } = await nodeThatSays(100, [CONFIRMED]);
  await sendTransaction(rpc, await signed(), 200);
  expect(asked).toEqual(['sendTransaction', 'getSignatureStatuses']);
});

test('a transaction that failed on a fork alone has not failed (S-165)', async () => {
  const onFork = { ...CONFIRMED, err: { InstructionError: [0, { Custom: 3 }] }, confirmationStatus: 'processed' };
  const { rpc } = await nodeThatSays(100, [onFork, CONFIRMED]);
  expect(await sendTransaction(rpc, await signed(), 200)).toMatch(/^\w{80,}$/);
  const failed = await nodeThatSays(100, [{ ...onFork, confirmationStatus: 'confirmed' }]);
  await expect(sendTransaction(failed.rpc, await signed(), 200)).rejects.toThrow(
    '{"InstructionError":["0",{"Custom":"3"}]}',
  );
});

test('a transaction that lands in the last moment is told as landed (S-165)', async () => {
  const { rpc } = await nodeThatSays(201, [null, { ...CONFIRMED, confirmationStatus: 'processed' }, CONFIRMED]);
  expect(await sendTransaction(rpc, await signed(), 200)).toMatch(/^\w{80,}$/);
});

test('a transaction that its last block did not have is told as refused', async () => {
  const { rpc } = await nodeThatSays(201, [null]);
  await expect(sendTransaction(rpc, await signed(), 200)).rejects.toThrow('expired before the ledger took it');
});

test('sending waits no longer than a transaction can live, whatever its builder says', async () => {
  let height = 0;
  const node = await startOutsideService(({ body }) => {
    const { id, method } = JSON.parse(body) as { id: unknown; method: string };
    const results: Record<string, unknown> = {
      sendTransaction: 'x',
      getBlockHeight: (height += 100),
      getSignatureStatuses: { context: { slot: 1 }, value: [null] },
    };
    return { json: { jsonrpc: '2.0', id, result: results[method] } };
  });
  await expect(sendTransaction(createSolanaRpc(node.url), await signed(), 2 ** 52)).rejects.toThrow(LedgerRefusedError);
});
