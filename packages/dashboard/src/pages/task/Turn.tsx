import { turnOfTask } from '@legwork/protocol/rules';
import { type DigitalTaskDetail, toLamports } from '@legwork/sdk';
import type { ReactElement } from 'react';
import { useNow } from '../../data/clock.js';
import { AgentLink } from '../../ui/AgentLink.js';
import { Amount } from '../../ui/Amount.js';
import { TurnLine } from '../../ui/TurnLine.js';

type Move = NonNullable<ReturnType<typeof turnOfTask>>;

/** Whose move it is, until when, and what silence costs; of what is over, how it ended. */
export function Turn({ task }: { task: DigitalTaskDetail }) {
  const turn = turnOfTask(task, useNow());
  const sentence = turn ? <Sentence turn={turn} task={task} /> : <Ending task={task} />;
  return <TurnLine turn={turn} sentence={sentence} />;
}

/** Who is to do what, in a sentence. */
function Sentence({
  turn: { actor, action, legIndex },
  task,
}: {
  turn: Move;
  task: DigitalTaskDetail;
}): ReactElement | string {
  const leg = `leg ${(legIndex ?? 0) + 1}`;
  const who =
    actor.role === 'coordinator' || actor.pubkey === null ? 'The coordinator' : <AgentLink pubkey={actor.pubkey} />;
  const pays = <Amount lamports={task.paymentPerLegLamports} />;
  switch (action) {
    case 'claim':
      return (
        <>
          The first agent that claims {leg} has it. It pays {pays}.
        </>
      );
    case 'assign':
      return `The coordinator assigns ${leg} to its agent on the ledger.`;
    case 'hand_in':
      return (
        <>
          {who} works on {leg}, whose result pays {pays}.
        </>
      );
    case 'pay':
      return `The result of ${leg} is handed in. The coordinator confirms it, which pays its agent.`;
    case 'settle':
      return 'All legs are done. The coordinator settles, which returns what is left of the budget.';
    case 'cancel':
    case 'reclaim':
      return (
        <>
          {who} can {action} it.
        </>
      );
    // The other moves are those of packages.
    case 'wait':
    case 'bid':
    case 'form':
    case 'confirm':
    case 'accept':
    case 'take':
    case 'carry':
    case 'review':
    case 'rule':
    case 'crank':
    case 'replace':
      break;
  }
  return 'Nothing can be done now.';
}

/** How it ended, and where its money went. */
function Ending({ task: { failureReason, legs, maxBudgetLamports } }: { task: DigitalTaskDetail }) {
  const done = legs.filter((leg) => leg.status === 'completed');
  const paid = done.reduce((sum, { paymentLamports }) => sum + (paymentLamports ?? 0n), 0n);
  const back = toLamports(maxBudgetLamports - paid);
  if (done.length === 0) {
    return (
      <>
        {failureReason === 'reclaimed' ? 'Reclaimed with no leg done' : 'Cancelled before anybody worked on it'}: the
        whole budget, <Amount lamports={back} />, went back to its funder.
      </>
    );
  }
  const agents = done.length === 1 ? 'one agent' : `${done.length} agents`;
  return (
    <>
      {failureReason === null ? `Done by ${agents}` : `Reclaimed with ${done.length} of ${legs.length} legs done`}:{' '}
      <Amount lamports={toLamports(paid)} /> went to {done.length === 1 ? 'the agent' : 'the agents'} who did it,{' '}
      <Amount lamports={back} /> back to its funder.
    </>
  );
}
