import type { Bid, PackageDetail } from '@legwork/sdk';
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

/** The bids on a package that no chain was chosen for yet, as they come. */
export function BidsPanel({ parcel }: { parcel: PackageDetail }) {
  const bids = useList('listBids', { packageId: parcel.id });
  const names = useNames();
  return (
    <Panel title="Bids" beside={parcel.status === 'listed' && <Window closesAt={parcel.biddingClosesAt} />}>
      <Loaded query={bids}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>
              <p>{parcel.status === 'listed' ? 'Nobody has bid yet.' : 'Nobody bid.'}</p>
            </Empty>
          ) : (
            <Table caption="Bids" columns={columns(parcel, rows, names)} rows={rows} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {bids.hasNextPage && (
        <button type="button" className={styles.more} onClick={() => void bids.fetchNextPage()}>
          Show more
        </button>
      )}
    </Panel>
  );
}

function Window({ closesAt }: { closesAt: Date | null }) {
  const now = useNow();
  if (closesAt === null || closesAt.getTime() <= now) return 'a chain is chosen as soon as one fits';
  return (
    <>
      sealed until {clockTime(closesAt)}, opens <Distance to={closesAt} />
    </>
  );
}

const STATUS: Readonly<Record<Bid['status'], string>> = {
  live: 'not chosen',
  chosen: 'chosen',
  expired: 'expired',
  replaced: 'replaced',
  withdrawn: 'withdrawn',
  excluded: 'excluded',
};

function columns(parcel: PackageDetail, bids: readonly Bid[], names: ReadonlyMap<string, string>): Column<Bid>[] {
  const reasons: Column<Bid> = {
    name: 'Says',
    isWide: true,
    show: ({ reasoning }) => reasoning && <div className={styles.reasoning}>{reasoning}</div>,
  };
  return [
    {
      name: 'Who',
      isFirst: true,
      show: ({ agentPubkey }) => <Key value={agentPubkey} page="agent" name={names.get(agentPubkey)} />,
    },
    {
      name: 'Bid',
      isFigure: true,
      show: ({ cost }) => (cost === null ? 'sealed' : <Amount of={parcel} amount={cost} />),
    },
    { name: 'Distance', isFigure: true, show: ({ distanceKm }) => `${distanceKm.toFixed(1)} km` },
    {
      name: 'State',
      show: ({ status, expiresAt }) =>
        status === 'live' && parcel.status === 'listed' ? (
          <>
            ends <Distance to={expiresAt} />
          </>
        ) : (
          STATUS[status]
        ),
    },
    ...(bids.some(({ reasoning }) => reasoning) ? [reasons] : []),
  ];
}
