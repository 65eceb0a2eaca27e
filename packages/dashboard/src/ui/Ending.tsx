import type { FailureReason } from '@legwork/protocol/contract';
import { type Asset, type Lamports, toLamports } from '@legwork/sdk';
import { type Kind, PARTS } from '../data/legWords.js';
import { Amount } from './Amount.js';

/** What both kinds are said to have come to. */
const WORDS: Readonly<Record<Kind, { readonly unbegun: string; readonly done: string; readonly did: string }>> = {
  package: { unbegun: 'carried', done: 'Delivered', did: 'carried it' },
  task: { unbegun: 'worked on', done: 'Done', did: 'did it' },
};

export interface DoneLeg {
  readonly legIndex: number;
  /** What it paid. */
  readonly paid: bigint;
  /** What a ruling left of its payment; null: there was none, and somebody has signed for it or let its claim stand. */
  readonly percent: number | null;
}

interface Props {
  /** What it pays in. */
  readonly of: Asset;
  readonly kind: Kind;
  readonly failureReason: FailureReason | null;
  readonly maxBudget: Lamports;
  readonly legs: number;
  /** The legs that are completed. */
  readonly done: readonly DoneLeg[];
  /** What went back to its funder: with terms, stakes that were lost as well; undefined: not read yet. */
  readonly refunded: Lamports | undefined;
}

/** How a package or a task ended, and where its money went. */
export function Ending({ of, kind, failureReason, maxBudget, legs, done, refunded }: Props) {
  const { unbegun } = WORDS[kind];
  const { worker } = PARTS[kind];
  const sum = done.reduce((all, { paid }) => all + paid, 0n);
  const back = refunded ?? toLamports(maxBudget - sum);
  if (done.length === 0) {
    return (
      <>
        {failureReason === 'reclaimed' ? 'Reclaimed with no leg done' : `Cancelled before anyone ${unbegun} it`}: the
        whole budget, <Amount of={of} amount={maxBudget} />, went back to its funder
        {back > maxBudget && (
          <>
            , and stakes of <Amount of={of} amount={toLamports(back - maxBudget)} />
          </>
        )}
        .
      </>
    );
  }
  return (
    <>
      {begun({ kind, failureReason, legs, done })}: <Amount of={of} amount={toLamports(sum)} /> went to the {worker}
      {done.length > 1 && 's'}
      {done.every(({ percent }) => percent === null) && ` who ${WORDS[kind].did}`}, <Amount of={of} amount={back} />{' '}
      back to its funder.
    </>
  );
}

/** That it was brought on is said only where nobody had to rule whether it was. Rule D-40. */
function begun({ kind, failureReason, legs, done }: Pick<Props, 'kind' | 'failureReason' | 'legs' | 'done'>): string {
  const { worker } = PARTS[kind];
  const ruled = done.flatMap(({ legIndex, percent }) =>
    percent === null ? [] : [`leg ${legIndex + 1} ruled at ${percent} %`],
  );
  if (failureReason !== null) {
    return [`Reclaimed with ${done.length} of ${legs} legs paid`, ...ruled].join(', ');
  }
  if (ruled.length > 0) return `Ended with ${ruled.join(', ')}`;
  return `${WORDS[kind].done} by ${done.length === 1 ? `one ${worker}` : `${done.length} ${worker}s`}`;
}
