import { type PackageDetail, toLamports } from '@legwork/sdk';
import { Amount } from '../../ui/Amount.js';

/** How a package ended, and where its money went. */
export function Ending({ parcel }: { parcel: PackageDetail }) {
  const { status, failureReason, swarm, maxBudgetLamports } = parcel;
  const legs = status === 'delivered' || failureReason === 'reclaimed' ? (swarm?.legs ?? []) : [];
  const done = legs.filter((leg) => leg.status === 'completed');
  const paid = done.reduce((sum, leg) => sum + leg.agreedPaymentLamports, 0n);
  const back = toLamports(maxBudgetLamports - paid);
  if (done.length === 0) {
    return (
      <>
        {failureReason === 'reclaimed' ? 'Reclaimed with no leg done' : 'Cancelled before anybody carried it'}: the
        whole budget, <Amount lamports={back} />, went back to its funder.
      </>
    );
  }
  return (
    <>
      {status === 'delivered'
        ? `Delivered by ${done.length === 1 ? 'one courier' : `${done.length} couriers`}`
        : `Reclaimed with ${done.length} of ${legs.length} legs done`}
      : <Amount lamports={toLamports(paid)} /> went to {done.length === 1 ? 'the courier' : 'the couriers'} who brought
      it on, <Amount lamports={back} /> back to its funder.
    </>
  );
}
