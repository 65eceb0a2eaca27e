import type { Terms } from '@legwork/protocol/contract';
import { isCosignedPickup, ruledPayment, type turnOfTask } from '@legwork/protocol/rules';
import type { Asset, Lamports } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { joinPath, type BoundLeg, type Kind, PARTS } from '../data/legWords.js';
import { AgentLink } from './AgentLink.js';
import { Amount } from './Amount.js';

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
  return SENTENCES[props.turn.action]?.(props, worker, `leg ${legIndex + 1}`);
}

type Sentence = (of: Props, worker: ReactNode, leg: string) => ReactNode;

const SENTENCES: { readonly [Action in Move['action']]?: Sentence } = {
  accept: ({ terms, of }, worker, leg) => (
    <>
      {worker} must accept {leg} with a stake of <Amount of={of} amount={terms.stake} />.
    </>
  ),
  take: ({ terms, kind, id, leg: { id: legId, legIndex } }, worker, leg) => (
    <>
      {worker} has accepted {leg} and must pick it up.
      {isCosignedPickup(legIndex, terms) && (
        <>
          {' '}
          <Link href={joinPath(kind, id, legId, { action: 'take' })}>The shipper signs the pickup too.</Link>
        </>
      )}
    </>
  ),
  carry: (_, worker, leg) => (
    <>
      {worker} is carrying {leg} and must hand it over or claim delivery.
    </>
  ),
  review: ({ turn: { actor }, kind }, worker, leg) => (
    <>
      {worker} claims that {leg} is done. {actor.pubkey && <AgentLink pubkey={actor.pubkey} />}{' '}
      {actor.role === 'receiver' && `or the ${PARTS[kind].lister} `}can dispute it.
    </>
  ),
  rule: ({ leg: { disputerPubkey }, kind, terms }, worker, leg) => (
    <>
      {disputerPubkey ? <AgentLink pubkey={disputerPubkey} /> : `The ${PARTS[kind].lister}`} disputes the claim of{' '}
      {worker} for {leg}. The arbiter, <AgentLink pubkey={terms.arbiterPubkey} />, must rule.
    </>
  ),
  replace: ({ leg: { legIndex } }) =>
    `Leg ${legIndex + 1} has no courier. It is open for bids, and the coordinator picks the best one.`,
  crank: ({ turn, leg: { stage, percent }, pays, of }, worker, leg) =>
    stage === 'ruled' ? (
      <>
        The arbiter has ruled on {leg}. Anyone can carry the ruling out, which pays {worker}{' '}
        <Amount of={of} amount={ruledPayment(pays, percent)} />.
      </>
    ) : (
      `Time is up for ${leg}: ${turn.silence}.`
    ),
};
