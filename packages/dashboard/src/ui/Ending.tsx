import type { FailureReason } from '@legwork/protocol/contract';
import { type Asset, type Lamports, toLamports } from '@legwork/sdk';
import type { Kind } from '../data/legWords.js';
import { Amount } from './Amount.js';
import { rich, t } from '../language.js';

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
  const sum = done.reduce((all, { paid }) => all + paid, 0n);
  const back = refunded ?? toLamports(maxBudget - sum);
  if (done.length === 0) return <Unbegun {...{ of, kind, failureReason, maxBudget, back }} />;
  const rest = toLamports(maxBudget - sum);
  const lost = toLamports(back - rest);
  const isProven = done.every(({ percent }) => percent === null);
  const values = {
    ended: begun({ kind, failureReason, legs, done }),
    paid: <Amount of={of} amount={toLamports(sum)} />,
    kind,
    count: done.length,
    proven: isProven ? kind : 'not',
    rest: <Amount of={of} amount={rest} />,
    lost: <Amount of={of} amount={lost} />,
    back: <Amount of={of} amount={back} />,
  };
  // Stakes that were lost go back with the rest: told apart, the parts of the budget sum.
  return lost > 0n
    ? rich(
        '{ended}: of the budget, {paid} went to the {kind, select, package {{count, plural, one {courier} other {couriers}}} ' +
          'other {{count, plural, one {agent} other {agents}}}} and {rest} back to its funder, who also got lost stakes of {lost}.',
        values,
      )
    : rich(
        '{ended}: {paid} went to the {kind, select, package {{count, plural, one {courier} other {couriers}}} ' +
          'other {{count, plural, one {agent} other {agents}}}}' +
          '{proven, select, package { who carried it} task { who did it} other {}}, {back} back to its funder.',
        values,
      );
}

function Unbegun({
  of,
  kind,
  failureReason,
  maxBudget,
  back,
}: Pick<Props, 'of' | 'kind' | 'failureReason' | 'maxBudget'> & { back: Lamports }) {
  const how = failureReason === 'reclaimed' ? failureReason : kind;
  const budget = <Amount of={of} amount={maxBudget} />;
  if (back <= maxBudget) {
    return rich(
      '{how, select, reclaimed {Reclaimed with no leg done} package {Cancelled before anyone carried it} ' +
        'other {Cancelled before anyone worked on it}}: the whole budget, {budget}, went back to its funder.',
      { how, budget },
    );
  }
  return rich(
    '{how, select, reclaimed {Reclaimed with no leg done} package {Cancelled before anyone carried it} ' +
      'other {Cancelled before anyone worked on it}}: the whole budget, {budget}, went back to its funder, ' +
      'and stakes of {stakes}.',
    { how, budget, stakes: <Amount of={of} amount={toLamports(back - maxBudget)} /> },
  );
}

/** That it was brought on is said only where nobody had to rule whether it was. Rule D-40. */
function begun({ kind, failureReason, legs, done }: Pick<Props, 'kind' | 'failureReason' | 'legs' | 'done'>): string {
  const count = done.length;
  const ruled = done.flatMap(({ legIndex, percent }) =>
    percent === null ? [] : [t('leg {number} ruled at {percent} %', { number: legIndex + 1, percent })],
  );
  if (failureReason !== null) {
    return [t('Reclaimed with {done} of {legs} legs paid', { done: count, legs }), ...ruled].join(', ');
  }
  if (ruled.length > 0) return t('Ended with {ruled}', { ruled: ruled.join(', ') });
  return kind === 'package'
    ? t('{count, plural, one {Delivered by one courier} other {Delivered by # couriers}}', { count })
    : t('{count, plural, one {Done by one agent} other {Done by # agents}}', { count });
}
