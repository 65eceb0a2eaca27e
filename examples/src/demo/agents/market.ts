import { setTimeout as pause } from 'node:timers/promises';
import {
  greatCircleKm,
  LedgerRefusedError,
  listDigitalTask,
  listPackage,
  makeMove,
  LegworkApiError,
  LegworkNetworkError,
  TransactionRefusedError,
} from '@legwork/sdk';
import type { MoveAction, PackageTurnView } from '@legwork/sdk';
import type { Member } from '../company.js';
import type { Stage } from '../stage.js';
import { ARBITER, GOALS, PARCELS, PLACES, SABOTEUR } from './cast.js';

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
    const wish = { title, description, maxBudgetSol: 0.04, terms: 'plain' } as const;
    await patiently(() => listDigitalTask(client, signer, wish));
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

async function postPackages({ ledger, company }: Stage, { client, signer }: Member, index: number, times: Times) {
  const { posting } = times;
  const terms = { preset: 'standard', arbiterPubkey: company.named(ARBITER).signer.address } as const;
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
        terms,
      }),
    );
    await pause(times.postEveryMs, undefined, { signal: posting }).catch(() => undefined);
  }
}

/** From each place to three others. */
const WAYS = PLACES.flatMap((from, at) =>
  [3, 4, 7].map((step) => ({ from, to: PLACES[(at + step) % PLACES.length] ?? from })),
);

/** Receives parcels that arrive, disputes those that were not brought, and takes its leg from a courier that went silent with a parcel. */
async function receive({ ledger, company }: Stage, { client, signer }: Member, done: AbortSignal): Promise<void> {
  const saboteur = company.named(SABOTEUR).signer.address;
  while (!done.aborted) {
    await patiently(async () => {
      const { items } = await client.listTurns({ pubkey: signer.address });
      const turns = items.filter((turn) => turn.kind === 'package');
      await Promise.all(turns.map((turn) => patiently(() => answer(turn))));
    });
    await pause(LOOK_EVERY_MS, undefined, { signal: done }).catch(() => undefined);
  }

  async function answer(turn: PackageTurnView): Promise<void> {
    const action = answerTo(turn, turn.agentPubkey !== saboteur);
    if (action === undefined) return;
    const text = action === 'dispute' ? 'Nobody came, and nothing is at the door.' : undefined;
    const { legId, packageId } = turn;
    await makeMove(client, signer, { legId, packageId, action, text }, { rpc: ledger.rpc });
  }
}

/** A shipper's move on a leg; an honest courier's parcel stands before its door. */
function answerTo({ stage, actions }: PackageTurnView, isHonest: boolean): MoveAction | undefined {
  const isBrought = isHonest && (stage === 'carried' || stage === 'claimed');
  const wanted: readonly MoveAction[] = [...(isBrought ? (['confirm'] as const) : (['dispute'] as const)), 'crank'];
  return wanted.find((one) => actions.includes(one));
}

const PASSING = [LegworkApiError, LegworkNetworkError, LedgerRefusedError, TransactionRefusedError];

/** One act that fails does not end the market: the next one comes. */
export async function patiently(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!PASSING.some((kind) => error instanceof kind)) throw error;
  }
}
