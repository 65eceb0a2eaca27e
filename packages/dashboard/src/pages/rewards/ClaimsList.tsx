import { SOL, type RewardClaim } from '@legwork/sdk';
import { useList } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Loaded } from '../../ui/Loaded.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { type Column, Table } from '../../ui/Table.js';
import form from '../../wallet/form.module.css';
import { instant } from './claimWindow.js';
import { Payment } from './Claim.js';
import styles from './rewards.module.css';
import { t } from '../../language.js';

/** How many claims come at once. */
export const LISTED = { limit: 25 } as const;

interface Ranked {
  readonly rank: number;
  readonly claim: RewardClaim;
}

/** The key whole, as the organiser pays by it; on a narrow screen it breaks. */
function Claimant({ pubkey }: { pubkey: string }) {
  return (
    <span className={styles.key}>
      <Key value={pubkey} page="agent" isWhole />
    </span>
  );
}

const columns = (): readonly Column<Ranked>[] => [
  { name: t('Rank'), show: ({ rank }) => rank },
  { name: t('Key'), isFirst: true, show: ({ claim }) => <Claimant pubkey={claim.devnetPubkey} /> },
  {
    name: t('Earnings'),
    isFigure: true,
    show: ({ claim }) => <Amount of={SOL} amount={claim.devnetEarningsLamports} />,
  },
  { name: t('Registered'), show: ({ claim }) => instant(claim.claimedAt) },
  { name: t('Paid'), show: ({ claim }) => <Payment of={claim} /> },
];

/** The claims, highest earnings first; of equal ones the earlier. */
export function ClaimsList() {
  const query = useList('listRewardClaims', LISTED);
  return (
    <Panel title={t('Claims so far')} beside={t('Highest earnings first; ties by earlier claim')}>
      <Loaded query={query}>
        {(claims) =>
          claims.length === 0 ? (
            <Empty>
              <p>{t('No claims yet.')}</p>
            </Empty>
          ) : (
            <Table
              caption={t('Claims by rank')}
              columns={columns()}
              rows={claims.map((claim, at) => ({ rank: at + 1, claim }))}
              keyOf={({ claim }) => claim.devnetPubkey}
            />
          )
        }
      </Loaded>
      {query.hasNextPage && (
        <button type="button" className={`${form.button} ${styles.more}`} onClick={() => void query.fetchNextPage()}>
          {t('Show more claims')}
        </button>
      )}
    </Panel>
  );
}
