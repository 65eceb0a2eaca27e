import type { FailureReason } from '@legwork/protocol/contract';
import { type Lamports, toLamports } from '@legwork/sdk';
import { type Kind, PARTS } from '../data/legWords.js';
import { Amount } from './Amount.js';

/** What both kinds are said to have come to. */
const WORDS: Readonly<Record<Kind, { readonly unbegun: string; readonly done: string; readonly did: string }>> = {
  package: { unbegun: 'carried', done: 'Delivered', did: 'brought it on' },
  task: { unbegun: 'worked on', done: 'Done', did: 'did it' },
};

interface Props {
  readonly kind: Kind;
  readonly failureReason: FailureReason | null;
  readonly maxBudgetLamports: Lamports;
  readonly legs: number;
  /** What each completed leg paid. */
  readonly paid: readonly bigint[];
  /** What went back to its funder: with terms, stakes that were lost as well; undefined: not read yet. */
  readonly refunded: Lamports | undefined;
}

/** How a package or a task ended, and where its money went. */
export function Ending({ kind, failureReason, maxBudgetLamports, legs, paid, refunded }: Props) {
  const { unbegun, done, did } = WORDS[kind];
  const { worker } = PARTS[kind];
  const sum = paid.reduce((all, lamports) => all + lamports, 0n);
  const back = refunded ?? toLamports(maxBudgetLamports - sum);
  if (paid.length === 0) {
    return (
      <>
        {failureReason === 'reclaimed' ? 'Reclaimed with no leg done' : `Cancelled before anybody ${unbegun} it`}: the
        whole budget, <Amount lamports={maxBudgetLamports} />, went back to its funder
        {back > maxBudgetLamports && (
          <>
            , and stakes of <Amount lamports={toLamports(back - maxBudgetLamports)} />
          </>
        )}
        .
      </>
    );
  }
  const isOne = paid.length === 1;
  return (
    <>
      {failureReason === null
        ? `${done} by ${isOne ? `one ${worker}` : `${paid.length} ${worker}s`}`
        : `Reclaimed with ${paid.length} of ${legs} legs done`}
      : <Amount lamports={toLamports(sum)} /> went to the {worker}
      {!isOne && 's'} who {did}, <Amount lamports={back} /> back to its funder.
    </>
  );
}
