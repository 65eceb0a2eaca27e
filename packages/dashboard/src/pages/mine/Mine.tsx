import { PAGES } from '@legwork/protocol/contract';
import type { DigitalTaskView, PackageView } from '@legwork/sdk';
import { Link } from 'wouter';
import { useNow } from '../../data/clock.js';
import type { Kind, Ways } from '../../data/legWords.js';
import { useList, useRead } from '../../data/service.js';
import { ReceiverLink } from '../../door/ReceiverLink.js';
import { Loaded } from '../../ui/Loaded.js';
import { More } from '../../ui/More.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { Title } from '../../ui/Title.js';
import { WayStatus } from '../../ui/WayStatus.js';
import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { Turn as PackageTurn } from '../package/Turn.js';
import { Turn as TaskTurn } from '../task/Turn.js';
import { exitOfTask } from './exits.js';
import { ExitStep } from './ExitStep.js';
import { HandOver } from './HandOver.js';
import { ReceiveStep } from './ReceiveStep.js';
import styles from './mine.module.css';
import { useWords, WayOut } from './ShipperPanel.js';
import { t } from '../../language.js';

/** What the connected key posted, the newest first: where it stands, and what its poster can do. Rule D-93. */
export default function Mine({ session }: { session: Session }) {
  const shipper = session.account.address;
  const packages = useList('listPackages', { shipper });
  const tasks = useList('listDigitalTasks', { shipper });
  return (
    <>
      <Panel title={t('My packages')} beside={<Link href={PAGES.post}>{t('Post a package')}</Link>}>
        <Loaded query={packages} rows={3}>
          {(items) => (
            <Listed none={t('This key has posted no package.')}>
              {items.map((one) => (
                <MyPackage key={one.id} of={one} session={session} />
              ))}
            </Listed>
          )}
        </Loaded>
        <More of={packages} />
      </Panel>
      <Panel
        title={t('My digital tasks')}
        beside={<Link href={`${PAGES.post}?kind=task`}>{t('Post a digital task')}</Link>}
      >
        <Loaded query={tasks} rows={2}>
          {(items) => (
            <Listed none={t('This key has posted no digital task.')}>
              {items.map((one) => (
                <MyTask key={one.id} of={one} session={session} />
              ))}
            </Listed>
          )}
        </Loaded>
        <More of={tasks} />
      </Panel>
    </>
  );
}

function Listed({ none, children }: { none: string; children: readonly React.ReactNode[] }) {
  if (children.length === 0) {
    return (
      <Empty>
        <p>{none}</p>
      </Empty>
    );
  }
  return <ul className={styles.list}>{children}</ul>;
}

interface HeadProps {
  readonly kind: Kind;
  readonly of: PackageView | DigitalTaskView;
  readonly legs?: Ways['legs'];
}

function Head({ kind, of, legs = [] }: HeadProps) {
  const text = 'title' in of ? of.title : of.description;
  return (
    <h3>
      <Title page={kind} id={of.id} text={text} />{' '}
      <WayStatus of={{ status: of.status, legs }} reason={of.failureReason} />
    </h3>
  );
}

function MyPackage({ of, session }: { of: PackageView; session: Session }) {
  const isOver = of.status === 'delivered' || of.status === 'failed';
  // What is over says it in its line.
  const { data: parcel } = useRead('getPackage', isOver ? 'nothing' : { packageId: of.id });
  const words = useWords(of);
  return (
    <li className={form.step}>
      <Head kind="package" of={parcel ?? of} legs={parcel?.swarm?.legs ?? []} />
      {parcel && !isOver && (
        <>
          <PackageTurn parcel={parcel} refunded={undefined} />
          <ReceiveStep parcel={parcel} session={session} />
          <HandOver parcel={parcel} session={session} />
          {words !== undefined && (
            <details>
              <summary>{t("The receiver's link")}</summary>
              <ReceiverLink packageId={of.id} words={words} />
            </details>
          )}
          <WayOut parcel={parcel} session={session} />
        </>
      )}
    </li>
  );
}

function MyTask({ of, session }: { of: DigitalTaskView; session: Session }) {
  const now = useNow();
  const isOver = of.status === 'completed' || of.status === 'failed';
  const { data: task } = useRead('getDigitalTask', isOver ? 'nothing' : { taskId: of.id });
  return (
    <li className={form.step}>
      <Head kind="task" of={task ?? of} legs={task?.legs ?? []} />
      {task && !isOver && (
        <>
          <TaskTurn task={task} refunded={undefined} />
          <ExitStep kind="task" id={task.id} exit={exitOfTask(task, now)} session={session} />
        </>
      )}
    </li>
  );
}
