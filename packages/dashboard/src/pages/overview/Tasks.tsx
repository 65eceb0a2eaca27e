import { PAGES, pagePath } from '@legwork/protocol/contract';
import type { DigitalTaskView } from '@legwork/sdk';
import { Link } from 'wouter';
import { useList } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { LegsDone } from '../../ui/LegsDone.js';
import { Loaded } from '../../ui/Loaded.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { Status } from '../../ui/Status.js';
import { type Column, Table } from '../../ui/Table.js';
import { Title } from '../../ui/Title.js';
import { t } from '../../language.js';

/** Rows shown; the list of all tasks has the others. */
const LENGTH = 8;

const columns = (): readonly Column<DigitalTaskView>[] => [
  { name: t('Task'), show: ({ id, title }) => <Title page="task" id={id} text={title} />, isFirst: true },
  { name: t('Status'), show: ({ status, failureReason }) => <Status of={status} reason={failureReason} /> },
  {
    name: t('Legs'),
    show: ({ completedLegs, numLegs, status }) => (
      <LegsDone done={completedLegs} of={numLegs} isMoving={status === 'in_progress'} />
    ),
  },
  { name: t('Pays'), show: ({ maxBudget, ...of }) => <Amount of={of} amount={maxBudget} />, isFigure: true },
];

/** The newest digital tasks. */
export function Tasks() {
  const tasks = useList('listDigitalTasks', { limit: LENGTH });
  return (
    <Panel title={t('Tasks')} beside={<Link href={PAGES.tasks}>{t('All tasks')}</Link>}>
      <Loaded query={tasks} rows={LENGTH}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{t('No digital task has been listed yet.')}</Empty>
          ) : (
            <Table
              caption={t('The newest digital tasks')}
              columns={columns()}
              rows={rows.slice(0, LENGTH)}
              keyOf={({ id }) => id}
              pathOf={({ id }) => pagePath('task', id)}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
