import { type LegTurnView, PAGES } from '@legwork/protocol/contract';
import { Link } from 'wouter';
import { useSubject } from '../../pages/turns/subject.js';
import { Amount } from '../../ui/Amount.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { type Column, Table } from '../../ui/Table.js';
import { Distance } from '../../ui/Time.js';
import { untitled } from '../../ui/Title.js';
import { rich, t } from '../../language.js';

/** A leg that waits for its arbiter. */
export type Disputed = LegTurnView;

/** Of what the leg is. */
export const listingIdOf = (turn: Disputed) => (turn.kind === 'package' ? turn.packageId : turn.taskId);

const pathOf = ({ legId }: Disputed) => `${PAGES.desk}?leg=${legId}`;

const columns = (): readonly Column<Disputed>[] => [
  { name: t('Dispute'), show: (turn) => <Named turn={turn} />, isFirst: true },
  { name: t('Ends'), show: ({ until }) => until && <Distance to={until} /> },
  { name: t('Pays'), show: (turn) => <Amount isExact of={turn} amount={turn.payment} />, isFigure: true },
  { name: t('Each stake'), show: (turn) => <Amount isExact of={turn} amount={turn.stake} />, isFigure: true },
];

/** The disputes that wait for a key, those that end first before the others. */
export function Disputes({ of, chosen }: { of: readonly Disputed[]; chosen: string | undefined }) {
  return (
    <Panel title={t('Disputes that wait for you')} beside={of.length > 0 && `${of.length}`}>
      {of.length === 0 ? (
        <Empty>
          <p>
            {t(
              'No dispute waits for this key. Listings name their arbiter when they are posted, and nobody else rules.',
            )}
          </p>
        </Empty>
      ) : (
        <Table
          caption={t('Disputes')}
          columns={columns()}
          rows={of}
          keyOf={({ legId }) => legId}
          pathOf={pathOf}
          selected={chosen}
        />
      )}
    </Panel>
  );
}

function Named({ turn }: { turn: Disputed }) {
  const id = listingIdOf(turn);
  const { data } = useSubject(turn.kind, id, turn.legId);
  return (
    <Link href={pathOf(turn)}>
      {rich('{title}, leg {number}', {
        title: <bdi>{data?.text.trim() || untitled(turn.kind, id)}</bdi>,
        number: turn.legIndex + 1,
      })}
    </Link>
  );
}
