import { type LegStage, type operations, pagePath, toLamports } from '@legwork/protocol/contract';
import { STAKES_HELD, type Turn, turnOfPackage, turnOfTask } from '@legwork/protocol/rules';
import type { z } from 'zod';
import type { ToolResult } from './host.js';

/** A package and a task as the tools answer them: no room here for what checks them. */
type Parcel = z.input<typeof operations.getPackage.answer>;
type Task = z.input<typeof operations.getDigitalTask.answer>;
type Answer = Parcel | Task;
type Leg = NonNullable<Parcel['swarm']>['legs'][number] | Task['legs'][number];

/** A listing as the card shows it. */
export interface Listing {
  readonly kind: 'package' | 'task';
  readonly given: Answer;
  readonly turn: Turn | null;
  readonly legs: readonly Leg[];
  /** What the vault holds for legs that are not paid yet, and what legs hold as stakes; base units of the asset. */
  readonly held: { readonly budget: bigint; readonly stakes: bigint };
}

export const isTask = (given: Answer): given is Task => 'title' in given;

/** What the listing is paid in. */
export const assetOf = ({ given: { asset = 'sol', decimals = 9 } }: Listing) => ({ asset, decimals });

/** A call that failed, in the service's words. */
export class RefusedError extends Error {}

/** What a tool answered. @throws {RefusedError} @throws Error it is neither a package nor a task */
export function readResult({ isError, content, structuredContent }: ToolResult, nowMs: number): Listing {
  // Hosts may keep either of the two from pages.
  const first = content.find((part) => part.type === 'text');
  const told = (structuredContent ?? JSON.parse(first?.text ?? '{}')) as Answer & { readonly message?: string };
  if (isError) throw new RefusedError(told.message ?? first?.text);
  return listingOf(told, nowMs);
}

function listingOf(given: Answer, nowMs: number): Listing {
  const terms = termsOf(given);
  const deadline = new Date(given.deadline);
  const turn = isTask(given)
    ? turnOfTask({ ...given, terms, deadline, legs: given.legs.map(clocked) }, nowMs)
    : turnOfPackage({ ...given, terms, deadline, ...bidding(given) }, nowMs);
  const legs = isTask(given) ? given.legs : (given.swarm?.legs ?? []);
  const isOver = turn === null;
  const held = {
    budget: isOver ? 0n : legs.reduce((rest, leg) => rest - paidFor(leg), BigInt(given.maxBudget)),
    stakes: isOver || !terms ? 0n : legs.reduce((sum, { stage }) => sum + stakesAt(stage) * terms.stake, 0n),
  };
  return { kind: isTask(given) ? 'task' : 'package', given, turn, legs, held };
}

const bidding = ({ biddingClosesAt, swarm }: Parcel) => ({
  biddingClosesAt: dateOf(biddingClosesAt),
  swarm: swarm && { ...swarm, legs: swarm.legs.map((leg) => ({ ...leg, ...clockOf(leg) })) },
});
const clocked = (leg: Task['legs'][number]) => ({ ...leg, dueAt: dateOf(leg.dueAt), ...clockOf(leg) });
const dateOf = (time: string | null | undefined) => (time ? new Date(time) : null);
const clockOf = ({ stage = null, since }: Leg) => ({ stage, since: dateOf(since) });
const stakesAt = (stage: LegStage | null | undefined) => BigInt(stage ? STAKES_HELD[stage] : 0);

function termsOf({ terms }: Answer) {
  return terms ? { ...terms, stake: toLamports(BigInt(terms.stake)), stakeLamports: null } : null;
}

/** What a leg was paid: nothing before it is completed. */
function paidFor(leg: Leg): bigint {
  if (leg.status !== 'completed') return 0n;
  return BigInt('agreedPayment' in leg ? (leg.paid ?? leg.agreedPayment) : (leg.payment ?? 0));
}

/** What a leg pays. */
export const paysFor = ({ given }: Listing, leg: Leg): bigint =>
  BigInt('agreedPayment' in leg ? leg.agreedPayment : isTask(given) ? given.paymentPerLeg : 0);

/** The tool that reads the listing again. */
export const toolFor = ({ kind, given: { id } }: Listing) =>
  kind === 'package'
    ? ({ name: 'svc_get_package', arguments: { packageId: id } } as const)
    : ({ name: 'svc_get_digital_task', arguments: { taskId: id } } as const);

/** The page of the service that makes every check of it in the reader's browser, as soon as it is open. */
export const pageFor = ({ kind, given: { id } }: Listing, service: string): string =>
  `${service}${pagePath(kind, id)}#check`;
