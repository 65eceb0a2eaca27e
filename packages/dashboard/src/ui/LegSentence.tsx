import type { Terms } from '@legwork/protocol/contract';
import { isCosignedPickup, ruledPayment, type turnOfTask } from '@legwork/protocol/rules';
import type { Asset, Lamports } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { joinPath, type BoundLeg, type Kind } from '../data/legWords.js';
import { AgentLink } from './AgentLink.js';
import { Amount } from './Amount.js';
import { rich, t } from '../language.js';

/** Whose move it is in a package or a task. */
export type Move = NonNullable<ReturnType<typeof turnOfTask>>;

interface Props {
  readonly kind: Kind;
  /** Of the package or the task. */
  readonly id: string;
  readonly turn: Move;
  /** The first leg that is not completed. */
  readonly leg: BoundLeg;
  /** What it pays. */
  readonly pays: Lamports;
  readonly terms: Terms;
  /** What it pays in. */
  readonly of: Asset;
}

/** Who is to do what for a leg with terms, in a sentence. */
export function LegSentence(props: Props): ReactNode {
  const { agentPubkey, legIndex } = props.leg;
  const worker = agentPubkey && <AgentLink pubkey={agentPubkey} />;
  return SENTENCES[props.turn.action]?.(props, worker, t('leg {number}', { number: legIndex + 1 }));
}

type Sentence = (of: Props, worker: ReactNode, leg: string) => ReactNode;

const SENTENCES: { readonly [Action in Move['action']]?: Sentence } = {
  accept: ({ terms, of }, worker, leg) =>
    rich('{worker} must accept {leg} with a stake of {stake}.', {
      worker,
      leg,
      stake: <Amount of={of} amount={terms.stake} />,
    }),
  take: ({ terms, kind, id, leg: { id: legId, legIndex } }, worker, leg) => (
    <>
      {rich('{worker} has accepted {leg} and must pick it up.', { worker, leg })}
      {isCosignedPickup(legIndex, terms) && (
        <>
          {' '}
          <Link href={joinPath(kind, id, legId, { action: 'take' })}>{t('The shipper signs the pickup too.')}</Link>
        </>
      )}
    </>
  ),
  carry: (_, worker, leg) =>
    rich('{worker} is carrying {leg} and must hand it over or claim delivery.', { worker, leg }),
  review: ({ turn: { actor }, kind }, worker, leg) =>
    rich(
      '{worker} claims that {leg} is done. {who} {also, select, package {or the shipper can dispute it} ' +
        'task {or the poster can dispute it} other {can dispute it}}.',
      {
        worker,
        leg,
        who: actor.pubkey && <AgentLink pubkey={actor.pubkey} />,
        also: actor.role === 'receiver' ? kind : 'nobody',
      },
    ),
  rule: ({ leg: { disputerPubkey }, kind, terms }, worker, leg) =>
    rich('{who} disputes the claim of {worker} for {leg}. The arbiter, {arbiter}, must rule.', {
      who: disputerPubkey ? (
        <AgentLink pubkey={disputerPubkey} />
      ) : (
        t('The {kind, select, package {shipper} other {poster}}', { kind })
      ),
      worker,
      leg,
      arbiter: <AgentLink pubkey={terms.arbiterPubkey} />,
    }),
  replace: ({ leg: { legIndex } }) =>
    t('Leg {number} has no courier. It is open for bids, and the coordinator picks the best one.', {
      number: legIndex + 1,
    }),
  crank: ({ turn, leg: { stage, percent }, pays, of }, worker, leg) =>
    stage === 'ruled'
      ? rich('The arbiter has ruled on {leg}. Anyone can carry the ruling out, which pays {worker} {amount}.', {
          leg,
          worker,
          amount: <Amount of={of} amount={ruledPayment(pays, percent)} />,
        })
      : t('Time is up for {leg}: {silence}.', { leg, silence: t(turn.silence) }),
};
