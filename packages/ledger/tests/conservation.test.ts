import { generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  balanceOf,
  clientOf,
  freshLedger,
  fundedSigner,
  latestLifetime,
  rawCall,
  send,
  signTransfer,
  SOL,
} from './support/ledger.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);

describe('lamports', () => {
  test('[L-13] only move or are paid as fees, whatever is sent, with and without preflight', async () => {
    const wallets = await Promise.all(Array.from({ length: 4 }, async () => fundedSigner(client, SOL)));
    const spare = await generateKeyPairSigner();
    const lifetime = await latestLifetime(client);
    const total = async (): Promise<bigint> =>
      (await Promise.all(wallets.map((one) => balanceOf(client, one.address)))).reduce((sum, one) => sum + one, 0n);
    const step = fc.record({
      from: fc.nat(3),
      to: fc.nat(3),
      amount: fc.oneof(fc.bigInt(0n, 2n * SOL), fc.bigInt(SOL - 10_000n, SOL), fc.bigInt(0n, 900_000n)),
      skipPreflight: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const before = await total();
        let fees = 0n;
        for (const { from, to, amount, skipPreflight } of steps) {
          const source = wallets[from] ?? spare;
          const target = wallets[to] ?? spare;
          const { wire, signature } = await signTransfer(client, source, target.address, amount, { lifetime });
          const known = await client.rpc.getSignatureStatuses([signature]).send();
          await send(client, { wire }, { skipPreflight }).catch(() => undefined);
          const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
          const { result } = await rawCall(ledger, 'getTransaction', [signature, config]);
          if (result !== null && known.value[0] === null)
            fees += BigInt((result as { meta: { fee: number } }).meta.fee);
        }
        expect(await total()).toBe(before - fees);
      }),
      { numRuns: 20 },
    );
  });
});
