import type { DigitalTaskDetail, PackageDetail } from '@legwork/sdk';
import type { Kind } from '../../data/legWords.js';
import { t } from '../../language.js';

/** How a listing can be ended now by who posted it, or why it cannot. */
export type Exit =
  | {
      readonly move: 'cancel' | 'reclaim';
      /** A stake that is lost to the funder by it, lamports. */
      readonly lostStake: bigint;
    }
  | { readonly why: string };

type Parcel = Pick<
  PackageDetail,
  'status' | 'finality' | 'deadline' | 'shipperPubkey' | 'funderPubkey' | 'terms' | 'swarm'
>;
type Task = Pick<
  DigitalTaskDetail,
  'status' | 'finality' | 'deadline' | 'shipperPubkey' | 'funderPubkey' | 'terms' | 'legs'
>;
type Stage = NonNullable<PackageDetail['swarm']>['legs'][number]['stage'];

/** What both kinds have in common. */
interface Listing {
  readonly isOver: boolean;
  readonly isListed: boolean;
  readonly isReverted: boolean;
  readonly isOwn: boolean;
  readonly hasBegun: boolean;
  /** Of the first leg that is not completed; undefined: all are. */
  readonly stage: Stage | undefined;
  readonly deadline: Date;
  readonly stake: bigint;
  readonly kind: Kind;
}

/** Which way out a shipper has. Rule D-94. @param nowMs milliseconds since 1970 */
export function exitOfPackage(parcel: Parcel, nowMs: number): Exit {
  const { status, terms, swarm } = parcel;
  const legs = swarm?.legs ?? [];
  const current = legs.find((leg) => leg.status !== 'completed');
  const isFirst = current === legs[0];
  const isUntouched = terms !== null && isFirst && isOneOf(current?.stage, ['pending', 'accepted', 'vacant']);
  return exitOf(
    {
      ...commonOf(parcel),
      isOver: status === 'delivered' || status === 'failed',
      // Until the chain is on the ledger, it is listed there.
      isListed: status === 'listed' || status === 'swarm_forming',
      hasBegun: !isUntouched,
      stage: current?.stage,
      kind: 'package',
    },
    nowMs,
  );
}

/** The same of a digital task. */
export function exitOfTask(task: Task, nowMs: number): Exit {
  const { status, terms, legs } = task;
  const current = legs.find((leg) => leg.status !== 'completed');
  const isUntouched = terms !== null && current === legs[0] && isOneOf(current?.stage, ['pending', 'vacant']);
  return exitOf(
    {
      ...commonOf(task),
      isOver: status === 'completed' || status === 'failed',
      isListed: status === 'listed',
      hasBegun: !isUntouched,
      stage: current?.stage,
      kind: 'task',
    },
    nowMs,
  );
}

const commonOf = ({ finality, deadline, shipperPubkey, funderPubkey, terms }: Parcel | Task) => ({
  isReverted: finality === 'reverted',
  isOwn: shipperPubkey === funderPubkey,
  deadline,
  stake: terms?.stake ?? 0n,
});

const isOneOf = (stage: Stage | undefined, those: readonly Stage[]) => stage !== undefined && those.includes(stage);

function exitOf(listing: Listing, nowMs: number): Exit {
  const { isOver, isListed, isReverted, isOwn, hasBegun, stage, deadline, stake, kind } = listing;
  if (isOver) return { why: t('It is over, and nothing is left in escrow.') };
  if (isReverted)
    return {
      why: t('The ledger took back one of its transactions. Nothing can be signed for it until that is settled.'),
    };
  if (!isOwn) return { why: t('Somebody else paid for it and can take back what is left after the deadline.') };
  if (isListed) return { move: 'cancel', lostStake: 0n };
  if (stage === undefined) return { why: t('All legs are done. What is left of the budget comes back by itself.') };
  if (isOneOf(stage, ['claimed', 'disputed', 'ruled'])) {
    return {
      why: t(
        '{kind, select, package {A courier} other {An agent}} has claimed that the leg is done. That must be decided first: see your turns.',
        { kind },
      ),
    };
  }
  if (hasBegun && deadline.getTime() > nowMs) {
    return {
      why: t(
        '{kind, select, package {A courier} other {An agent}} is at work on it. You can take back what is left once the deadline has passed.',
        { kind },
      ),
    };
  }
  return { move: 'reclaim', lostStake: stage === 'carried' ? stake : 0n };
}
