import { createLedgerRpc } from '@legwork/program-client/history';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SignedIntent } from '../../src/db/outbox.js';
import { keepBlockhashes } from '../../src/ledger/kept.js';
import type { Ledger } from '../../src/ledger/ledger.js';
import { broadcast } from '../../src/outbox/broadcast.js';
import { signIntent } from '../../src/outbox/signIntent.js';
import { type Lie, LyingNode, type Told } from '../support/lyingNode.js';
import { withService } from '../support/service.js';
import { transfer } from '../support/transactions.js';

const service = withService();
const goOn = () => undefined;

let node: LyingNode;
let told: Told;
let ledger: Ledger;

beforeAll(async () => {
  node = await LyingNode.start(service.current.ledger.rpcUrl);
  const context = await service.current.context();
  await context.db.destroy();
  const rpc = createLedgerRpc(node.url);
  ledger = { ...context.ledger, rpc, blockhashes: keepBlockhashes(rpc) };
});
afterAll(() => node.close());
beforeEach(() => node.mend());

async function signedTransfer(): Promise<SignedIntent> {
  const { signer } = await service.current.party();
  const signing = await signIntent(ledger, [transfer(ledger.coordinator, signer)]);
  if (!('signed' in signing)) throw new Error(signing.refused.reason);
  return signing.signed;
}

/** The node tells this lie alone from now on. */
async function tell(lie: Lie, methods?: readonly string[]): Promise<void> {
  await node.mend();
  told = await node.begin(lie, methods);
}

/** Notes what the node is asked, and passes it on. */
const listen = () => tell({ kind: 'slow', ms: 0 });

const asked = () =>
  told.met.map(({ method, params: [, how] }) => {
    const { searchTransactionHistory: everywhere } = how as { searchTransactionHistory?: boolean };
    return everywhere === true ? `${method} everywhere` : method;
  });

test('bytes signed just now are sent at once (S-104)', async () => {
  const bytes = await signedTransfer();
  await listen();
  const outcome = await broadcast(ledger, bytes, goOn, { isNew: true });
  expect(asked()).toEqual(['sendTransaction', 'getSignatureStatuses']);
  const slot = await service.current.rpc.getSlot({ commitment: 'confirmed' }).send();
  expect(outcome).toMatchObject({ kind: 'landed' });
  expect('slot' in outcome && outcome.slot <= slot && outcome.slot > 0n).toBe(true);
});

test('bytes found stored are asked for first, and sent only if they did not land (S-104)', async () => {
  const bytes = await signedTransfer();
  await listen();
  const outcome = await broadcast(ledger, bytes, goOn);
  expect(asked()).toEqual(['getSignatureStatuses everywhere', 'sendTransaction', 'getSignatureStatuses']);

  await service.current.advanceTime(200);
  await listen();
  expect(await broadcast(ledger, bytes, goOn)).toMatchObject({
    kind: 'landed',
    slot: 'slot' in outcome && outcome.slot,
  });
  expect(asked()).toEqual(['getSignatureStatuses everywhere']);
});

test('bytes are not sent while what goes before them is not there, and are found if they landed (S-104)', async () => {
  const isHeld = async () => true;
  const bytes = await signedTransfer();
  await listen();
  expect(await broadcast(ledger, bytes, goOn, { isHeld })).toEqual({ kind: 'held' });
  expect(asked()).toEqual(['getSignatureStatuses everywhere']);
  await broadcast(ledger, bytes, goOn, { isNew: true });
  expect(await broadcast(ledger, bytes, goOn, { isHeld })).toMatchObject({ kind: 'landed' });
});

test('bytes taken for new that are not land once, and are found (S-104)', async () => {
  const bytes = await signedTransfer();
  const first = await broadcast(ledger, bytes, goOn, { isNew: true });
  expect(await broadcast(ledger, bytes, goOn, { isNew: true })).toMatchObject({
    kind: 'landed',
    slot: 'slot' in first && first.slot,
  });
});

test('bytes whose sending went unanswered are sent again, and land once (S-104)', async () => {
  const bytes = await signedTransfer();
  await tell({ kind: 'http', status: 502 }, ['sendTransaction']);
  await expect(broadcast(ledger, bytes, goOn, { isNew: true })).rejects.toMatchObject({ code: 'ledger_unavailable' });
  await node.mend();
  expect(await broadcast(ledger, bytes, goOn)).toMatchObject({ kind: 'landed' });
});
