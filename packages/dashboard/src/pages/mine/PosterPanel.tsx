import type { DigitalTaskDetail } from '@legwork/sdk';
import { useNow } from '../../data/clock.js';
import { Panel } from '../../ui/Panel.js';
import form from '../../wallet/form.module.css';
import { useDeviceAgain, useSession } from '../../wallet/session.js';
import { exitOfTask } from './exits.js';
import { ExitStep } from './ExitStep.js';
import { t } from '../../language.js';

/** On the page of a digital task, for its poster: the way out. */
export default function PosterPanel({ task }: { task: DigitalTaskDetail }) {
  const session = useSession();
  useDeviceAgain();
  const exit = exitOfTask(task, useNow());
  const isOver = task.status === 'completed' || task.status === 'failed';
  if (isOver || session?.account.address !== task.shipperPubkey) return null;
  return (
    <Panel title={t('Your part')}>
      <div className={form.step}>
        <ExitStep kind="task" id={task.id} exit={exit} session={session} />
      </div>
    </Panel>
  );
}
