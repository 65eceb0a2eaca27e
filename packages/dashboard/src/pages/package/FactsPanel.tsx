import type { PackageDetail } from '@legwork/sdk';
import { useNames } from '../../data/names.js';
import { Amount } from '../../ui/Amount.js';
import { AsData } from '../../ui/AsData.js';
import { CheckOf } from '../../ui/Checks.js';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { Time } from '../../ui/Time.js';
import styles from './Package.module.css';
import { locale, m, t } from '../../language.js';

const FINALITY = {
  confirmed: m('confirmed, not final yet'),
  final: m('final'),
  reverted: m('taken back by the ledger'),
} as const;

const AS_GIVEN = { useGrouping: false, maximumFractionDigits: 20 };

const sizeOf = ({ weightKg, volumeLitres }: PackageDetail): string =>
  t('{weight} kg, {volume} litres', {
    weight: weightKg.toLocaleString(locale, AS_GIVEN),
    volume: volumeLitres.toLocaleString(locale, AS_GIVEN),
  });

/** What was listed, by whom, and where the ledger has it. */
export function FactsPanel({ parcel }: { parcel: PackageDetail }) {
  const names = useNames();
  const agent = (pubkey: string) => <Key value={pubkey} page="agent" name={names.get(pubkey)} />;
  return (
    <Panel folds title={t('Terms')} beside={<CheckOf id="terms" label={t('Check on the ledger')} />}>
      <div className={styles.facts}>
        <Facts
          of={[
            [t('Id'), <Key key="id" value={parcel.id} />],
            [t('Size'), sizeOf(parcel)],
            [t('Budget'), <Amount isExact key="budget" of={parcel} amount={parcel.maxBudget} />],
            [t('Listed'), <Time key="listed" at={parcel.listedAt} />],
            [t('Deadline'), <Time key="deadline" at={parcel.deadline} />],
            [t('Shipper'), agent(parcel.shipperPubkey)],
            ...(parcel.funderPubkey === parcel.shipperPubkey
              ? []
              : [[t('Funder'), agent(parcel.funderPubkey)] as const]),
          ]}
        />
        <Facts
          of={[
            [t('Terms hash'), <Key key="terms" value={parcel.termsHash} />],
            [t('Package account'), <Key key="package" value={parcel.onChainPackage} page="account" />],
            [t('Vault'), <Key key="vault" value={parcel.onChainVault} page="account" />],
            ...(parcel.swarm
              ? [[t('Swarm account'), <Key key="swarm" value={parcel.swarm.onChainSwarm} page="account" />] as const]
              : []),
            [t('Finality'), t(FINALITY[parcel.finality])],
            [t('Data'), <AsData key="json" of={parcel} path="packages" />],
          ]}
        />
      </div>
    </Panel>
  );
}
