import type { Terms } from '@legwork/protocol/contract';
import { ruledPayment } from '@legwork/protocol/rules';
import type { Leg } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { joinPath } from '../../data/joinPath.js';
import { AgentLink } from '../../ui/AgentLink.js';
import { Amount } from '../../ui/Amount.js';
import type { Move } from './Turn.js';

interface Props {
  readonly turn: Move;
  readonly packageId: string;
  /** The first leg that is not completed. */
  readonly leg: Leg;
  readonly terms: Terms;
}

/** Who is to do what for a leg with terms, in a sentence. */
export function LegSentence(props: Props): ReactNode {
  const courier = <AgentLink pubkey={props.leg.agentPubkey} />;
  return SENTENCES[props.turn.action]?.(props, courier, `leg ${props.leg.legIndex + 1}`);
}

type Sentence = (of: Props, courier: ReactNode, leg: string) => ReactNode;

const SENTENCES: { readonly [Action in Move['action']]?: Sentence } = {
  accept: ({ terms }, courier, leg) => (
    <>
      {courier} is to accept {leg}, with a stake of <Amount lamports={terms.stakeLamports} />.
    </>
  ),
  take: ({ terms, packageId, leg: { id, legIndex } }, courier, leg) => (
    <>
      {courier} has accepted {leg} and is to pick it up.
      {legIndex === 0 && terms.cosignedPickup && (
        <>
          {' '}
          <Link href={joinPath(packageId, id, { action: 'take' })}>The shipper signs the pickup too.</Link>
        </>
      )}
    </>
  ),
  carry: (_, courier, leg) => (
    <>
      {courier} has it for {leg}, and is to hand it over or to claim that it is there.
    </>
  ),
  review: ({ turn: { actor } }, courier, leg) => (
    <>
      {courier} claims to have done {leg}. {actor.pubkey && <AgentLink pubkey={actor.pubkey} />}{' '}
      {actor.role === 'receiver' && 'or the shipper '}can contradict that.
    </>
  ),
  rule: ({ leg: { disputerPubkey }, terms }, courier, leg) => (
    <>
      {disputerPubkey ? <AgentLink pubkey={disputerPubkey} /> : 'The shipper'} disputes what {courier} claims for {leg}.
      The arbiter, <AgentLink pubkey={terms.arbiterPubkey} />, rules.
    </>
  ),
  replace: (_, _courier, leg) => `Nobody has ${leg}. It takes bids, and the coordinator gives it to the best one.`,
  crank: ({ turn, leg: { stage, agreedPaymentLamports, percent } }, courier, leg) =>
    stage === 'ruled' ? (
      <>
        The dispute about {leg} is ruled. Anyone can confirm it, which pays {courier}{' '}
        <Amount lamports={ruledPayment(agreedPaymentLamports, percent)} />.
      </>
    ) : (
      `The clock of ${leg} has ended: ${turn.silence}.`
    ),
};
