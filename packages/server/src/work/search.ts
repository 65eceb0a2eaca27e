import { requireAsset } from '../ledger/assets.js';
import { type Lamports, parsePlace, parseSol, toLamports } from '@legwork/protocol/contract';
import { whyItWaits, whyNothingPrivate } from '@legwork/protocol/rules';
import { LRUCache } from 'lru-cache';
import { qualifiedAmong } from '../agents/reputationRows.js';
import type { AppContext } from '../context.js';
import { unknownAgent } from '../coordinator/admission.js';
import { DEFAULT_RADIUS_KM } from '../db/near.js';
import { balanceOf } from '../ledger/accounts.js';
import type { Ledger } from '../ledger/ledger.js';
import type { In } from '../operations/run.js';
import { askedMarks } from './words.js';
import { type Found, listingsWithWork, type Seeker, type WorkSearch } from './workRows.js';

type Asked = Partial<Omit<In<'findWork'>, 'limit' | 'cursor'>>;

/** A balance is asked for once in so long, milliseconds: who searches again and again asks the ledger no more often. */
const BALANCE_MS = 10_000;
const balances = new WeakMap<Ledger, LRUCache<string, Lamports>>();

/** The balance of the wallet; undefined: the ledger does not answer. */
async function recentBalance({ ledger }: AppContext, pubkey: string): Promise<Lamports | undefined> {
  const kept = balances.get(ledger) ?? new LRUCache({ max: 10_000, ttl: BALANCE_MS });
  balances.set(ledger, kept);
  const known = kept.get(pubkey);
  if (known !== undefined) return known;
  const held = await balanceOf(ledger, pubkey);
  if (held === undefined) return undefined;
  kept.set(pubkey, toLamports(held));
  return toLamports(held);
}

/** The work that the agent can have now, by the rules of bids and claims. Rule M-88. */
async function seekerOf(context: AppContext, pubkey: string): Promise<Seeker> {
  const found = (await qualifiedAmong(context.db, [pubkey])).get(pubkey);
  const agent = found ?? unknownAgent(pubkey);
  const nowMs = context.clock().getTime();
  return {
    pubkey,
    score: agent.reliabilityScore,
    completed: agent.legsCompleted,
    capabilities: agent.capabilities,
    mayBind: found !== undefined && whyItWaits(agent, context.config.waitingLegs, nowMs) === undefined,
    mayRead: whyNothingPrivate(agent.uncarried, nowMs) === undefined,
    lamports: await recentBalance(context, pubkey),
  };
}

const lamportsOf = (sol: number | undefined) => (sol === undefined ? undefined : parseSol(sol));

/** The search that the arguments ask for. */
export async function searchOf(context: AppContext, asked: Asked): Promise<WorkSearch> {
  const { near, radiusKm = DEFAULT_RADIUS_KM, q } = asked;
  return {
    kind: asked.kind,
    words: q === undefined ? undefined : await askedMarks(context, q),
    capability: asked.capability,
    near: near === undefined ? undefined : { center: parsePlace(near), radiusKm },
    minPay: lamportsOf(asked.minPaySol),
    minPayPerKm: lamportsOf(asked.minPaySolPerKm),
    maxStake: lamportsOf(asked.maxStakeSol),
    hasTerms: asked.hasTerms,
    asset: asked.asset === undefined ? undefined : requireAsset(context.ledger.assets, asked.asset).number,
    deadlineAfter: asked.deadlineAfter,
    deadlineBefore: asked.deadlineBefore,
    seeker: asked.for === undefined ? undefined : await seekerOf(context, asked.for),
  };
}

const OPEN = { package: ['listed'], leg: ['listed', 'in_progress'] } as const;

/** The listings that a list is to show, whose arguments look for work too; undefined: they do not. */
export async function foundBy(
  context: AppContext,
  kind: 'package' | 'leg',
  { status, shipper, ...asked }: Asked & { status: string | undefined; shipper: string | undefined },
): Promise<Found | undefined> {
  if (Object.values(asked).every((value) => value === undefined)) return undefined;
  const statuses = OPEN[kind].filter((one) => status === undefined || one === status);
  return { statuses, ids: listingsWithWork({ ...(await searchOf(context, asked)), kind, shipper }, context.clock()) };
}
