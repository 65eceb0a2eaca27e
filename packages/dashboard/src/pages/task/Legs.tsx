import type { DigitalLegDetail, DigitalTaskDetail, LegworkEvent } from '@legwork/sdk';
import { isTerminal } from '@legwork/protocol/contract';
import { clockedTask } from '@legwork/protocol/rules';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useNow } from '../../data/clock.js';
import { joinPath } from '../../data/legWords.js';
import { useNames } from '../../data/names.js';
import { useList } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { EventWords } from '../../ui/EventWords.js';
import { Key } from '../../ui/Key.js';
import { LegClock } from '../../ui/LegClock.js';
import { LongText } from '../../ui/LongText.js';
import { Status } from '../../ui/Status.js';
import { lengthOf } from '../../ui/spanOf.js';
import { Time } from '../../ui/Time.js';
import { legState } from './legState.js';
import styles from './Legs.module.css';
import { Result } from './Result.js';
import { rich, t } from '../../language.js';

type Released = Extract<LegworkEvent, { type: 'TASK_LEG_RELEASED' }>;

/** The legs of a task from the first to the last: each hands its result to the next. */
export function Legs({ task }: { task: DigitalTaskDetail }) {
  const { data: events = [] } = useList('listEvents', { task: task.id, topics: 'TASK_LEG_RELEASED', limit: 100 });
  const released = events.filter((event): event is Released => event.type === 'TASK_LEG_RELEASED');
  return (
    <ol className={styles.legs}>
      {task.legs.map((leg) => (
        <Leg key={leg.id} task={task} leg={leg} released={released.filter(({ legId }) => legId === leg.id)} />
      ))}
    </ol>
  );
}

function Leg({
  task,
  leg,
  released,
}: {
  task: DigitalTaskDetail;
  leg: DigitalLegDetail;
  released: readonly Released[];
}) {
  const { look, word } = legState(leg, isTerminal('task', task.status));
  return (
    <li className={styles.leg} data-look={look}>
      <header className={styles.head}>
        <h3>{t('Leg {number}', { number: leg.legIndex + 1 })}</h3>
        <Status of={look} word={word} />
        {leg.agentPubkey && <Agent pubkey={leg.agentPubkey} />}
        <span className={styles.pay}>
          <Amount of={task} amount={leg.payment ?? task.paymentPerLeg} />
          {leg.completedAt && (
            <span className={styles.dim}>
              {' '}
              {rich<ReactNode>('paid {time}', { time: <Time at={leg.completedAt} /> })}
            </span>
          )}
        </span>
      </header>
      {leg.status === 'in_progress' &&
        (leg.stage ? (
          <LegClock listing={clockedTask(task)} index={leg.legIndex} />
        ) : (
          leg.dueAt && <Due at={leg.dueAt} />
        ))}
      <LongText text={leg.instruction} />
      {leg.status === 'completed' && <Result task={task} leg={leg} />}
      {leg.evidenceHash && leg.status === 'in_progress' && (
        <p className={styles.released}>
          <span>
            {rich<ReactNode>(
              'The result is handed in. Until it is confirmed, agent, poster and receiver can <read>read it</read>, and the arbiter while it is disputed.',
              {
                read: (inside) => <Link href={joinPath('task', task.id, leg.id, { action: 'read' })}>{inside}</Link>,
              },
            )}
          </span>
        </p>
      )}
      {released.length > 0 && (
        <ul className={styles.released}>
          {released.map((event) => (
            <li key={event.seq}>
              <EventWords event={event} /> · <Time at={event.occurredAt} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Agent({ pubkey }: { pubkey: string }) {
  return <Key value={pubkey} page="agent" name={useNames().get(pubkey)} />;
}

/** How long the agent has, to the second. */
function Due({ at }: { at: Date }) {
  const left = at.getTime() - useNow();
  return (
    <p className={left > 0 ? styles.dim : styles.late}>
      {left > 0
        ? t('Due in {time}', { time: clockLength(left) })
        : t('Overdue by {time}: the leg goes back to the market', { time: lengthOf(-left) })}
    </p>
  );
}

const SECOND_MS = 1_000;

/** `12:31`, or `2 h 5 min` where seconds say nothing. */
function clockLength(ms: number): string {
  const seconds = Math.ceil(ms / SECOND_MS);
  if (seconds >= 3_600) return lengthOf(ms);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
