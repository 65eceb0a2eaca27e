import { PAGES } from '@legwork/protocol/contract';
import type { PackageView } from '@legwork/sdk';
import { Link } from 'wouter';
import { type Input, useList, useRead } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Choice, Filters, TextFilter, useFilters } from '../../ui/Filters.js';
import { Heading } from '../../ui/Heading.js';
import { LegsDone } from '../../ui/LegsDone.js';
import { Listing, Poster } from '../../ui/Listing.js';
import { WayStatus } from '../../ui/WayStatus.js';
import type { Column } from '../../ui/Table.js';
import { Distance, Time } from '../../ui/Time.js';
import { Title } from '../../ui/Title.js';

const STATUSES: Readonly<Record<PackageView['status'], string>> = {
  listed: 'Listed',
  swarm_forming: 'Forming',
  in_transit: 'In transit',
  delivered: 'Delivered',
  failed: 'Failed',
};

const COLUMNS: readonly Column<PackageView>[] = [
  {
    name: 'Package',
    show: ({ id, description }) => <Title page="package" id={id} text={description} />,
    isFirst: true,
  },
  { name: 'Status', show: (parcel) => <State of={parcel} /> },
  { name: 'Legs', show: ({ id }) => <Legs of={id} /> },
  { name: 'Budget', show: ({ maxBudget, ...of }) => <Amount of={of} amount={maxBudget} />, isFigure: true },
  {
    name: 'Returned',
    show: ({ refund, ...of }) => refund !== null && <Amount of={of} amount={refund} />,
    isFigure: true,
    isWide: true,
  },
  { name: 'Deadline', show: ({ status, deadline }) => !isOver(status) && <Distance to={deadline} /> },
  { name: 'Shipper', show: ({ shipperPubkey }) => <Poster of={shipperPubkey} />, isWide: true },
  { name: 'Listed', show: ({ listedAt }) => <Time at={listedAt} />, isWide: true },
];

/** Every package, the newest first. */
export default function Packages() {
  const given = useFilters<Input<'listPackages'>>('status', 'near', 'radiusKm', 'shipper');
  const list = useList('listPackages', given);
  return (
    <>
      <Heading
        title="Packages"
        beside={<Link href={PAGES.post}>Post a package</Link>}
        says="Parcels that couriers carry leg by leg. Open one to see who has it, bid on it, or check its payments on the ledger."
      />
      <Filters>
        <Choice name="status" label="Status" words={STATUSES} />
        <TextFilter name="near" label="Near" hint="52.52,13.405" />
        <TextFilter name="radiusKm" label="Within" hint="25 km" />
        <TextFilter name="shipper" label="Shipper" hint="Public key" />
      </Filters>
      <Listing
        list={list}
        noun="package"
        page="packages"
        opens="package"
        columns={COLUMNS}
        isFiltered={Object.keys(given).length > 0}
      />
    </>
  );
}

const isOver = (status: PackageView['status']): boolean => status === 'delivered' || status === 'failed';

/** Known of those that the map shows too. */
const useRelay = (of: string) => useRead('listRelays').data?.items.find(({ id }) => id === of);

function State({ of: { id, status, failureReason } }: { of: PackageView }) {
  const relay = useRelay(id);
  return <WayStatus of={{ legs: [], ...relay, status }} reason={failureReason} />;
}

function Legs({ of }: { of: string }) {
  const relay = useRelay(of);
  if (relay === undefined || relay.totalLegs === 0) return null;
  return <LegsDone done={relay.completedLegs} of={relay.totalLegs} isMoving={relay.status === 'in_transit'} />;
}
