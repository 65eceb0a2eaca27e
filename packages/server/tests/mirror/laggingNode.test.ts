import { type Instruction, signature as asSignature } from '@solana/kit';
import { pino } from 'pino';
import type { PackageDetail } from '@legwork/sdk';
import { expect, onTestFinished, test } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { loadConfig } from '../../src/config.js';
import { createContext } from '../../src/createContext.js';
import { readFormedSwarm } from '../../src/ledger/accounts.js';
import { acceptInstruction, claimInstruction } from '../../src/ledger/moveInstructions.js';
import { reclaimPackageInstruction } from '../../src/ledger/packageInstructions.js';
import { findBoundLeg } from '../../src/legs/moveRows.js';
import { applyLanded, catchUp, readListed } from '../../src/mirror/applyLanded.js';
import { MisfitError } from '../../src/mirror/misfit.js';
import { findPackage } from '../../src/packages/packageRows.js';
import { at, formedWithTerms } from '../operations/turns/scene.js';
import { hold, letGo } from '../support/holdIntents.js';
import { LyingNode } from '../support/lyingNode.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { land, signed } from '../support/transactions.js';
import { auditOf, linesOf } from '../audit/scene.js';
import { eventsOf, type Market, twoLegs, Wallets } from './walletScene.js';

/** Slots of 0.4 s, and some more: what is confirmed now is final then. */
const FINAL_SEC = 15;
const DEADLINE_SEC = 7200;

const service = withService({ finality: 'delayed' });

/** The context of a service beside a node of its own. */
async function behindNode() {
  const node = await LyingNode.start(service.current.ledger.rpcUrl);
  const settings = { ...service.current.environment(), SOLANA_RPC_URL: node.url, SOLANA_WS_URL: node.wsUrl };
  const config = loadConfig({ ...settings, LOG_LEVEL: 'silent' });
  const context = await createContext(config, service.current.server.url, pino({ level: 'silent' }));
  onTestFinished(async () => {
    await context.db.destroy();
    await node.close();
  });
  return { node, context };
}

/** The moves of the leg that are mirrored. */
async function movesOf({ db }: AppContext, legId: string): Promise<string[]> {
  const rows = await db.selectFrom('leg_moves').select('move').where('leg_id', '=', legId).orderBy('id').execute();
  return rows.map(({ move }) => move);
}

test('a move that does not fit is not passed over before it is final: the node may not show yet what came before it (S-51)', async () => {
  const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const legId = at(cast.parcel.swarm?.legs ?? [], 0).id;
  const { signer } = at(cast.couriers, 0);
  await service.current.stop();
  const { node, context } = await behindNode();
  const leg = (await findBoundLeg(context.db, legId))?.of;
  if (!leg) throw new Error('the leg has terms and a courier');
  const take = { courier: signer, take: true, lister: cast.shipper.signer.address };
  const claim = { courier: signer, evidenceHash: new Uint8Array(32).fill(1) };
  await land(
    service.current,
    await signed(service.current, [signer], [await acceptInstruction(context.ledger, leg, take)]),
  );
  await service.current.advanceTime(60);
  const claiming = await signed(service.current, [signer], [await claimInstruction(context.ledger, leg, claim)]);
  const signature = await land(service.current, claiming);
  const moves = () => movesOf(context, legId);

  const { value } = await service.current.rpc.getSignatureStatuses([asSignature(signature)]).send();
  const slot = value[0]?.slot ?? 0n;
  const pruned = await node.begin({ kind: 'pruned', below: Number(slot) });
  const landed = await readListed(context, { signature, slot, final: false });
  if (landed === undefined) throw new Error('the claim can be read');
  await expect(applyLanded(context, landed)).rejects.toThrow(MisfitError);
  expect(await moves()).toEqual([]);
  await pruned.end();
  await applyLanded(context, landed);
  expect(await moves()).toEqual(['take', 'claim']);
  await service.current.restart();
});

/** A package on its way, of which the coordinator sends nothing, and its service is stopped. */
async function unattended(): Promise<Market> {
  const deadline = new Date(Date.now() + DEADLINE_SEC * 1000).toISOString();
  const market = await twoLegs(service.current, { deadline });
  await hold(service.current, market.parcel.id);
  await service.current.stop();
  return market;
}

/** The service goes on. Returns the last events, and what is not as the ledger shows it. */
async function attended({ id }: PackageDetail): Promise<{ ended: string[]; differences: string[] }> {
  await service.current.restart();
  await letGo(service.current, id);
  await service.current.advanceTime(FINAL_SEC);
  await untilQuiet(service.current);
  const [events, { differences }] = [await eventsOf(service.current, id), await auditOf(service.current)];
  return { ended: events.slice(-3), differences: linesOf(differences) };
}

const IN_ORDER = { ended: ['LEG_CONFIRMED', 'LEG_CONFIRMED', 'PACKAGE_DELIVERED'], differences: [] };

async function slotOf(signature: string): Promise<bigint> {
  const { value } = await service.current.rpc.getSignatureStatuses([asSignature(signature)]).send();
  return value[0]?.slot ?? 0n;
}

