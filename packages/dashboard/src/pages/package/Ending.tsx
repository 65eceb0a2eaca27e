import { type Lamports, type PackageDetail, toLamports } from '@legwork/sdk';
import { Amount } from '../../ui/Amount.js';

interface Props {
  readonly parcel: PackageDetail;
  /** What went back to its funder: with terms, stakes that were lost as well; undefined: not read yet. */
  readonly refunded: Lamports | undefined;
}

/** How a package ended, and where its money went. */
export function Ending({ parcel, refunded }: Props) {
  const { status, failureReason, swarm, maxBudgetLamports } = parcel;
  const legs = status === 'delivered' || failureReason === 'reclaimed' ? (swarm?.legs ?? []) : [];
  const done = legs.filter((leg) => leg.status === 'completed');
  const paid = done.reduce((sum, leg) => sum + (leg.paidLamports ?? leg.agreedPaymentLamports), 0n);
  const back = refunded ?? toLamports(maxBudgetLamports - paid);
  if (done.length === 0) {
    return (
      <>
        {failureReason === 'reclaimed' ? 'Reclaimed with no leg done' : 'Cancelled before anybody carried it'}: the
        whole budget, <Amount lamports={maxBudgetLamports} />, went back to its funder
        {back > maxBudgetLamports && (
          <>
            , and stakes of <Amount lamports={back - maxBudgetLamports} />
          </>
        )}
        .
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
