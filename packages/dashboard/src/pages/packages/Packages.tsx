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
import { t } from '../../language.js';

const statuses = (): Readonly<Record<PackageView['status'], string>> => ({
  listed: t('Listed'),
  swarm_forming: t('Forming'),
  in_transit: t('In transit'),
  delivered: t('Delivered'),
  failed: t('Failed'),
});

const columns = (): readonly Column<PackageView>[] => [
  {
    name: t('Package'),
    show: ({ id, description }) => <Title page="package" id={id} text={description} />,
    isFirst: true,
  },
  { name: t('Status'), show: (parcel) => <State of={parcel} /> },
  { name: t('Legs'), show: ({ id }) => <Legs of={id} /> },
  { name: t('Budget'), show: ({ maxBudget, ...of }) => <Amount of={of} amount={maxBudget} />, isFigure: true },
  {
    name: t('Returned'),
    show: ({ refund, ...of }) => refund !== null && <Amount of={of} amount={refund} />,
    isFigure: true,
    isWide: true,
  },
  { name: t('Deadline'), show: ({ status, deadline }) => !isOver(status) && <Distance to={deadline} /> },
  { name: t('Shipper'), show: ({ shipperPubkey }) => <Poster of={shipperPubkey} />, isWide: true },
  { name: t('Listed'), show: ({ listedAt }) => <Time at={listedAt} />, isWide: true },
];

/** Every package, the newest first. */
export default function Packages() {
  const given = useFilters<Input<'listPackages'>>('status', 'near', 'radiusKm', 'shipper');
  const list = useList('listPackages', given);
  return (
    <>
      <Heading
        title={t('Packages')}
        beside={<Link href={PAGES.post}>{t('Post a package')}</Link>}
        says={t(
          'Parcels that couriers carry leg by leg. Open one to see who has it, bid on it, or check its payments on the ledger.',
        )}
      />
      <Filters>
        <Choice name="status" label={t('Status')} words={statuses()} />
        <TextFilter name="near" label={t('Near')} hint="52.52,13.405" />
        <TextFilter name="radiusKm" label={t('Within')} hint="25 km" />
        <TextFilter name="shipper" label={t('Shipper')} hint={t('Public key')} />
      </Filters>
      <Listing
        list={list}
        noun="package"
        page="packages"
        opens="package"
        columns={columns()}
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
