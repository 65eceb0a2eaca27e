import { setTimeout as sleep } from 'node:timers/promises';
import { createLedgerRpc } from '@legwork/program-client/history';
import type { Instruction } from '@solana/kit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { SignedIntent } from '../../src/db/outbox.js';
import { keepBlockhashes } from '../../src/ledger/kept.js';
import { compileForWallet } from '../../src/ledger/compile.js';
import type { Ledger } from '../../src/ledger/ledger.js';
import { broadcast } from '../../src/outbox/broadcast.js';
import { signIntent, type Known } from '../../src/outbox/signIntent.js';
import { type Lie, LyingNode, type Told } from '../support/lyingNode.js';
import { withService } from '../support/service.js';
import { transfer } from '../support/transactions.js';

const service = withService();
const READING = ['getLatestBlockhash'];

let node: LyingNode;
let told: Told;
let ledger: Ledger;
let instructions: Instruction[];

beforeAll(async () => {
  node = await LyingNode.start(service.current.ledger.rpcUrl);
  const { signer } = await service.current.party();
  const context = await service.current.context();
  await context.db.destroy();
  ({ ledger } = context);
  instructions = [transfer(ledger.coordinator, signer)];
});
afterAll(() => node.close());

beforeEach(async () => {
  const rpc = createLedgerRpc(node.url);
  ledger = { ...ledger, rpc, blockhashes: keepBlockhashes(rpc) };
  // Readings are counted and passed on.
  await tell({ kind: 'slow', ms: 0 }, READING);
});
afterEach(() => {
  vi.useRealTimers();
});

/** The node tells this lie alone from now on. */
async function tell(lie: Lie, methods?: readonly string[]): Promise<void> {
  await node.mend();
  told = await node.begin(lie, methods);
}

/** Stops both clocks. @returns what moves the wall clock on: the other one stands still, as while a machine sleeps */
function stopClocks(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  return (ms) => vi.setSystemTime(Date.now() + ms);
}

async function untilHits(hits: number): Promise<void> {
  while (told.hits < hits) await sleep(5);
}

async function sign(known?: Known): Promise<{ signed: SignedIntent; blockhash: string }> {
  const signing = await signIntent(ledger, instructions, known);
  if (!('signed' in signing)) throw new Error(signing.refused.reason);
  return signing;
}

const land = ({ signed }: { signed: SignedIntent }) => broadcast(ledger, signed, () => undefined, { isNew: true });

test('one reading serves for two seconds, and is repeated beside its use from the first on (S-103)', async () => {
  const { blockhashes } = ledger;
  const later = stopClocks();
  const [first, same] = await Promise.all([blockhashes.recent(), blockhashes.recent()]);
  expect(same).toBe(first);
  expect(await blockhashes.recent()).toBe(first);
  expect(told.hits).toBe(1);

  later(1_500);
  expect(await blockhashes.recent()).toBe(first);
  await untilHits(2);
  while ((await blockhashes.recent()) === first) await sleep(5);
  expect(told.hits).toBe(2);

  later(2_500);
  await blockhashes.recent();
  expect(told.hits).toBe(3);
});

test('one that is warmed is there when it is needed; nothing is read that is there (S-103)', async () => {
  const { blockhashes } = ledger;
  stopClocks();
  blockhashes.warm();
  blockhashes.warm();
  await blockhashes.recent();
  blockhashes.warm();
  await blockhashes.recent();
  expect(told.hits).toBe(1);
});

test('a reading that fails is no failure until there is none left (S-103)', async () => {
  const { blockhashes } = ledger;
  const later = stopClocks();
  const first = await blockhashes.recent();
  await tell({ kind: 'http', status: 502 }, READING);
  later(1_500);
  blockhashes.warm();
  await untilHits(1);
  expect(await blockhashes.recent()).toBe(first);
  later(1_000);
  await expect(blockhashes.recent()).rejects.toMatchObject({ code: 'ledger_unavailable' });
  await node.mend();
  expect((await blockhashes.recent()).lastValidBlockHeight).toBeGreaterThanOrEqual(first.lastValidBlockHeight);
});

test('nothing is signed on one that has expired before its time (S-103)', async () => {
  const kept = await ledger.blockhashes.recent();
  await service.current.advanceTime(200);
  const height = await service.current.rpc.getBlockHeight({ commitment: 'confirmed' }).send();
  expect(height).toBeGreaterThan(kept.lastValidBlockHeight);
  const bytes = await sign();
  expect(bytes.signed.lastValidBlockHeight).toBeGreaterThan(height);
  expect(await land(bytes)).toMatchObject({ kind: 'landed' });
});

test('a wallet gets the latest final one, whatever is kept (S-103)', async () => {
  const kept = await ledger.blockhashes.recent();
  await service.current.advanceTime(20);
  const unsigned = await compileForWallet(ledger, ledger.coordinator.address, { asset: 0 }, instructions);
  expect(BigInt(unsigned.lastValidBlockHeight)).toBeGreaterThan(kept.lastValidBlockHeight);
});

test('the same bytes for something else are signed again on a later blockhash, once there is one (S-100, S-103)', async () => {
  const pinned = await service.current.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const result = JSON.parse(
    JSON.stringify(pinned, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
  );
  await tell({ kind: 'says', result }, READING);
  const first = await sign();
  expect(first.blockhash).toBe(pinned.value.blockhash);
  expect((await sign()).signed).toEqual(first.signed);

  const signing = sign({ notOn: first.blockhash });
  const asked = told.hits;
  await untilHits(asked + 2);
  // Moved on, or the ledger might still be at the same block.
  await service.current.advanceTime(1);
  await node.mend();
  const second = await signing;
  expect(second.blockhash).not.toBe(first.blockhash);
  expect(second.signed.signature).not.toBe(first.signed.signature);
  for (const bytes of [first, second]) expect(await land(bytes)).toMatchObject({ kind: 'landed' });
});

test('what is tried again is on the latest blockhash, so that it is not what failed (S-103)', async () => {
  const kept = await ledger.blockhashes.recent();
  await service.current.advanceTime(1);
  expect((await sign({ attempts: 9 })).blockhash).not.toBe(kept.blockhash);
});

test('a ledger that makes no blocks is no answer, and holds up nobody for ever (S-103)', async () => {
  const pinned = await ledger.blockhashes.recent();
  const result = { context: { slot: 1 }, value: { ...pinned, lastValidBlockHeight: 151 } };
  await tell({ kind: 'says', result }, READING);
  await expect(sign({ notOn: pinned.blockhash })).rejects.toMatchObject({ code: 'ledger_unavailable' });
}, 30_000);
