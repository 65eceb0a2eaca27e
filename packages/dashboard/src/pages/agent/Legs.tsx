import { pagePath } from '@legwork/protocol/contract';
import type { QueuedLeg } from '@legwork/sdk';
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

const PAGE = 50;

/** The completed legs of an agent, the newest first. */
export const useFinishedLegs = (agentPubkey: string) =>
  useList('listAgentLegs', { agentPubkey, status: 'completed', limit: PAGE });

const WHAT: Column<QueuedLeg> = {
  name: 'Leg',
  show: (leg) => (
    <>
      <Link href={placeOf(leg)}>
        <bdi>{leg.kind === 'digital' ? leg.taskTitle : leg.packageDescription}</bdi>
      </Link>{' '}
      <span className={styles.dim}>leg {leg.legIndex + 1}</span>
    </>
  ),
  isFirst: true,
};

const PAYS: Column<QueuedLeg> = {
  name: 'Pays',
  show: (leg) => <Amount of={leg} amount={leg.kind === 'digital' ? leg.paymentPerLeg : leg.agreedPayment} />,
  isFigure: true,
};

const CURRENT: readonly Column<QueuedLeg>[] = [WHAT, { name: 'State', show: (leg) => <State leg={leg} /> }, PAYS];

const FINISHED: readonly Column<QueuedLeg>[] = [
  WHAT,
  { name: 'Completed', show: ({ completedAt }) => completedAt && <Time at={completedAt} /> },
  {
    name: 'Paid',
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
    if (!leg.isTurn) return <Status of="pending" word="Waiting for the previous leg" />;
    return <Status of="in_transit" word="Carrying" />;
  }
  if (leg.status !== 'in_progress')
    return <Status of="pending" word={leg.isWorkable ? 'Being assigned' : 'Reserved'} />;
  return (
    <>
      <Status of="in_progress" word={leg.hasResult ? 'Handed in' : 'Working'} />{' '}
      {leg.dueAt && !leg.hasResult && (
        <span className={styles.note}>
          due <Distance to={leg.dueAt} />
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
    <Panel title="Current legs">
      <Loaded query={working} rows={1}>
        {(first) => (
          <Loaded query={pending} rows={1}>
            {(then) =>
              first.length + then.length === 0 ? (
                <Empty>No current legs.</Empty>
              ) : (
                <LegTable caption="Legs under way" columns={CURRENT} legs={[...first, ...then]} />
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
    <Panel title="Finished legs">
      <Loaded query={legs} rows={4}>
        {(shown) =>
          shown.length === 0 ? (
            <Empty>No leg completed yet.</Empty>
          ) : (
            <LegTable caption="Completed legs" columns={FINISHED} legs={shown} />
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