/** Acts as a replica that hears of this transaction before it lists anything. */
async function apply(context: AppContext, signature: string): Promise<void> {
  const landed = await readListed(context, { signature, slot: await slotOf(signature), final: false });
  if (landed === undefined) throw new Error('the transaction can be read');
  await applyLanded(context, landed);
}

test('nothing that a node shows later can be mirrored without the confirmation before it that it does not list (S-51)', async () => {
  const wallets = new Wallets(service.current);
  const market = await unattended();
  const { node, context } = await behindNode();
  const first = await wallets.confirm(market, 0);
  const second = await wallets.confirm(market, 1);
  const last = await wallets.settle(market.shipper, market.parcel);
  for (const [hidden, shown] of [
    [first, second],
    [second, last],
  ] as const) {
    const told = await node.begin({ kind: 'unlisted', signatures: new Set([hidden]) });
    await expect(apply(context, shown)).rejects.toThrow(MisfitError);
    await told.end();
  }
  await apply(context, last);
  expect(await attended(market.parcel)).toEqual(IN_ORDER);
});

/** The last confirmation and the settlement, in one slot; undefined: they came into two. */
async function endedInOneSlot(wallets: Wallets, market: Market): Promise<string | undefined> {
  const { by, instruction } = await wallets.confirmation(market, 1);
  const settling = await wallets.settlement(market.shipper, market.parcel);
  const [confirmed, settled] = [
    await signed(service.current, [by.signer], [instruction]),
    await signed(service.current, [market.shipper.signer], [settling]),
  ];
  const first = await land(service.current, confirmed);
  const last = await land(service.current, settled);
  return (await slotOf(first)) === (await slotOf(last)) ? last : undefined;
}

test('what ran in one slot is mirrored in the order of its block, in whichever order a node lists it (S-51)', async () => {
  const wallets = new Wallets(service.current);
  for (let last: string | undefined; last === undefined; ) {
    const market = await unattended();
    const { node, context } = await behindNode();
    await wallets.confirm(market, 0);
    last = await endedInOneSlot(wallets, market);
    let calls = 0;
    await node.begin({ kind: 'reordered', random: () => (calls -= 1) });
    if (last !== undefined) await apply(context, last);
    expect(await attended(market.parcel)).toEqual(IN_ORDER);
  }
});

test('what a node lists only after a later reclaim was mirrored is not lost: once it is final, the package is written again (S-51, S-257)', async () => {
  const { parcel, shipper, couriers } = await formedWithTerms(service.current, [
    ['zoo', 'hauptbahnhof', 0.03],
    ['hauptbahnhof', 'ostkreuz', 0.05],
  ]);
  const courier = at(couriers, 0);
  await service.current.stop();
  const { node, context } = await behindNode();
  const legId = at(parcel.swarm?.legs ?? [], 0).id;
  const leg = (await findBoundLeg(context.db, legId))?.of;
  const row = await findPackage(context.db, parcel.id);
  if (!leg || !row) throw new Error('the package has terms and a swarm');
  const accept = { courier: courier.signer, take: false, lister: shipper.signer.address };
  const send = async ({ signer }: Party, instruction: Instruction) =>
    land(service.current, await signed(service.current, [signer], [instruction]));
  const accepted = await send(courier, await acceptInstruction(context.ledger, leg, accept));
  const swarm = await readFormedSwarm(context.ledger, parcel.onChainPackage);
  if (!swarm) throw new Error('the ledger shows the swarm');
  const told = await node.begin({ kind: 'unlisted', signatures: new Set([accepted]) });
  await apply(context, await send(shipper, reclaimPackageInstruction(context.ledger, row, swarm, shipper.signer)));
  expect((await findPackage(context.db, parcel.id))?.status).toBe('failed');
  await told.end();
  await service.current.advanceTime(FINAL_SEC);
  // It holds up no call that reads the package's history meanwhile, and is not lost by it either.
  await catchUp(context, parcel.onChainPackage);
  expect(await movesOf(context, legId)).toEqual([]);
  const { ended, differences } = await attended(parcel);
  expect({ ended: ended.at(-1), differences }).toEqual({ ended: 'LEDGER_HEALED', differences: [] });
  expect(await movesOf(context, legId)).toEqual(['accept', 'reclaim']);
});

test('nor is a payment without terms: it is told then, with what the courier got (S-51, S-257)', async () => {
  const wallets = new Wallets(service.current);
  const market = await unattended();
  const { node, context } = await behindNode();
  await service.current.advanceTime(DEADLINE_SEC);
  const confirmed = await wallets.confirm(market, 0);
  const told = await node.begin({ kind: 'unlisted', signatures: new Set([confirmed]) });
  await apply(context, await wallets.reclaim(market.shipper, market.parcel));
  await told.end();
  expect(await attended(market.parcel)).toEqual({
    ended: ['PACKAGE_FAILED', 'LEG_CONFIRMED', 'LEDGER_HEALED'],
    differences: [],
  });
});
