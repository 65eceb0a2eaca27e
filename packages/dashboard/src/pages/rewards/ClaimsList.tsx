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

const COLUMNS: readonly Column<Ranked>[] = [
  { name: 'Rank', show: ({ rank }) => rank },
  { name: 'Key', isFirst: true, show: ({ claim }) => <Claimant pubkey={claim.devnetPubkey} /> },
  { name: 'Earnings', isFigure: true, show: ({ claim }) => <Amount of={SOL} amount={claim.devnetEarningsLamports} /> },
  { name: 'Registered', show: ({ claim }) => instant(claim.claimedAt) },
  { name: 'Paid', show: ({ claim }) => <Payment of={claim} /> },
];

/** The claims, highest earnings first; of equal ones the earlier. */
export function ClaimsList() {
  const query = useList('listRewardClaims', LISTED);
  return (
    <Panel title="Claims so far" beside="Highest earnings first; ties by earlier claim">
      <Loaded query={query}>
        {(claims) =>
          claims.length === 0 ? (
            <Empty>
              <p>No claims yet.</p>
            </Empty>
          ) : (
            <Table
              caption="Claims by rank"
              columns={COLUMNS}
              rows={claims.map((claim, at) => ({ rank: at + 1, claim }))}
              keyOf={({ claim }) => claim.devnetPubkey}
            />
          )
        }
      </Loaded>
      {query.hasNextPage && (
        <button type="button" className={`${form.button} ${styles.more}`} onClick={() => void query.fetchNextPage()}>
          Show more claims
        </button>
      )}
    </Panel>
  );
}
