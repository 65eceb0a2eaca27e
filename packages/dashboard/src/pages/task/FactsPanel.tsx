import type { DigitalTaskDetail } from '@legwork/sdk';
import { useNames } from '../../data/names.js';
import { Amount } from '../../ui/Amount.js';
import { AsData } from '../../ui/AsData.js';
import { CheckOf } from '../../ui/Checks.js';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { lengthOf } from '../../ui/spanOf.js';
import { Time } from '../../ui/Time.js';
import { t } from '../../language.js';

const SECOND_MS = 1_000;

/** What was listed, by whom, and where the ledger has it. */
export function FactsPanel({ task }: { task: DigitalTaskDetail }) {
  const names = useNames();
  const agent = (pubkey: string) => <Key value={pubkey} page="agent" name={names.get(pubkey)} />;
  return (
    <Panel folds title={t('Terms')} beside={<CheckOf id="terms" label={t('Check on the ledger')} />}>
      <Facts
        of={[
          [t('Id'), <Key key="id" value={task.id} />],
          [t('Poster'), agent(task.shipperPubkey)],
          ...(task.funderPubkey === task.shipperPubkey ? [] : [[t('Funder'), agent(task.funderPubkey)] as const]),
          [t('Budget'), <Amount isExact key="budget" of={task} amount={task.maxBudget} />],
          [t('Each leg pays'), <Amount isExact key="pays" of={task} amount={task.paymentPerLeg} />],
          // With terms their clocks count.
          ...(task.terms ? [] : [[t('Time per leg'), lengthOf(task.claimTimeoutSec * SECOND_MS)] as const]),
          [t('Listed'), <Time key="listed" at={task.listedAt} />],
          [t('Deadline'), <Time key="deadline" at={task.deadline} />],
          [t('Terms hash'), <Key key="terms" value={task.termsHash} />],
          [t('Task account'), <Key key="task" value={task.onChainTask} page="account" />],
          [t('Vault'), <Key key="vault" value={task.onChainVault} page="account" />],
          [t('Data'), <AsData key="json" of={task} path="digital-tasks" />],
        ]}
      />
    </Panel>
  );
}
