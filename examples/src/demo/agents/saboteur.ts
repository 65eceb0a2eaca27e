import { setTimeout as pause } from 'node:timers/promises';
import { lamportsToSolNumber, makeMove, openReputation } from '@legwork/sdk';
import type { MoveAction, PackageTurnView, PackageView } from '@legwork/sdk';
import type { Member } from '../company.js';
import type { Stage } from '../stage.js';
import { patiently } from './market.js';

const LOOK_EVERY_MS = 1_000;
/** Of the packages that it sees, it bids on each of these; not all that it bids on does it win. */
const BIDS_ON_EVERY = 2;
/** Of the budget: little enough to win, and enough for others to do the leg for no more. */
const ASKS_PERCENT = 36;
/** For its stakes. */
const NEEDED_LAMPORTS = 500_000_000n;

/** The moves that it makes on a leg: how far it goes before it does no more. The ways follow each other, the one that takes longest to heal first. */
const WAYS = [
  { name: 'took the parcel and went silent', does: ['accept', 'take'] },
  { name: 'claimed what it had not brought', does: ['accept', 'take', 'claim'] },
  { name: 'accepted and never came', does: ['accept'] },
  { name: 'never accepted', does: [] },
] as const satisfies readonly { name: string; does: readonly MoveAction[] }[];

/** The legs that it failed, by way. */
export type Sabotage = ReadonlyMap<string, number>;

/** A courier that bids as the others do and then fails its shippers in every way that there is, until the signal. */
export async function sabotage({ ledger }: Stage, member: Member, done: AbortSignal): Promise<Sabotage> {
  const { client, signer } = member;
  const legs = new Map<string, (typeof WAYS)[number]>();
  const seen = new Set<string>();
  await patiently(() => openReputation(client, ledger.rpc, signer));
  while (!done.aborted) {
    await ledger.fill(signer.address, NEEDED_LAMPORTS);
    await patiently(bidOnSome);
    await patiently(async () => {
      const { items } = await client.listTurns({ pubkey: signer.address });
      for (const turn of items) {
        if (turn.kind !== 'package' || turn.agentPubkey !== signer.address) continue;
        await patiently(() => fail(turn));
      }
    });
    await pause(LOOK_EVERY_MS, undefined, { signal: done }).catch(() => undefined);
  }
  return new Map(WAYS.map(({ name }) => [name, [...legs.values()].filter((way) => way.name === name).length]));

  async function bidOnSome(): Promise<void> {
    const { items } = await client.listPackages({ status: 'listed', limit: 50 });
    for (const parcel of items.filter(({ id }) => !seen.has(id))) {
      seen.add(parcel.id);
      if (seen.size % BIDS_ON_EVERY === 0) await patiently(() => client.submitBid(bidOn(parcel, signer.address)));
    }
  }

  async function fail({ legId, packageId, actions }: PackageTurnView): Promise<void> {
    const way = legs.get(legId) ?? WAYS[legs.size % WAYS.length] ?? WAYS[0];
    legs.set(legId, way);
    const action = way.does.findLast((one) => actions.includes(one));
    if (action === undefined) return;
    const text = action === 'claim' ? 'Delivered. Believe me.' : undefined;
    await makeMove(client, signer, { legId, packageId, action, text }, { rpc: ledger.rpc });
  }
}

/** The whole way. */
function bidOn({ id, originLat, originLng, destLat, destLng, maxBudget }: PackageView, agentPubkey: string) {
  return {
    packageId: id,
    agentPubkey,
    pickupLat: originLat,
    pickupLng: originLng,
    dropoffLat: destLat,
    dropoffLng: destLng,
    distanceKm: 10,
    estimatedDurationMin: 20,
    costSol: Number(((lamportsToSolNumber(maxBudget) * ASKS_PERCENT) / 100).toFixed(4)),
  };
}
