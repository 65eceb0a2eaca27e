import type { PackageDetail } from '@legwork/sdk';
import { useNames } from '../../data/names.js';
import { Amount } from '../../ui/Amount.js';
import { AsData } from '../../ui/AsData.js';
import { CheckOf } from '../../ui/Checks.js';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { Time } from '../../ui/Time.js';
import styles from './Package.module.css';

const FINALITY = {
  confirmed: 'confirmed, not final yet',
  final: 'final',
  reverted: 'taken back by the ledger',
} as const;

/** What was listed, by whom, and where the ledger has it. */
export function FactsPanel({ parcel }: { parcel: PackageDetail }) {
  const names = useNames();
  const agent = (pubkey: string) => <Key value={pubkey} page="agent" name={names.get(pubkey)} />;
  return (
    <Panel folds title="Terms" beside={<CheckOf id="terms" label="Check on the ledger" />}>
      <div className={styles.facts}>
        <Facts
          of={[
            ['Id', <Key key="id" value={parcel.id} />],
            ['Size', `${parcel.weightKg} kg, ${parcel.volumeLitres} litres`],
            ['Budget', <Amount isExact key="budget" of={parcel} amount={parcel.maxBudget} />],
            ['Listed', <Time key="listed" at={parcel.listedAt} />],
            ['Deadline', <Time key="deadline" at={parcel.deadline} />],
            ['Shipper', agent(parcel.shipperPubkey)],
            ...(parcel.funderPubkey === parcel.shipperPubkey ? [] : [['Funder', agent(parcel.funderPubkey)] as const]),
          ]}
        />
        <Facts
          of={[
            ['Terms hash', <Key key="terms" value={parcel.termsHash} />],
            ['Package account', <Key key="package" value={parcel.onChainPackage} page="account" />],
            ['Vault', <Key key="vault" value={parcel.onChainVault} page="account" />],
            ...(parcel.swarm
              ? [['Swarm account', <Key key="swarm" value={parcel.swarm.onChainSwarm} page="account" />] as const]
              : []),
            ['Finality', FINALITY[parcel.finality]],
            ['Data', <AsData key="json" of={parcel} path="packages" />],
          ]}
        />
      </div>
    </Panel>
  );
}
