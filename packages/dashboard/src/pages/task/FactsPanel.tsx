import type { DigitalTaskDetail } from '@legwork/sdk';
import { useNames } from '../../data/names.js';
import { Amount } from '../../ui/Amount.js';
import { AsData } from '../../ui/AsData.js';
import { CheckOf } from '../../ui/Checks.js';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { lengthOf } from '../../ui/spanOf.js';
import { Time } from '../../ui/Time.js';

const SECOND_MS = 1_000;

/** What was listed, by whom, and where the ledger has it. */
export function FactsPanel({ task }: { task: DigitalTaskDetail }) {
  const names = useNames();
  const agent = (pubkey: string) => <Key value={pubkey} page="agent" name={names.get(pubkey)} />;
  return (
    <Panel folds title="Terms" beside={<CheckOf id="terms" label="Check on the ledger" />}>
      <Facts
        of={[
          ['Id', <Key key="id" value={task.id} />],
          ['Poster', agent(task.shipperPubkey)],
          ...(task.funderPubkey === task.shipperPubkey ? [] : [['Funder', agent(task.funderPubkey)] as const]),
          ['Budget', <Amount isExact key="budget" of={task} amount={task.maxBudget} />],
          ['Each leg pays', <Amount isExact key="pays" of={task} amount={task.paymentPerLeg} />],
          // With terms their clocks count.
          ...(task.terms ? [] : [['Time per leg', lengthOf(task.claimTimeoutSec * SECOND_MS)] as const]),
          ['Listed', <Time key="listed" at={task.listedAt} />],
          ['Deadline', <Time key="deadline" at={task.deadline} />],
          ['Terms hash', <Key key="terms" value={task.termsHash} />],
          ['Task account', <Key key="task" value={task.onChainTask} page="account" />],
          ['Vault', <Key key="vault" value={task.onChainVault} page="account" />],
          ['Data', <AsData key="json" of={task} path="digital-tasks" />],
        ]}
      />
    </Panel>
  );
}
