import { type FailureReason, isUuid, PAGES } from '@legwork/protocol/contract';
import { type DigitalTaskDetail, RelayApiError } from '@legwork/sdk';
import { Link, useParams } from 'wouter';
import { transactionCheck } from '../../data/escrowChecks.js';
import { signatureOf } from '../../data/eventWords.js';
import { useNames } from '../../data/names.js';
import { useRead } from '../../data/service.js';
import { CheckAll, CheckOf, Checks } from '../../ui/Checks.js';
import { Heading } from '../../ui/Heading.js';
import { History } from '../../ui/History.js';
import { Loaded } from '../../ui/Loaded.js';
import { LongText } from '../../ui/LongText.js';
import { MoneyPanel, promisedTo } from '../../ui/MoneyPanel.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { Status } from '../../ui/Status.js';
import { Distance } from '../../ui/Time.js';
import { checksOf } from './checksOf.js';
import { FactsPanel } from './FactsPanel.js';
import { Legs } from './Legs.js';
import styles from './Task.module.css';

export default function Task() {
  const { taskId = '' } = useParams<{ taskId: string }>();
  const task = useRead('getDigitalTask', isUuid(taskId) ? { taskId } : 'nothing');
  const isUnknown = task.error instanceof RelayApiError && task.error.status === 404;
  if (!isUuid(taskId)) return <Missing says={`${taskId} is not an id of a task.`} />;
  if (isUnknown && task.data === undefined) return <Missing says="No digital task has this id." />;
  return (
    <>
      {task.data === undefined && <Heading title="Digital task" />}
      <Loaded query={task} rows={8}>
        {(detail) => <Shown task={detail} />}
      </Loaded>
    </>
  );
}

function Missing({ says }: { says: string }) {
  return (
    <>
      <Heading title="Digital task" />
      <Empty>
        <p className={styles.missing}>{says}</p>
        <Link href={PAGES.tasks}>Look at all tasks</Link>
      </Empty>
    </>
  );
}

function Shown({ task }: { task: DigitalTaskDetail }) {
  const { id, completedLegs, numLegs } = task;
  const money = useRead('getTaskMoney', { taskId: id });
  return (
    <Checks of={checksOf(task, money.data)}>
      <Heading title={task.title} beside={<State task={task} />} />
      <div className={styles.page}>
        <Turn task={task} />
        <div className={styles.columns}>
          <Panel title="Legs" beside={`${completedLegs} of ${numLegs} completed`}>
            <Legs task={task} />
          </Panel>
          <div className={styles.column}>
            <Panel title="Goal" beside={task.isPlanned && 'split into legs by the service'}>
              <LongText text={task.description} />
            </Panel>
            <MoneyPanel query={money} promised={usePromised(task)} isUnderWay={task.status === 'in_progress'} />
            <FactsPanel task={task} />
          </div>
        </div>
        <History
          of={{ task: id }}
          signatureFor={(event) => (event.type === 'TASK_FAILED' ? task.endSignature : signatureOf(event))}
          check={(signature) => <CheckOf id={transactionCheck(signature)} />}
        />
      </div>
    </Checks>
  );
}

/** What agents are to be paid who have a leg. */
function usePromised({ status, legs, paymentPerLegLamports: lamports }: DigitalTaskDetail) {
  const names = useNames();
  if (status === 'completed' || status === 'failed') return [];
  return legs.flatMap(({ id, agentPubkey, completedAt }) =>
    agentPubkey === null || completedAt !== null ? [] : [promisedTo({ id, agentPubkey, lamports, note: 'for its result' }, names)],
  );
}

function Turn({ task }: { task: DigitalTaskDetail }) {
  return (
    <div className={styles.turn}>
      <p>
        Deadline <Distance to={task.deadline} />
      </p>
      <CheckAll />
    </div>
  );
}

const ENDED = { cancelled: 'Cancelled', reclaimed: 'Reclaimed' } as const satisfies Record<FailureReason, string>;

function State({ task: { status, failureReason } }: { task: DigitalTaskDetail }) {
  return failureReason === null ? <Status of={status} /> : <Status of={status} word={ENDED[failureReason]} />;
}
