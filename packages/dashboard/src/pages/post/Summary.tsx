import { legShare } from '@legwork/protocol/rules';
import { type Asset, isInSol, type ServiceConfig, type Terms } from '@legwork/sdk';
import type { Kind } from '../../data/legWords.js';
import { OnTop } from './OnTop.js';
import { Amount } from '../../ui/Amount.js';
import { Bound } from '../../ui/Bound.js';
import { Facts } from '../../ui/Panel.js';
import { spanOf } from '../../ui/spanOf.js';
import type { Read, Typed } from './draft.js';
import { amountIn, m, t } from '../../language.js';

interface Props {
  readonly typed: Typed;
  readonly read: Read;
  /** What it pays in. */
  readonly of: Asset;
  readonly config: ServiceConfig;
}

/** What the wallet will sign: the transaction is compared with this, to the base unit and the second. */
export function Summary({ typed: { kind, legs }, read: { budget, terms }, of, config }: Props) {
  const share = <Amount isExact key="share" of={of} amount={legShare(budget, legs.length)} />;
  return (
    <>
      {sentencesOf(kind, amountIn(budget, of), terms, of).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <Facts
        of={[
          [t('You lock'), <Amount isExact key="budget" of={of} amount={budget} />],
          ...(kind === 'task' ? [[t('Each leg pays'), share] as const] : []),
        ]}
      />
      {!isInSol(of) && <OnTop kind={kind} hasTerms={terms !== null} budget={budget} of={of} config={config} />}
      {terms && (
        <details>
          <summary>{t('All clocks and amounts')}</summary>
          <Bound kind={kind} of={of} by={terms} />
        </details>
      )}
    </>
  );
}

/** What a person binds itself to, in three sentences. Rule D-89. */
function sentencesOf(kind: Kind, locks: string, terms: Terms | null, of: Asset): readonly string[] {
  const words = WORDS[kind];
  const lock = t(words.lock, { amount: locks });
  if (terms === null) return [lock, t(words.unbound), t(words.unbegun)];
  const stakes = { stake: amountIn(terms.stake, of), span: spanOf(terms.reviewSec) };
  return [lock, t(words.stakes, stakes), t(words.untouched)];
}

const WORDS = {
  package: {
    lock: m(
      'You lock {amount} now: each courier is paid from it once the next courier or the receiver signs for the parcel, and what is left comes back to you.',
    ),
    unbound: m('Nobody stakes anything and no arbiter rules: a courier who keeps the parcel loses nothing.'),
    unbegun: m(
      'Until couriers are chosen, you can take all of it back; after that, what is left once the deadline has passed.',
    ),
    untouched: m(
      'Until somebody has picked the parcel up, you can take all of it back; after that, what is left once the deadline has passed.',
    ),
    stakes: m(
      'Each courier stakes {stake} and loses it if it does not hand the parcel on in time; if it only claims to be done, you have {span} to dispute that, and an arbiter divides the money.',
    ),
  },
  task: {
    lock: m('You lock {amount} now: each agent is paid its part from it, and what is left comes back to you.'),
    unbound: m('Nobody stakes anything and no arbiter rules: an agent is paid for whatever it hands in.'),
    unbegun: m(
      'Until an agent works on it, you can take all of it back; after that, what is left once the deadline has passed.',
    ),
    untouched: m(
      'Until an agent has accepted the first leg, you can take all of it back; after that, what is left once the deadline has passed.',
    ),
    stakes: m(
      'Each agent stakes {stake} and loses it if it does not hand in its result in time; if it only claims to be done, you have {span} to dispute that, and an arbiter divides the money.',
    ),
  },
} as const;
