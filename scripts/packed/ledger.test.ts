// A suite of somebody else: a ledger of its own in each test, used with kit.
import { expect, test } from 'vitest';
import {
  appendTransactionMessageInstruction,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  lamports,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@legwork/kit';
import { getTransferSolInstruction } from '@legwork/kit/system';
import { startLedger } from '@legwork/ledger';

const SOL = 1_000_000_000n;
const confirmed = { commitment: 'confirmed' } as const;

test('transfers what it was given', async () => {
  await using ledger = await startLedger();
  const rpc = createSolanaRpc(ledger.rpcUrl);
  const rpcSubscriptions = createSolanaRpcSubscriptions(ledger.wsUrl);
  const [sender, recipient] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
  await rpc.requestAirdrop(sender.address, lamports(2n * SOL)).send();
  const { value: lifetime } = await rpc.getLatestBlockhash(confirmed).send();
  const transfer = getTransferSolInstruction({ source: sender, destination: recipient.address, amount: SOL });
  const transaction = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(sender, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstruction(transfer, message),
    ),
  );
  await sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(transaction, confirmed);
  expect((await rpc.getBalance(recipient.address, confirmed).send()).value).toBe(SOL);
});

test('sets accounts and travels in time', async () => {
  await using ledger = await startLedger();
  const call = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(ledger.rpcUrl, { method: 'POST', headers, body })).json();
  };
  const { address } = await generateKeyPairSigner();
  expect(await call('surfnet_setAccount', address, { lamports: 5 })).toMatchObject({ result: { value: null } });
  expect(await call('surfnet_timeTravel', { absoluteEpoch: 3 })).toMatchObject({ result: { epoch: 3 } });
  expect(await call('getBalance', address)).toMatchObject({ result: { value: 5 } });
});
