import type { RewardClaim } from '@legwork/sdk';
import { Amount } from '../../ui/Amount.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { ClaimForm } from './ClaimForm.js';
import type { Seen } from './ConnectStep.js';
import form from '../../wallet/form.module.css';

/** The second step: what a claim of the key would record; the third one, where the payout goes. */
export function Earned({ seen, claimed }: { seen: Seen; claimed: (claim: RewardClaim, isNew: boolean) => void }) {
  const { devnetEarningsLamports, sponsoredLamports, selfFundedLamports, legs, posters, window } = seen.preview;
  return (
    <>
      <Panel title="2. What your claim would record" takesFocus>
        <Facts
          of={[
            ['Earned by digital tasks', <Amount key="all" lamports={devnetEarningsLamports} />],
            ['of which sponsored', <Amount key="sponsored" lamports={sponsoredLamports} />],
            ['of which self-funded', <Amount key="self" lamports={selfFundedLamports} />],
            ['Completed legs', String(legs)],
            ['Posters', String(posters)],
          ]}
        />
        {!window.isOpen && <p className={form.notice}>Claims are not taken now, so this cannot be registered.</p>}
      </Panel>
      {window.isOpen && <ClaimForm seen={seen} claimed={claimed} />}
    </>
  );
}
