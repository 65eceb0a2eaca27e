import { turnOfTask } from '@legwork/protocol/rules';
import type { DigitalTaskDetail, Lamports } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { useNow } from '../../data/clock.js';
import { AgentLink } from '../../ui/AgentLink.js';
import { Amount } from '../../ui/Amount.js';
import { Ending } from '../../ui/Ending.js';
import { LegSentence, type Move } from '../../ui/LegSentence.js';
import { TurnLine } from '../../ui/TurnLine.js';
import { rich, t } from '../../language.js';

interface Props {
  readonly task: DigitalTaskDetail;
  /** What went back to the funder, where that is known. */
  readonly refunded: Lamports | undefined;
}

/** Whose move it is, until when, and what silence costs; of what is over, how it ended. */
export function Turn({ task, refunded }: Props) {
  const turn = turnOfTask(task, useNow());
  const sentence = turn ? <Sentence turn={turn} task={task} /> : <Ended task={task} refunded={refunded} />;
  return <TurnLine turn={turn} sentence={sentence} />;
}

/** Who is to do what, in a sentence. */
function Sentence({ turn, task }: { turn: Move; task: DigitalTaskDetail }): ReactNode {
  const { actor, action, legIndex } = turn;
  const { id, legs, terms, paymentPerLeg } = task;
  const number = (legIndex ?? 0) + 1;
  const who =
    actor.role === 'coordinator' || actor.pubkey === null ? t('The coordinator') : <AgentLink pubkey={actor.pubkey} />;
  const pays = <Amount of={task} amount={paymentPerLeg} />;
  const bound = legs[legIndex ?? 0];
  switch (action) {
    case 'claim':
      return rich<ReactNode>('The first agent to claim leg {number} gets it. It pays {pays}.', { number, pays });
    case 'assign':
      return t('The coordinator assigns leg {number} to its agent on the ledger.', { number });
    case 'hand_in':
      return rich<ReactNode>('{who} works on leg {number}, whose result pays {pays}.', { who, number, pays });
    case 'pay':
      return t('The result of leg {number} is handed in. The coordinator confirms it, which pays its agent.', {
        number,
      });
    case 'settle':
      return t('All legs are done. The coordinator settles, which returns what is left of the budget.');
    case 'cancel':
    case 'reclaim':
      return rich<ReactNode>('{who} can {action, select, cancel {cancel} other {reclaim}} it.', { who, action });
    case 'accept':
    case 'review':
    case 'rule':
    case 'crank':
      return (
        terms &&
        bound && (
          <LegSentence kind="task" id={id} turn={turn} leg={bound} pays={paymentPerLeg} terms={terms} of={task} />
        )
      );
    // The other moves are those of packages.
    case 'wait':
    case 'bid':
    case 'form':
    case 'confirm':
    case 'take':
    case 'carry':
    case 'replace':
      break;
  }
  return t('There is nothing to do now.');
}

function Ended({ task, refunded }: Props) {
  const { failureReason, legs, maxBudget } = task;
  const done = legs.filter(({ status }) => status === 'completed');
  return (
    <Ending
      of={task}
      kind="task"
      failureReason={failureReason}
      maxBudget={maxBudget}
      legs={legs.length}
      done={done.map((leg) => ({ ...leg, paid: leg.payment ?? 0n }))}
      refunded={refunded}
    />
  );
}
