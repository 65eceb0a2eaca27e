import type { DigitalTaskDetail } from '@legwork/sdk';
import { useNames } from '../../data/names.js';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { lengthOf, Time } from '../../ui/Time.js';

export function TaskFacts({ task }: { task: DigitalTaskDetail }) {
  const names = useNames();
  const { shipperPubkey: poster, funderPubkey: funder } = task;
  return (
    <Panel title="Facts">
      <Facts
        of={[
          ['Posted by', <Key key="poster" value={poster} page="agent" name={names.get(poster)} />],
          ...(funder === poster ? [] : [['Funded by', <Key key="funder" value={funder} page="account" />] as const]),
          ['Posted', <Time key="posted" at={task.listedAt} />],
          ['Deadline', <Time key="deadline" at={task.deadline} />],
          ['Each leg pays', <Amount key="pays" lamports={task.paymentPerLegLamports} />],
          ['Time for a leg', lengthOf(task.claimTimeoutSec * 1_000)],
          ['Task account', <Key key="task" value={task.onChainTask} page="account" />],
          ['Vault', <Key key="vault" value={task.onChainVault} page="account" />],
          ['Terms hash', <Key key="terms" value={task.termsHash} />],
          ['Id', <Key key="id" value={task.id} isWhole />],
        ]}
      />
    </Panel>
  );
}
