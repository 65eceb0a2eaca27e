import { setTimeout as pause } from 'node:timers/promises';
import {
  confirmLeg,
  greatCircleKm,
  listDigitalTask,
  listPackage,
  RelayApiError,
  RelayNetworkError,
} from '@legwork/sdk';
import type { PackageView } from '@legwork/sdk';
import type { Member } from '../company.js';
import type { Stage } from '../stage.js';
import { GOALS, PARCELS, PLACES } from './cast.js';

const LOOK_EVERY_MS = 1_000;
/** A poster with less asks the ledger's faucet. */
const NEEDED_LAMPORTS = 500_000_000n;

/** Goes through a list again and again. */
function* inTurn<T>(items: readonly T[], from: number): Generator<T, never> {
  for (let at = from; ; at += 1) yield items[at % items.length] as T;
}

/** Posts a package every few seconds until the signal, and goes on receiving what arrives until `done`. */
export async function ship(stage: Stage, shipper: Member, index: number, times: Times): Promise<void> {
  await Promise.all([postPackages(stage, shipper, index, times), receive(stage, shipper, times.done)]);
}

/** Posts a task every few seconds until the signal. */
export async function ask({ ledger }: Stage, { client, signer }: Member, index: number, times: Times): Promise<void> {
  const goals = inTurn(GOALS, index);
  while (!times.posting.aborted) {
    await ledger.fill(signer.address, NEEDED_LAMPORTS);
    const description = goals.next().value;
    const title = description.slice(0, description.search(/[:.]/));
    await patiently(() => listDigitalTask(client, signer, { title, description, maxBudgetSol: 0.04 }));
    await pause(times.postEveryMs, undefined, { signal: times.posting }).catch(() => undefined);
  }
}

/** Until when posters post, and until when they receive. */
export interface Times {
  /** Each poster posts so often. */
  readonly postEveryMs: number;
  readonly posting: AbortSignal;
  readonly done: AbortSignal;
}

async function postPackages({ ledger }: Stage, { client, signer }: Member, index: number, times: Times) {
  const { posting } = times;
  const parcels = inTurn(PARCELS, index);
  const ways = inTurn(WAYS, index * 7);
  while (!posting.aborted) {
    await ledger.fill(signer.address, NEEDED_LAMPORTS);
    const [description, weightKg] = parcels.next().value;
    const { from, to } = ways.next().value;
    const km = greatCircleKm(from, to);
    await patiently(() =>
      listPackage(client, signer, {
        originLat: from.lat,
        originLng: from.lng,
        destLat: to.lat,
        destLng: to.lng,
        description,
        weightKg,
        volumeLitres: 20,
        maxBudgetSol: Number((0.03 + km * 0.012).toFixed(3)),
        terms: 'plain',
      }),
    );
    await pause(times.postEveryMs, undefined, { signal: posting }).catch(() => undefined);
  }
}

/** From each place to three others. */
const WAYS = PLACES.flatMap((from, at) =>
  [3, 4, 7].map((step) => ({ from, to: PLACES[(at + step) % PLACES.length] ?? from })),
);

/** Signs for what arrives: where only the last leg is open, the parcel stands before the door. */
async function receive({ ledger }: Stage, { client, signer }: Member, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    const { items } = await client.listPackages({ shipper: signer.address, status: 'in_transit', limit: 100 });
    for (const parcel of items) await patiently(() => receiveOne(parcel));
    await pause(LOOK_EVERY_MS, undefined, { signal: done }).catch(() => undefined);
  }

  async function receiveOne({ id }: PackageView): Promise<void> {
    const { swarm } = await client.getPackage({ packageId: id });
    const open = swarm?.legs.filter(({ status }) => status === 'pending') ?? [];
    const [last] = open;
    if (swarm?.status !== 'active' || open.length !== 1 || last === undefined) return;
    await confirmLeg(client, ledger.rpc, signer, last.id, last.onChainLeg);
  }
}

/** One post or one receipt that fails does not end the market: the next one comes. */
async function patiently(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof RelayApiError) && !(error instanceof RelayNetworkError)) throw error;
  }
}
