import { PAGES, pagePath } from '@legwork/protocol/contract';
import type { DigitalTaskView } from '@legwork/sdk';
import { Link } from 'wouter';
import { useNames } from '../../data/names.js';
import { type Input, useList } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Choice, Filters, TextFilter, useFilters } from '../../ui/Filters.js';
import { Heading } from '../../ui/Heading.js';
import { Key } from '../../ui/Key.js';
import { LegsDone } from '../../ui/LegsDone.js';
import { Loaded } from '../../ui/Loaded.js';
import { More } from '../../ui/More.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { Status } from '../../ui/Status.js';
import { type Column, Table } from '../../ui/Table.js';
import { Distance, Time } from '../../ui/Time.js';
import { Title } from '../../ui/Title.js';

const STATUSES: Readonly<Record<DigitalTaskView['status'], string>> = {
  listed: 'Listed',
  in_progress: 'In progress',
  completed: 'Completed',
  failed: 'Failed',
};

const isUnderWay = ({ status }: DigitalTaskView): boolean => status === 'listed' || status === 'in_progress';

const COLUMNS: readonly Column<DigitalTaskView>[] = [
  { name: 'Task', show: ({ id, title }) => <Title page="task" id={id} text={title} />, isFirst: true },
  { name: 'Status', show: ({ status, failureReason }) => <Status of={status} reason={failureReason} /> },
  {
    name: 'Legs',
    show: ({ completedLegs, numLegs, status }) => (
      <LegsDone done={completedLegs} of={numLegs} isMoving={status === 'in_progress'} />
    ),
  },
  {
    name: 'A leg pays',
    show: ({ paymentPerLegLamports }) => <Amount lamports={paymentPerLegLamports} />,
    isFigure: true,
    isWide: true,
  },
  { name: 'Budget', show: ({ maxBudgetLamports }) => <Amount lamports={maxBudgetLamports} />, isFigure: true },
  { name: 'Deadline', show: (task) => isUnderWay(task) && <Distance to={task.deadline} /> },
  { name: 'Poster', show: ({ shipperPubkey }) => <Poster of={shipperPubkey} />, isWide: true },
  { name: 'Listed', show: ({ listedAt }) => <Time at={listedAt} />, isWide: true },
];

/** Every digital task, the newest first. */
export default function Tasks() {
  const given = useFilters<Input<'listDigitalTasks'>>('status', 'open', 'shipper');
  const list = useList('listDigitalTasks', given);
  return (
    <>
      <Heading title="Tasks" />
      <Filters>
        <Choice name="status" label="Status" words={STATUSES} />
        <Choice name="open" label="Legs" words={{ true: 'To be claimed now' }} />
        <TextFilter name="shipper" label="Poster" hint="Public key" />
      </Filters>
      <div data-stale={list.isPlaceholderData} aria-busy={list.isPlaceholderData}>
        <Panel title="Newest first">
          <Loaded query={list} rows={12}>
            {(rows) =>
              rows.length === 0 ? (
                <Nothing isFiltered={Object.keys(given).length > 0} />
              ) : (
                <Table
                  caption="Digital tasks, the newest first"
                  columns={COLUMNS}
                  rows={rows}
                  keyOf={({ id }) => id}
                  pathOf={({ id }) => pagePath('task', id)}
                />
              )
            }
          </Loaded>
          <More of={list} />
        </Panel>
      </div>
    </>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty>
      <p>{isFiltered ? 'No task is like that.' : 'No task has been listed yet.'}</p>
      {isFiltered ? <Link href={PAGES.tasks}>Show all</Link> : <Link href={PAGES.developers}>List one</Link>}
    </Empty>
  );
}

function Poster({ of }: { of: string }) {
  return <Key value={of} page="agent" name={useNames().get(of)} />;
}
