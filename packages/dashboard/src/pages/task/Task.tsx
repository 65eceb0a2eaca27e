import { isUuid, PAGES } from '@legwork/protocol/contract';
import { type DigitalTaskDetail, LegworkApiError } from '@legwork/sdk';
import { lazy, Suspense } from 'react';
import { Link, useParams } from 'wouter';
import { transactionCheck } from '../../data/escrowChecks.js';
import { signatureOf } from '../../data/eventWords.js';
import { stakesHeld } from '../../data/legWords.js';
import { useNames } from '../../data/names.js';
import { useRead } from '../../data/service.js';
import { Boundary } from '../../ui/Boundary.js';
import { BoundPanel } from '../../ui/BoundPanel.js';
import { CheckOf, Checks } from '../../ui/Checks.js';
import { Heading } from '../../ui/Heading.js';
import { History } from '../../ui/History.js';
import { Loaded } from '../../ui/Loaded.js';
import { LongText } from '../../ui/LongText.js';
import type { MoneyShare } from '../../ui/MoneyBar.js';
import { MoneyPanel, promisedTo } from '../../ui/MoneyPanel.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { HandoffsPanel } from '../../ui/receipts/HandoffsPanel.js';
import { WayStatus } from '../../ui/WayStatus.js';
import { checksOf } from './checksOf.js';
import { FactsPanel } from './FactsPanel.js';
import { Legs } from './Legs.js';
import styles from './Task.module.css';
import { Turn } from './Turn.js';
import { t } from '../../language.js';

/** What its poster can do comes after what everybody reads. */
const PosterPanel = lazy(() => import('../mine/PosterPanel.js'));

export default function Task() {
  const { taskId } = useParams<{ taskId: string }>();
  const task = useRead('getDigitalTask', isUuid(taskId) ? { taskId } : 'nothing');
  const isUnknown = task.error instanceof LegworkApiError && task.error.status === 404;
  if (!isUuid(taskId)) return <Missing says={t('{id} is not a task id.', { id: taskId })} />;
  if (isUnknown && task.data === undefined) return <Missing says={t('No digital task has this id.')} />;
  return (
    <>
      {task.data === undefined && <Heading title={t('Digital task')} />}
      <Loaded query={task} rows={8}>
        {(detail) => <Shown task={detail} />}
      </Loaded>
    </>
  );
}

function Missing({ says }: { says: string }) {
  return (
    <>
      <Heading title={t('Digital task')} />
      <Empty>
        <p className={styles.missing}>{says}</p>
        <Link href={PAGES.tasks}>{t('See all tasks')}</Link>
      </Empty>
    </>
  );
}

function Shown({ task }: { task: DigitalTaskDetail }) {
  const { id, completedLegs, numLegs, status } = task;
  const isUnderWay = status === 'listed' || status === 'in_progress';
  const money = useRead('getTaskMoney', { taskId: id });
  const refunded = money.data?.movements.find(({ what }) => what === 'refund')?.amount;
  const stakes = status === 'in_progress' ? stakesHeld(task.terms, task.legs) : 0n;
  return (
    <Checks of={checksOf(task, money.data)}>
      <Heading title={task.title} beside={<WayStatus of={task} reason={task.failureReason} />} />
      <div className={styles.page}>
        <Turn task={task} refunded={refunded} />
        <Boundary>
          <Suspense>
            <PosterPanel task={task} />
          </Suspense>
        </Boundary>
        <div className={styles.columns}>
          <div className={styles.column}>
            <Panel title={t('Legs')} beside={t('{done} of {legs} completed', { done: completedLegs, legs: numLegs })}>
              <Legs task={task} />
            </Panel>
            {completedLegs > 0 && <HandoffsPanel of={{ task }} />}
            <div className={styles.last}>
              <History
                of={{ task: id }}
                signatureFor={(event) => (event.type === 'TASK_FAILED' ? task.endSignature : signatureOf(event))}
                check={(signature) => <CheckOf id={transactionCheck(signature)} />}
              />
            </div>
          </div>
          <div className={styles.column}>
            <Panel title={t('Goal')} beside={task.isPlanned && t('split into legs by the service')}>
              <LongText text={task.description} />
            </Panel>
            <MoneyPanel query={money} promised={usePromised(task)} isUnderWay={isUnderWay} stakes={stakes} />
            <BoundPanel kind="task" of={task} legs={task.legs} />
            <FactsPanel task={task} />
          </div>
        </div>
      </div>
    </Checks>
  );
}

/** What the legs that are not completed are to pay. */
function usePromised({ status, legs, paymentPerLeg: amount }: DigitalTaskDetail): MoneyShare[] {
  const names = useNames();
  if (status === 'completed' || status === 'failed') return [];
  return legs
    .filter((leg) => leg.status !== 'completed')
    .map(({ id, legIndex, agentPubkey }) =>
      agentPubkey === null
        ? { key: id, name: t('Leg {number}', { number: legIndex + 1 }), amount, look: 'held', note: t('not claimed') }
        : promisedTo({ id, agentPubkey, amount, note: t('once done') }, names),
    );
}
