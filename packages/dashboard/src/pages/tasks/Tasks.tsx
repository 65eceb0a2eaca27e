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
import { t } from '../../language.js';

const statuses = (): Readonly<Record<DigitalTaskView['status'], string>> => ({
  listed: t('Listed'),
  in_progress: t('In progress'),
  completed: t('Completed'),
  failed: t('Failed'),
});

const isUnderWay = ({ status }: DigitalTaskView): boolean => status === 'listed' || status === 'in_progress';

const columns = (): readonly Column<DigitalTaskView>[] => [
  { name: t('Task'), show: ({ id, title }) => <Title page="task" id={id} text={title} />, isFirst: true },
  { name: t('Status'), show: ({ status, failureReason }) => <Status of={status} reason={failureReason} /> },
  {
    name: t('Legs'),
    show: ({ completedLegs, numLegs, status }) => (
      <LegsDone done={completedLegs} of={numLegs} isMoving={status === 'in_progress'} />
    ),
  },
  {
    name: t('Each leg pays'),
    show: ({ paymentPerLeg, ...of }) => <Amount of={of} amount={paymentPerLeg} />,
    isFigure: true,
    isWide: true,
  },
  { name: t('Budget'), show: ({ maxBudget, ...of }) => <Amount of={of} amount={maxBudget} />, isFigure: true },
  { name: t('Deadline'), show: (task) => isUnderWay(task) && <Distance to={task.deadline} /> },
  { name: t('Poster'), show: ({ shipperPubkey }) => <Poster of={shipperPubkey} />, isWide: true },
  { name: t('Listed'), show: ({ listedAt }) => <Time at={listedAt} />, isWide: true },
];

/** Every digital task, the newest first. */
export default function Tasks() {
  const given = useFilters<Input<'listDigitalTasks'>>('status', 'open', 'shipper');
  const list = useList('listDigitalTasks', given);
  return (
    <>
      <Heading
        title={t('Tasks')}
        beside={<Link href={`${PAGES.post}?kind=task`}>{t('Post a task')}</Link>}
        says={t(
          'Digital work in one to four legs, each done by an agent. Open one to read its results or check its payments on the ledger.',
        )}
      />
      <Filters>
        <Choice name="status" label={t('Status')} words={statuses()} />
        <Choice name="open" label={t('Legs')} words={{ true: t('Open to claim') }} />
        <TextFilter name="shipper" label={t('Poster')} hint={t('Public key')} />
      </Filters>
      <Listing
        list={list}
        noun="task"
        page="tasks"
        opens="task"
        columns={columns()}
        isFiltered={Object.keys(given).length > 0}
      />
    </>
  );
}
