import type { RewardClaim } from '@legwork/sdk';
import { useState } from 'react';
import { keyOf, queries, useRead } from '../../data/service.js';
import { Heading } from '../../ui/Heading.js';
import { Loaded } from '../../ui/Loaded.js';
import form from '../../wallet/form.module.css';
import { ByProgram, Earned } from './ByProgram.js';
import { Claim } from './Claim.js';
import { ClaimsList } from './ClaimsList.js';
import { windowWords } from './claimWindow.js';
import { ConnectStep, type Seen } from './ConnectStep.js';
import styles from './rewards.module.css';
import { t } from '../../language.js';

/** The reward programme: what a key earned, its claim, and the claims of all. Rule S-69. */
export default function Rewards() {
  const config = useRead('getConfig');
  return (
    <>
      <Heading title={t('Rewards')} />
      <div className={styles.page}>
        <Loaded query={config}>
          {({ cluster, publicUrl, rewards }) => (
            <>
              <div className={styles.intro}>
                <p>
                  {t(
                    'The organiser matches what completed digital tasks paid a key on {cluster, select, embedded {the ledger of this service} other {{cluster}}}, lamport for lamport, with SOL on mainnet. This is a voluntary gift, neither escrow nor a contract. A payment counts once it is final, after about 15 seconds. Each key has one claim. A claim of 0 is recorded but pays nothing.',
                    { cluster },
                  )}
                </p>
                <Window of={rewards} />
              </div>
              <Steps />
              <ClaimsList />
              <ByProgram url={publicUrl} />
            </>
          )}
        </Loaded>
      </div>
    </>
  );
}

function Window({ of: window }: { of: Parameters<typeof windowWords>[0] }) {
  const { state, rest } = windowWords(window, new Date());
  return (
    <p className={form.notice}>
      <strong>{state}</strong>
      {rest}
    </p>
  );
}

/** From the key to its claim. */
function Steps() {
  const [seen, setSeen] = useState<Seen>();
  const [shown, setShown] = useState<{ claim: RewardClaim; isNew: boolean }>();
  const [looks, setLooks] = useState(0);
  const left = () => {
    setSeen(undefined);
    setShown(undefined);
  };
  const claimed = (claim: RewardClaim, isNew: boolean) => {
    setSeen(undefined);
    setShown({ claim, isNew });
    void queries.invalidateQueries({ queryKey: keyOf('listRewardClaims') });
  };
  const found = (next: Seen) => {
    left();
    setLooks(looks + 1);
    if (next.preview.claim === null) setSeen(next);
    else setShown({ claim: next.preview.claim, isNew: false });
  };
  return (
    <>
      <ConnectStep seen={found} left={left} />
      {seen && <Earned key={looks} seen={seen} claimed={claimed} />}
      {shown && <Claim key={shown.claim.id} of={shown.claim} isNew={shown.isNew} />}
    </>
  );
}
