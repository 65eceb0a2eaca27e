import type { PackageDetail } from '@legwork/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNow } from '../../data/clock.js';
import { ReceiverLink } from '../../door/ReceiverLink.js';
import { forgetWords, wordsOf } from '../../door/receivers.js';
import { Panel } from '../../ui/Panel.js';
import form from '../../wallet/form.module.css';
import { type Session, useSession } from '../../wallet/session.js';
import { exitOfPackage } from './exits.js';
import { ExitStep } from './ExitStep.js';
import { HandOver } from './HandOver.js';

const isOver = ({ status }: Pick<PackageDetail, 'status'>) => status === 'delivered' || status === 'failed';

/** On the page of a package, for its shipper: the receiver's link, the pickup, and the way out. Rule D-93. */
export default function ShipperPanel({ parcel }: { parcel: PackageDetail }) {
  const session = useSession();
  const words = useWords(parcel);
  const isOwn = session?.account.address === parcel.shipperPubkey;
  if (isOver(parcel) || (!isOwn && words === undefined)) return null;
  return (
    <Panel title="Yours">
      <div className={form.step}>
        {isOwn && <HandOver parcel={parcel} session={session} />}
        {words !== undefined && <ReceiverLink packageId={parcel.id} words={words} />}
        {isOwn && <WayOut parcel={parcel} session={session} />}
      </div>
    </Panel>
  );
}

/** How its shipper can end it now. */
export function WayOut({ parcel, session }: { parcel: PackageDetail; session: Session }) {
  return <ExitStep kind="package" id={parcel.id} exit={exitOfPackage(parcel, useNow())} session={session} />;
}

type Ending = Pick<PackageDetail, 'id' | 'status' | 'finality'>;

/** The receiver's words, if this browser made them; they are forgotten once nothing can bring the package back. */
export function useWords(of: Ending): string | undefined {
  const { id, finality } = of;
  const isUsed = isOver(of) && finality === 'final';
  const { data } = useQuery({
    queryKey: ['receiver', id, isUsed],
    queryFn: async () => {
      if (isUsed) await forgetWords(id);
      return (await wordsOf(id)) ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return data ?? undefined;
}
