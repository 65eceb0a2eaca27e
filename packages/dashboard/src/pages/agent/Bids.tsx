import { type AgentBid, pagePath } from '@legwork/protocol/contract';
import { Link } from 'wouter';
import { useList } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Loaded } from '../../ui/Loaded.js';
import { More } from '../../ui/More.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { type Column, Table } from '../../ui/Table.js';
import { Time } from '../../ui/Time.js';
import styles from './Agent.module.css';
import { Fate } from './Fate.js';
import { t } from '../../language.js';

const PAGE = 25;

const columns = (): readonly Column<AgentBid>[] => [
  {
    name: t('Package'),
    show: ({ packageId, packageDescription }) => (
      <Link href={pagePath('package', packageId)}>
        <bdi>{packageDescription}</bdi>
      </Link>
    ),
    isFirst: true,
  },
  {
    name: t('Asks'),
    show: ({ cost, ...of }) =>
      cost === null ? <span className={styles.dim}>{t('sealed')}</span> : <Amount of={of} amount={cost} />,
    isFigure: true,
  },
  { name: t('Outcome'), show: (bid) => <Fate bid={bid} /> },
  { name: t('Made'), show: ({ createdAt }) => <Time at={createdAt} />, isWide: true },
];

/** What the agent bid, and what became of it. */
export function Bids({ pubkey }: { pubkey: string }) {
  const bids = useList('listAgentBids', { agentPubkey: pubkey, limit: PAGE });
  return (
    <Panel title={t('Bids')}>
      <Loaded query={bids} rows={3}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{t('No bids on packages.')}</Empty>
          ) : (
            <Table
              caption={t('Bids made')}
              columns={columns()}
              rows={rows}
              keyOf={({ id }) => id}
              pathOf={({ packageId }) => pagePath('package', packageId)}
            />
          )
        }
      </Loaded>
      <More of={bids} />
    </Panel>
  );
}
