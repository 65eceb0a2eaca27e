import { SOL, type RewardClaim } from '@legwork/sdk';
import { instant } from './claimWindow.js';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import form from '../../wallet/form.module.css';

/** When a claim was paid, as a link to the transaction; that it was not; that there is nothing to pay. */
export function Payment({ of: { devnetEarningsLamports, paidAt, explorer } }: { of: RewardClaim }) {
  if (devnetEarningsLamports === 0n) return <>nothing to pay</>;
  if (paidAt === null) return <>not yet</>;
  if (explorer.paidSignature === null) return <>{instant(paidAt)}</>;
  return <a href={explorer.paidSignature}>{instant(paidAt)}</a>;
}

/** The claim of a key. @param isNew it was made now; else it was there before */
export function Claim({ of: claim, isNew }: { of: RewardClaim; isNew: boolean }) {
  const { devnetEarningsLamports, devnetPubkey, mainnetPubkey, mainnetProven, claimedAt } = claim;
  return (
    <Panel title="Your claim" takesFocus>
      <p className={form.notice}>
        {isNew
          ? 'Your claim is registered.'
          : 'This key already has a claim. A key has only one, and it never changes.'}
      </p>
      <Facts
        of={[
          ['Earnings', <Amount key="earnings" of={SOL} amount={devnetEarningsLamports} />],
          ['Key', <Key key="key" value={devnetPubkey} isWhole />],
          ['Payout to', <Key key="payout" value={mainnetPubkey} isWhole />],
          ['Payout key proven', mainnetProven ? 'yes, its key signed' : 'no'],
          ['Registered', instant(claimedAt)],
          ['Paid', <Payment key="paid" of={claim} />],
        ]}
      />
    </Panel>
  );
}
