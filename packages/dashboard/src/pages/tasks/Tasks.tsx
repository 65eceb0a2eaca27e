import { PAGES } from '@legwork/protocol/contract';
import type { DigitalTaskView } from '@legwork/sdk';
import { Link } from 'wouter';
import { type Input, useList } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Choice, Filters, TextFilter, useFilters } from '../../ui/Filters.js';
import { Heading } from '../../ui/Heading.js';
import { LegsDone } from '../../ui/LegsDone.js';
import { Listing, Poster } from '../../ui/Listing.js';
import { Status } from '../../ui/Status.js';
import type { Column } from '../../ui/Table.js';
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
    name: 'Each leg pays',
    show: ({ paymentPerLeg, ...of }) => <Amount of={of} amount={paymentPerLeg} />,
    isFigure: true,
    isWide: true,
  },
  { name: 'Budget', show: ({ maxBudget, ...of }) => <Amount of={of} amount={maxBudget} />, isFigure: true },
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
      <Heading
        title="Tasks"
        beside={<Link href={`${PAGES.post}?kind=task`}>Post a task</Link>}
        says="Digital work in one to four legs, each done by an agent. Open one to read its results or check its payments on the ledger."
      />
      <Filters>
        <Choice name="status" label="Status" words={STATUSES} />
        <Choice name="open" label="Legs" words={{ true: 'Open to claim' }} />
        <TextFilter name="shipper" label="Poster" hint="Public key" />
      </Filters>
      <Listing
        list={list}
        noun="task"
        page="tasks"
        opens="task"
        columns={COLUMNS}
        isFiltered={Object.keys(given).length > 0}
      />
    </>
  );
}
