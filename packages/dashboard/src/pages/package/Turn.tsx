import { turnOfPackage } from '@legwork/protocol/rules';
import type { Lamports, PackageDetail } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { useNow } from '../../data/clock.js';
import { AgentLink } from '../../ui/AgentLink.js';
import { Amount } from '../../ui/Amount.js';
import { Ending } from '../../ui/Ending.js';
import { LegSentence, type Move } from '../../ui/LegSentence.js';
import { TurnLine } from '../../ui/TurnLine.js';
import { rich, t } from '../../language.js';

/**
 * Whose move it is, until when, and what silence costs; of what is over, how it ended.
 *
 * @param refunded what went back to the funder, where that is known
 */
export function Turn({ parcel, refunded }: { parcel: PackageDetail; refunded: Lamports | undefined }) {
  const turn = turnOfPackage(parcel, useNow());
  const sentence = turn ? <Sentence turn={turn} parcel={parcel} /> : <Ended parcel={parcel} refunded={refunded} />;
  return <TurnLine turn={turn} sentence={sentence} />;
}

/** Who is to do what, in a sentence. */
function Sentence({ turn, parcel }: { turn: Move; parcel: PackageDetail }): ReactNode {
  const { actor, action, legIndex } = turn;
  const who = (pubkey: string | null | undefined) => pubkey && <AgentLink pubkey={pubkey} />;
  const leg = parcel.swarm?.legs[legIndex ?? 0];
  switch (action) {
    case 'bid':
      return t('Couriers can bid.');
    case 'form':
      return t('The coordinator puts the chain on the ledger.');
    case 'confirm':
      return rich<ReactNode>('{courier} is carrying it. {receiver} signs on receipt, which pays {courier} {payment}.', {
        courier: who(leg?.agentPubkey),
        receiver: who(actor.pubkey),
        payment: leg && <Amount of={parcel} amount={leg.agreedPayment} />,
      });
    case 'settle':
      return t('All legs are done. The coordinator settles, which returns what is left of the budget.');
    case 'cancel':
    case 'reclaim':
      return rich<ReactNode>(
        'The deadline has passed. {who} can {action, select, cancel {cancel} other {reclaim}} it.',
        { who: actor.role === 'coordinator' ? t('The coordinator') : who(actor.pubkey), action },
      );
    case 'accept':
    case 'take':
    case 'carry':
    case 'review':
    case 'rule':
    case 'crank':
    case 'replace':
      return (
        leg &&
        parcel.terms && (
          <LegSentence
            kind="package"
            id={parcel.id}
            turn={turn}
            leg={leg}
            pays={leg.agreedPayment}
            terms={parcel.terms}
            of={parcel}
          />
        )
      );
    case 'wait':
    case 'claim':
    case 'assign':
    case 'hand_in':
    case 'pay':
      break;
  }
  return t('There is nothing to do now.');
}

/** What was chosen and never carried paid nobody. */
function Ended({ parcel, refunded }: { parcel: PackageDetail; refunded: Lamports | undefined }) {
  const { failureReason, maxBudget, swarm } = parcel;
  const legs = failureReason === 'cancelled' ? [] : (swarm?.legs ?? []);
  const done = legs.filter(({ status }) => status === 'completed');
  return (
    <Ending
      of={parcel}
      kind="package"
      failureReason={failureReason}
      maxBudget={maxBudget}
      legs={legs.length}
      done={done.map((leg) => ({ ...leg, paid: leg.paid ?? leg.agreedPayment }))}
      refunded={refunded}
    />
  );
}
