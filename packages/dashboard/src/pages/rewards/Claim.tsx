import type { RewardClaim } from '@legwork/sdk';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { instant } from './claimWindow.js';
import { Payment } from './Payment.js';
import form from '../../wallet/form.module.css';

/** The claim of a key. @param isNew it was made now; else it was there before */
export function Claim({ of: claim, isNew }: { of: RewardClaim; isNew: boolean }) {
  const { devnetEarningsLamports, devnetPubkey, mainnetPubkey, mainnetProven, claimedAt } = claim;
  return (
    <Panel title="Your claim" takesFocus>
      <p className={form.notice}>
        {isNew ? 'Your claim is registered.' : 'This key has a claim already. A key has one, and it is never changed.'}
      </p>
      <Facts
        of={[
          ['Earnings', <Amount key="earnings" lamports={devnetEarningsLamports} />],
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
