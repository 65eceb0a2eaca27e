import type { Terms } from '@legwork/protocol/contract';
import { ruledPayment } from '@legwork/protocol/rules';
import type { Leg } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { AgentLink } from '../../ui/AgentLink.js';
import { Amount } from '../../ui/Amount.js';
import type { Move } from './Turn.js';

interface Props {
  readonly turn: Move;
  /** The first leg that is not completed. */
  readonly leg: Leg;
  readonly terms: Terms;
}

/** Who is to do what for a leg with terms, in a sentence. */
export function LegSentence({ turn: { actor, action, silence }, leg, terms }: Props): ReactNode {
  const number = `leg ${leg.legIndex + 1}`;
  const courier = <AgentLink pubkey={leg.agentPubkey} />;
  switch (action) {
    case 'accept':
      return (
        <>
          {courier} is to accept {number}, with a stake of <Amount lamports={terms.stakeLamports} />.
        </>
      );
    case 'take':
      return (
        <>
          {courier} has accepted {number} and is to pick it up.
          {leg.legIndex === 0 && terms.cosignedPickup && ' The shipper signs the pickup too.'}
        </>
      );
    case 'carry':
      return (
        <>
          {courier} has it for {number}, and is to hand it over or to claim that it is there.
        </>
      );
    case 'review':
      return (
        <>
          {courier} claims to have done {number}. {actor.pubkey && <AgentLink pubkey={actor.pubkey} />}{' '}
          {actor.role === 'receiver' && 'or the shipper '}can contradict that.
        </>
      );
    case 'rule':
      return (
        <>
          {leg.disputerPubkey ? <AgentLink pubkey={leg.disputerPubkey} /> : 'The shipper'} disputes what {courier}{' '}
          claims for {number}. The arbiter, <AgentLink pubkey={terms.arbiterPubkey} />, rules.
        </>
      );
    case 'replace':
      return `Nobody has ${number}. It takes bids, and the coordinator gives it to the best one.`;
    case 'crank':
      if (leg.stage !== 'ruled') return `The clock of ${number} has ended: ${silence}.`;
      return (
        <>
          {number.replace('l', 'L')} is ruled. Anyone can confirm it, which pays {courier}{' '}
          <Amount lamports={ruledPayment(leg.agreedPaymentLamports, leg.percent)} />.
        </>
      );
    default:
      return 'Nothing can be done now.';
  }
}
