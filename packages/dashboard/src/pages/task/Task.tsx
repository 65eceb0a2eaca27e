import type { FailureReason } from '@legwork/protocol/contract';
import { type DigitalTaskDetail, RelayApiError } from '@legwork/sdk';
import { useParams } from 'wouter';
import { useRead } from '../../data/service.js';
import { Heading } from '../../ui/Heading.js';
import { Loaded } from '../../ui/Loaded.js';
import { LongText } from '../../ui/LongText.js';
import { Panel } from '../../ui/Panel.js';
import { Status } from '../../ui/Status.js';
import { Distance } from '../../ui/Time.js';
import { TaskFacts } from './TaskFacts.js';
import { Legs } from './Legs.js';
import styles from './Task.module.css';

export default function Task() {
  const { taskId = '' } = useParams<{ taskId: string }>();
  const task = useRead('getDigitalTask', { taskId });
  if (task.data === undefined && isUnknown(task.error)) return <Unknown />;
  return (
    <>
      {task.data === undefined && <Heading title="Digital task" />}
      <Loaded query={task} rows={8}>
        {(shown) => <Shown task={shown} />}
      </Loaded>
    </>
  );
}

/** Nothing has this id; 400: nothing could have it. */
const isUnknown = (error: unknown): boolean =>
  error instanceof RelayApiError && (error.status === 404 || error.status === 400);

function Unknown() {
  return (
    <>
      <Heading title="No such task" />
      <p>No digital task has this id.</p>
    </>
  );
}

const ENDED = { cancelled: 'Cancelled', reclaimed: 'Reclaimed' } as const satisfies Record<FailureReason, string>;

function Shown({ task }: { task: DigitalTaskDetail }) {
  const isUnderWay = task.status === 'listed' || task.status === 'in_progress';
  return (
    <>
      <Heading
        title={task.title}
        beside={
          <>
            <Status of={task.status} {...(task.failureReason && { word: ENDED[task.failureReason] })} />
            {isUnderWay && (
              <span className={styles.dim}>
                deadline <Distance to={task.deadline} />
              </span>
            )}
          </>
        }
      />
      <div className={styles.columns}>
        <div className={styles.column}>
          <Panel title="Legs" beside={`${task.completedLegs} of ${task.numLegs} completed`}>
            <Legs task={task} />
          </Panel>
        </div>
        <div className={styles.column}>
          <Panel title="Goal" beside={task.isPlanned ? 'split into legs by the service' : undefined}>
            <LongText text={task.description} />
          </Panel>
          <TaskFacts task={task} />
        </div>
      </div>
    </>
  );
}
