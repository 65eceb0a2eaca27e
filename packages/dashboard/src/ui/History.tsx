import type { LegworkEvent } from '@legwork/sdk';
import { type ReactNode, useState } from 'react';
import { type EventKind, signatureOf, wordsOf } from '../data/eventWords.js';
import { useList } from '../data/service.js';
import { EventWords } from './EventWords.js';
import styles from './History.module.css';
import { OpenIcon } from './icons.js';
import { Key } from './Key.js';
import { Loaded } from './Loaded.js';
import { Panel } from './Panel.js';
import { Time } from './Time.js';
import { m, type Message, t } from '../language.js';

const FILTERS: readonly { readonly name: Message; readonly kind: EventKind | undefined }[] = [
  { name: m('All'), kind: undefined },
  { name: m('Money'), kind: 'money' },
  { name: m('Bids'), kind: 'bid' },
];

/** So many say how it stands; the others are there when they are wanted. */
const FIRST = 6;

interface Props {
  readonly of: { readonly package: string } | { readonly task: string };
  /** The transaction of an event that does not name it itself. */
  readonly signatureFor?: (event: LegworkEvent) => string | null | undefined;
  /** Stands at the end of a row that has a transaction: its check. */
  readonly check?: (signature: string) => ReactNode;
}

/** Everything that happened to a package or a task, newest first; a row opens to what was published of it. */
export function History({ of, signatureFor = signatureOf, check }: Props) {
  const [kind, setKind] = useState<EventKind>();
  const [isWhole, showWhole] = useState(false);
  const events = useList('listEvents', of);
  return (
    <Panel title={t('History')} beside={<Filters kind={kind} choose={setKind} />}>
      <Loaded query={events} rows={5}>
        {(rows) => {
          const wanted = rows.filter((event) => kind === undefined || wordsOf(event).kind === kind);
          const shown = isWhole ? wanted : wanted.slice(0, FIRST);
          return (
            <>
              <ol className={styles.rows}>
                {shown.map((event) => (
                  <Row key={event.seq} event={event} signature={signatureFor(event)} check={check} />
                ))}
              </ol>
              {shown.length < wanted.length && (
                <button type="button" className={styles.more} onClick={() => showWhole(true)}>
                  {t('Show all {count}', { count: wanted.length })}
                </button>
              )}
            </>
          );
        }}
      </Loaded>
      {isWhole && events.hasNextPage && (
        <button type="button" className={styles.more} onClick={() => void events.fetchNextPage()}>
          {t('Show more')}
        </button>
      )}
    </Panel>
  );
}

function Filters({ kind, choose }: { kind: EventKind | undefined; choose: (kind: EventKind | undefined) => void }) {
  return (
    <div className={styles.filters} role="group" aria-label={t('Show')}>
      {FILTERS.map((filter) => (
        <button
          key={t(filter.name)}
          type="button"
          aria-pressed={kind === filter.kind}
          onClick={() => choose(filter.kind)}
        >
          {t(filter.name)}
        </button>
      ))}
    </div>
  );
}

interface RowProps {
  readonly check: Props['check'] | undefined;
  readonly event: LegworkEvent;
  readonly signature: string | null | undefined;
}

function Row({ event, signature, check }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className={styles.row}>
      <button
        type="button"
        className={styles.opener}
        aria-expanded={isOpen}
        aria-label={t('Event {number}', { number: event.seq })}
        onClick={() => setOpen(!isOpen)}
      >
        <OpenIcon />
      </button>
      <span className={styles.time}>
        <Time at={event.occurredAt} />
      </span>
      <span className={styles.words}>
        <EventWords event={event} />
      </span>
      {signature && (
        <span className={styles.proof}>
          <Key value={signature} page="transaction" />
          {check?.(signature)}
        </span>
      )}
      {isOpen && <pre className={styles.whole}>{asText(event)}</pre>}
    </li>
  );
}

/** As it was published, with amounts in lamports. */
function asText(event: LegworkEvent): string {
  return JSON.stringify(event, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value), 2);
}
