import { SOL, type RewardClaim } from '@legwork/sdk';
import { instant } from './claimWindow.js';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import form from '../../wallet/form.module.css';
import { t } from '../../language.js';

/** When a claim was paid, as a link to the transaction; that it was not; that there is nothing to pay. */
export function Payment({ of: { devnetEarningsLamports, paidAt, explorer } }: { of: RewardClaim }) {
  if (devnetEarningsLamports === 0n) return <>{t('nothing to pay')}</>;
  if (paidAt === null) return <>{t('not yet')}</>;
  if (explorer.paidSignature === null) return <>{instant(paidAt)}</>;
  return <a href={explorer.paidSignature}>{instant(paidAt)}</a>;
}

/** The claim of a key. @param isNew it was made now; else it was there before */
export function Claim({ of: claim, isNew }: { of: RewardClaim; isNew: boolean }) {
  const { devnetEarningsLamports, devnetPubkey, mainnetPubkey, mainnetProven, claimedAt } = claim;
  return (
    <Panel title={t('Your claim')} takesFocus>
      <p className={form.notice}>
        {isNew
          ? t('Your claim is registered.')
          : t('This key already has a claim. A key has only one, and it never changes.')}
      </p>
      <Facts
        of={[
          [t('Earnings'), <Amount key="earnings" of={SOL} amount={devnetEarningsLamports} />],
          [t('Key'), <Key key="key" value={devnetPubkey} isWhole />],
          [t('Payout to'), <Key key="payout" value={mainnetPubkey} isWhole />],
          [t('Payout key proven'), mainnetProven ? t('yes, its key signed') : t('no')],
          [t('Registered'), instant(claimedAt)],
          [t('Paid'), <Payment key="paid" of={claim} />],
        ]}
      />
    </Panel>
  );
}
