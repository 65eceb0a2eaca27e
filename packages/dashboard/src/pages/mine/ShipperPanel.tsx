import { PAGES } from '@legwork/protocol/contract';
import { plainLegToReceive, turnOfPackage } from '@legwork/protocol/rules';
import type { PackageDetail } from '@legwork/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useNow } from '../../data/clock.js';
import { ReceiverLink } from '../../door/ReceiverLink.js';
import { forgetWords, wordsOf } from '../../door/receivers.js';
import { Panel } from '../../ui/Panel.js';
import form from '../../wallet/form.module.css';
import { type Session, useDeviceAgain, useSession } from '../../wallet/session.js';
import { exitOfPackage } from './exits.js';
import { ExitStep } from './ExitStep.js';
import { HandOver } from './HandOver.js';
import { ReceiveStep } from './ReceiveStep.js';
import { rich, t } from '../../language.js';

const isOver = ({ status }: Pick<PackageDetail, 'status'>) => status === 'delivered' || status === 'failed';

/** On the page of a package, for its shipper: the receiver's link, the pickup, and the way out; for who receives it, that it has it. Rule D-93. */
export default function ShipperPanel({ parcel }: { parcel: PackageDetail }) {
  const session = useSession();
  useDeviceAgain();
  const words = useWords(parcel);
  const own = session?.account.address;
  const isOwn = own === parcel.shipperPubkey;
  const receives = own !== undefined && plainLegToReceive(parcel, own) !== undefined;
  if (isOver(parcel)) return null;
  if (!isOwn && !receives && words === undefined) return session ? null : <Receiver parcel={parcel} />;
  return (
    <Panel title={t('Your part')}>
      <div className={form.step}>
        {session && <ReceiveStep parcel={parcel} session={session} />}
        {session && isOwn && <HandOver parcel={parcel} session={session} />}
        {words !== undefined && <ReceiverLink packageId={parcel.id} words={words} />}
        {session && isOwn && <WayOut parcel={parcel} session={session} />}
      </div>
    </Panel>
  );
}

/** Where who receives a leg without terms connects its wallet; with terms, the turns say it. */
function Receiver({ parcel }: { parcel: PackageDetail }) {
  const turn = turnOfPackage(parcel, useNow());
  if (turn?.action !== 'confirm') return null;
  return (
    <p className={form.hint}>
      {turn.actor.role === 'courier'
        ? rich('The next courier confirms having the parcel <page>under its legs, with its wallet</page>.', {
            page: (inside) => <Link href={PAGES.courier}>{inside}</Link>,
          })
        : rich('The shipper confirms having the parcel <page>under its packages, with its wallet</page>.', {
            page: (inside) => <Link href={PAGES.turns}>{inside}</Link>,
          })}
    </p>
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
