import { PAGES, pagePath, type Relay } from '@legwork/protocol/contract';
import { Link } from 'wouter';
import { Amount } from '../../ui/Amount.js';
import { LegsDone } from '../../ui/LegsDone.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { type Column, Table } from '../../ui/Table.js';
import { Title } from '../../ui/Title.js';
import { WayStatus } from '../../ui/WayStatus.js';
import { rowsOf } from './order.js';
import type { Selection } from './selection.js';
import { t } from '../../language.js';

const columns = (): readonly Column<Relay>[] => [
  {
    name: t('Package'),
    show: ({ id, description }) => <Title page="package" id={id} text={description} />,
    isFirst: true,
  },
  { name: t('Status'), show: (relay) => <WayStatus of={relay} /> },
  { name: t('Legs'), show: (relay) => <Legs relay={relay} /> },
  {
    name: t('Pays'),
    // What is over pays nothing more than it paid.
    show: ({ status, paid, total, maxBudget, ...of }) => (
      <Amount of={of} amount={status === 'delivered' || status === 'failed' ? paid : (total ?? maxBudget)} />
    ),
    isFigure: true,
  },
];

/** What the map shows, as a table: first what is on its way, then what is open, then what was delivered lately. */
export function Motion({ relays, selected, select }: Selection & { relays: readonly Relay[] }) {
  const rows = rowsOf(relays, selected);
  return (
    <Panel title={t('Packages')} beside={<Link href={PAGES.packages}>{t('All packages')}</Link>}>
      {rows.length === 0 ? (
        <Empty>{t('No package is open or in transit.')}</Empty>
      ) : (
        <Table
          caption={t('Packages on the map')}
          columns={columns()}
          rows={rows}
          keyOf={({ id }) => id}
          pathOf={({ id }) => pagePath('package', id)}
          selected={selected}
          onSelect={select}
        />
      )}
    </Panel>
  );
}

function Legs({ relay: { status, completedLegs, totalLegs } }: { relay: Relay }) {
  return totalLegs > 0 && <LegsDone done={completedLegs} of={totalLegs} isMoving={status === 'in_transit'} />;
}
