import type { Bid, PackageDetail } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { useNames } from '../../data/names.js';
import { useNow } from '../../data/clock.js';
import { useList } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Loaded } from '../../ui/Loaded.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { type Column, Table } from '../../ui/Table.js';
import { clockTime, Distance } from '../../ui/Time.js';
import styles from './Package.module.css';
import { kmTold } from './Relay.js';
import { m, type Message, rich, t } from '../../language.js';

/** The bids on a package that no chain was chosen for yet, as they come. */
export function BidsPanel({ parcel }: { parcel: PackageDetail }) {
  const bids = useList('listBids', { packageId: parcel.id });
  const names = useNames();
  return (
    <Panel title={t('Bids')} beside={parcel.status === 'listed' && <Window closesAt={parcel.biddingClosesAt} />}>
      <Loaded query={bids}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>
              <p>{parcel.status === 'listed' ? t('Nobody has bid yet.') : t('Nobody bid.')}</p>
            </Empty>
          ) : (
            <Table caption={t('Bids')} columns={columns(parcel, rows, names)} rows={rows} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {bids.hasNextPage && (
        <button type="button" className={styles.more} onClick={() => void bids.fetchNextPage()}>
          {t('Show more')}
        </button>
      )}
    </Panel>
  );
}

function Window({ closesAt }: { closesAt: Date | null }) {
  const now = useNow();
  if (closesAt === null || closesAt.getTime() <= now) return t('a chain is chosen as soon as one fits');
  return rich<ReactNode>('sealed until {time}, opens {distance}', {
    time: clockTime(closesAt),
    distance: <Distance to={closesAt} />,
  });
}

const STATUS: Readonly<Record<Bid['status'], Message>> = {
  live: m('not chosen'),
  chosen: m('chosen'),
  expired: m('expired'),
  replaced: m('replaced'),
  withdrawn: m('withdrawn'),
  excluded: m('excluded'),
};

function columns(parcel: PackageDetail, bids: readonly Bid[], names: ReadonlyMap<string, string>): Column<Bid>[] {
  const reasons: Column<Bid> = {
    name: t('Says'),
    isWide: true,
    show: ({ reasoning }) => reasoning && <div className={styles.reasoning}>{reasoning}</div>,
  };
  return [
    {
      name: t('Who'),
      isFirst: true,
      show: ({ agentPubkey }) => <Key value={agentPubkey} page="agent" name={names.get(agentPubkey)} />,
    },
    {
      name: t('Bid'),
      isFigure: true,
      show: ({ cost }) => (cost === null ? t('sealed') : <Amount of={parcel} amount={cost} />),
    },
    { name: t('Distance'), isFigure: true, show: ({ distanceKm }) => kmTold(distanceKm) },
    {
      name: t('State'),
      show: ({ status, expiresAt }) =>
        status === 'live' && parcel.status === 'listed'
          ? rich<ReactNode>('ends {distance}', { distance: <Distance to={expiresAt} /> })
          : t(STATUS[status]),
    },
    ...(bids.some(({ reasoning }) => reasoning) ? [reasons] : []),
  ];
}
