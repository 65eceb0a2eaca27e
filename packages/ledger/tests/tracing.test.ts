import { address, generateKeyPairSigner, type Address, type Instruction } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { expect, test } from 'vitest';
import {
  advanceTime,
  balanceOf,
  clientOf,
  FEE,
  freshLedger,
  fundedSigner,
  newAddress,
  rawCall,
  send,
  signTransaction,
  signTransfer,
  SOL,
  SYSTEM_PROGRAM,
  temporaryFolder,
  transfer,
} from './support/ledger.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);
const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

type Shown = {
  readonly lamports: number;
  readonly data: unknown;
  readonly owner: string;
  readonly space: number;
} | null;
type Trace = {
  readonly slot: number;
  readonly err: unknown;
  readonly accounts:
    | readonly {
        readonly pubkey: string;
        readonly before: Shown;
        readonly after: Shown;
        readonly dataChanges: readonly { readonly offset: number; readonly before: string; readonly after: string }[];
      }[]
    | null;
  readonly replay: { readonly err: unknown; readonly logs: readonly string[]; readonly unitsConsumed: number } | null;
};

async function traceOf(signature: string, on = ledger): Promise<Trace | null> {
  const { result, error } = await rawCall(on, 'relay_traceTransaction', [signature]);
  if (error !== undefined) throw new Error(error.message);
  return result as Trace | null;
}

async function set(of: Address, update: object): Promise<void> {
  const { error } = await rawCall(ledger, 'surfnet_setAccount', [of, update]);
  if (error !== undefined) throw new Error(error.message);
}

async function land(
  payer: Awaited<ReturnType<typeof fundedSigner>>,
  instructions: readonly Instruction[],
  on = client,
) {
  return send(on, await signTransaction(on, payer, instructions), { skipPreflight: true });
}

test('[L-91] tells each account that a transaction changed, before and after', async () => {
  const [payer, fresh] = [await fundedSigner(client), await generateKeyPairSigner()];
  const create = getCreateAccountInstruction({
    payer,
    newAccount: fresh,
    lamports: SOL,
    space: 80n,
    programAddress: MEMO,
  });
  const trace = await traceOf(await land(payer, [create]));
  expect(trace).toMatchObject({ err: null, replay: null });
  const of = (pubkey: string) => trace?.accounts?.find((one) => one.pubkey === pubkey);
  expect(trace?.accounts).toHaveLength(2);
  expect(of(payer.address)).toMatchObject({
    before: { lamports: Number(10n * SOL), owner: SYSTEM_PROGRAM },
    after: { lamports: Number(9n * SOL - 2n * FEE) },
    dataChanges: [],
  });
  expect(of(fresh.address)).toMatchObject({ before: null, after: { lamports: Number(SOL), owner: MEMO, space: 80 } });
});

test('[L-91] tells nonces, tokens and others that are parsed by their fields, and the rest by the bytes that differ', async () => {
  const { getInitializeNonceAccountInstruction, getAdvanceNonceAccountInstruction } = await import(
    '@solana-program/system'
  );
  const [payer, nonce] = [await fundedSigner(client), await generateKeyPairSigner()];
  const made = await land(payer, [
    getCreateAccountInstruction({
      payer,
      newAccount: nonce,
      lamports: SOL,
      space: 80n,
      programAddress: SYSTEM_PROGRAM,
    }),
    getInitializeNonceAccountInstruction({ nonceAccount: nonce.address, nonceAuthority: payer.address }),
  ]);
  expect((await traceOf(made))?.accounts).toContainEqual(
    expect.objectContaining({ pubkey: nonce.address, before: null }),
  );
  await advanceTime(ledger, { slots: 2 });
  const advance = getAdvanceNonceAccountInstruction({ nonceAccount: nonce.address, nonceAuthority: payer });
  const trace = await traceOf(await land(payer, [advance]));
  const change = trace?.accounts?.find((one) => one.pubkey === nonce.address);
  const parsed = { program: 'nonce', parsed: { type: 'initialized', info: { authority: payer.address } } };
  expect(change).toMatchObject({ before: { data: parsed }, after: { data: parsed } });
  // Version, state and authority stay: the hash after them is another one.
  expect(change?.dataChanges[0]?.offset).toBe(40);
  const bytes = change?.dataChanges.map(({ after }) => Buffer.from(after, 'base64').length) ?? [];
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(32);
});

test('[L-91] one that failed runs again on the accounts as they were, whatever happened since, and changes nothing', async () => {
  const [payer, recipient, other] = [await fundedSigner(client, SOL), await newAddress(), await newAddress()];
  const tooMuch = await land(payer, [transfer(payer, recipient, 5n * SOL)]);
  // Now it would succeed.
  await set(payer.address, { lamports: Number(20n * SOL) });
  await send(client, await signTransfer(client, payer, other, SOL));
  const before = await balanceOf(client, payer.address);
  const trace = await traceOf(tooMuch);
  expect(trace?.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
  expect(trace?.replay).toMatchObject({ err: trace?.err, unitsConsumed: 150 });
  const [, said] = trace?.replay?.logs ?? [];
  expect(said).toBe(`Transfer: insufficient lamports ${SOL - FEE}, need ${5n * SOL}`);
  expect(await balanceOf(client, payer.address)).toBe(before);
  await send(client, await signTransfer(client, payer, other, SOL));
  expect(await balanceOf(client, payer.address)).toBe(before - SOL - FEE);
});

test('[L-91] the program runs again as it was, too', async () => {
  const [payer, program] = [await fundedSigner(client), await newAddress()];
  const config = { commitment: 'confirmed', encoding: 'base64' };
  const codeOf = async (of: string) => {
    const { result } = await rawCall(ledger, 'getAccountInfo', [of, config]);
    return Buffer.from((result as { value: { data: [string] } }).value.data[0], 'base64').toString('hex');
  };
  const owner = 'BPFLoader2111111111111111111111111111111111';
  await set(program, { data: await codeOf(MEMO), owner, executable: true });
  const failed = await land(payer, [{ programAddress: program, data: Uint8Array.of(0xff) }]);
  const first = await traceOf(failed);
  expect(first?.replay?.err).toEqual(first?.err);
  expect(first?.err).not.toBeNull();
  await rawCall(ledger, 'surfnet_resetAccount', [program]);
  expect((await traceOf(failed))?.replay).toEqual(first?.replay);
  const { result } = await rawCall(ledger, 'getAccountInfo', [program, config]);
  expect(result).toMatchObject({ value: null });
});

test('[L-91] after a restart what was before is no longer known; what never landed is null', async () => {
  const dataDir = temporaryFolder();
  const first = await freshLedger({ dataDir });
  const there = clientOf(first);
  const payer = await fundedSigner(there);
  const signature = await land(payer, [transfer(payer, await newAddress(), 50n * SOL)], there);
  expect((await traceOf(signature, first))?.replay).not.toBeNull();
  await first.close();
  const second = await freshLedger({ dataDir });
  expect(await traceOf(signature, second)).toMatchObject({ err: expect.anything(), accounts: null, replay: null });
  expect(await traceOf('1'.repeat(64), second)).toBeNull();
  expect((await rawCall(second, 'relay_traceTransaction', ['x'])).error).toMatchObject({ code: -32602 });
});
