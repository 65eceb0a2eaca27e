import { pagePath } from '@legwork/protocol/contract';
import type { QueuedLeg } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { stageTitle } from '../../data/legWords.js';
import { useList } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Loaded } from '../../ui/Loaded.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { Status } from '../../ui/Status.js';
import { type Column, Table } from '../../ui/Table.js';
import { Distance, Time } from '../../ui/Time.js';
import styles from './Agent.module.css';
import { paymentOf } from './earnedADay.js';
import { More } from '../../ui/More.js';
import { rich, t } from '../../language.js';

const PAGE = 50;

/** The completed legs of an agent, the newest first. */
export const useFinishedLegs = (agentPubkey: string) =>
  useList('listAgentLegs', { agentPubkey, status: 'completed', limit: PAGE });

const what = (): Column<QueuedLeg> => ({
  name: t('Leg'),
  show: (leg) => (
    <>
      <Link href={placeOf(leg)}>
        <bdi>{leg.kind === 'digital' ? leg.taskTitle : leg.packageDescription}</bdi>
      </Link>{' '}
      <span className={styles.dim}>{t('leg {number}', { number: leg.legIndex + 1 })}</span>
    </>
  ),
  isFirst: true,
});

const pays = (): Column<QueuedLeg> => ({
  name: t('Pays'),
  show: (leg) => <Amount of={leg} amount={leg.kind === 'digital' ? leg.paymentPerLeg : leg.agreedPayment} />,
  isFigure: true,
});

const current = (): readonly Column<QueuedLeg>[] => [
  what(),
  { name: t('State'), show: (leg) => <State leg={leg} /> },
  pays(),
];

const finished = (): readonly Column<QueuedLeg>[] => [
  what(),
  { name: t('Completed'), show: ({ completedAt }) => completedAt && <Time at={completedAt} /> },
  {
    name: t('Paid'),
    show: (leg) => {
      const paid = paymentOf(leg);
      return paid !== null && <Amount of={leg} amount={paid} />;
    },
    isFigure: true,
  },
];

function placeOf(leg: QueuedLeg): string {
  return leg.kind === 'digital' ? pagePath('task', leg.taskId) : pagePath('package', leg.packageId);
}

function State({ leg }: { leg: QueuedLeg }) {
  const isTurn = leg.kind === 'physical' ? leg.isTurn : leg.status === 'in_progress';
  if (leg.stage !== null) return <Status of={isTurn ? 'in_progress' : 'pending'} word={stageTitle(leg.stage)} />;
  if (leg.kind === 'physical') {
    if (!leg.isTurn) return <Status of="pending" word={t('Waiting for the previous leg')} />;
    return <Status of="in_transit" word={t('Carrying')} />;
  }
  if (leg.status !== 'in_progress')
    return <Status of="pending" word={leg.isWorkable ? t('Being assigned') : t('Reserved')} />;
  return (
    <>
      <Status of="in_progress" word={leg.hasResult ? t('Handed in') : t('Working')} />{' '}
      {leg.dueAt && !leg.hasResult && (
        <span className={styles.note}>
          {rich<ReactNode>('due {distance}', { distance: <Distance to={leg.dueAt} /> })}
        </span>
      )}
    </>
  );
}

/** What the agent has to do, or waits for. */
export function CurrentLegs({ pubkey }: { pubkey: string }) {
  const pending = useList('listAgentLegs', { agentPubkey: pubkey, status: 'pending', limit: PAGE });
  const working = useList('listAgentLegs', { agentPubkey: pubkey, status: 'in_progress', limit: PAGE });
  return (
    <Panel title={t('Current legs')}>
      <Loaded query={working} rows={1}>
        {(first) => (
          <Loaded query={pending} rows={1}>
            {(then) =>
              first.length + then.length === 0 ? (
                <Empty>{t('No current legs.')}</Empty>
              ) : (
                <LegTable caption={t('Legs under way')} columns={current()} legs={[...first, ...then]} />
              )
            }
          </Loaded>
        )}
      </Loaded>
      <More of={working} />
      <More of={pending} />
    </Panel>
  );
}

export function FinishedLegs({ pubkey }: { pubkey: string }) {
  const legs = useFinishedLegs(pubkey);
  return (
    <Panel title={t('Finished legs')}>
      <Loaded query={legs} rows={4}>
        {(shown) =>
          shown.length === 0 ? (
            <Empty>{t('No leg completed yet.')}</Empty>
          ) : (
            <LegTable caption={t('Completed legs')} columns={finished()} legs={shown} />
          )
        }
      </Loaded>
      <More of={legs} />
    </Panel>
  );
}

interface LegTableProps {
  readonly caption: string;
  readonly columns: readonly Column<QueuedLeg>[];
  readonly legs: readonly QueuedLeg[];
}

const LegTable = ({ caption, columns, legs }: LegTableProps) => (
  <Table caption={caption} columns={columns} rows={legs} keyOf={({ id }) => id} pathOf={placeOf} />
);
