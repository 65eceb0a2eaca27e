import { type LegworkEvent, PAGES, pagePath } from '@legwork/protocol/contract';
import { useRead } from '../../data/service.js';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { subjectOf } from '../../data/eventWords.js';
import { useLog } from '../../data/live.js';
import { CopyButton } from '../../ui/Key.js';
import { EventWords } from '../../ui/EventWords.js';
import { Loaded } from '../../ui/Loaded.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { Time } from '../../ui/Time.js';
import { untitled } from '../../ui/Title.js';
import styles from './Happening.module.css';
import type { Selection } from './selection.js';
import { t } from '../../language.js';

/** What packages and tasks are called, by id: as far as the map and the events say it. */
function useTitles(events: readonly LegworkEvent[]): ReadonlyMap<string, string> {
  const { data } = useRead('listRelays');
  const packages = (data?.items ?? []).map(({ id, description }) => [id, description] as const);
  const tasks = events.flatMap((event) => (event.type === 'TASK_LISTED' ? [[event.taskId, event.title] as const] : []));
  return new Map([...packages, ...tasks].filter(([, title]) => title.trim() !== ''));
}

/** Events shown. */
const LENGTH = 80;

/** What happens, newest first. It stands still while somebody reads it, and counts what is new. */
export function Happening({ selected, select }: Selection) {
  const log = useLog({ length: LENGTH });
  return (
    <Panel title={t('Happening now')}>
      <Loaded query={log} rows={8}>
        {(events) =>
          events.length === 0 ? <NothingYet /> : <Log events={events} selected={selected} select={select} />
        }
      </Loaded>
    </Panel>
  );
}

function Log({ events, selected, select }: Selection & { events: readonly LegworkEvent[] }) {
  const [heldAt, hold] = useState<number>();
  const list = useRef<HTMLDivElement>(null);
  const titles = useTitles(events);
  const newest = events[0]?.seq;
  const isRead = () =>
    list.current !== null && (list.current.scrollTop > 4 || list.current.matches(':hover, :focus-within'));
  const follow = () => hold((held) => (isRead() ? (held ?? newest) : undefined));
  const shown = heldAt === undefined ? events : events.filter(({ seq }) => seq <= heldAt);
  const isNew = events.length - shown.length;
  return (
    <div className={styles.frame}>
      {isNew > 0 && (
        <button
          type="button"
          className={styles.new}
          onClick={() => {
            list.current?.scrollTo({ top: 0 });
            hold(undefined);
          }}
        >
          {t('{count} new ↑', { count: isNew })}
        </button>
      )}
      <div
        ref={list}
        className={styles.log}
        role="log"
        aria-live="off"
        aria-label={t('Events, newest first')}
        tabIndex={0}
        onScroll={follow}
        onMouseEnter={follow}
        onMouseLeave={follow}
        onFocus={follow}
        onBlur={() => setTimeout(follow)}
      >
        <ol>
          {shown.map((event) => (
            <Row key={event.seq} event={event} title={titles.get(subjectOf(event).id)} {...{ selected, select }} />
          ))}
        </ol>
      </div>
    </div>
  );
}

function Row({ event, title, selected, select }: Selection & { event: LegworkEvent; title: string | undefined }) {
  const { page, id } = subjectOf(event);
  return (
    <li
      className={styles.event}
      aria-current={selected === id || undefined}
      onClick={({ target }) => {
        if ((target as Element).closest('a') === null) select(id);
      }}
      onFocus={() => select(id)}
    >
      <span className={styles.time}>
        <Time at={event.occurredAt} />
      </span>
      <span className={styles.words}>
        <Link href={pagePath(page, id)} className={styles.subject} title={id}>
          <bdi>{title ?? untitled(page, id)}</bdi>
        </Link>{' '}
        <EventWords event={event} />
      </span>
    </li>
  );
}

function NothingYet() {
  const { data: config } = useRead('getConfig');
  const command = `npm run demo -- --url ${config?.publicUrl}`;
  return (
    <Empty>
      <p>{t('Nothing has been posted here yet.')}</p>
      {config?.cluster === 'embedded' && (
        <p className={styles.command}>
          <code>{command}</code>
          <CopyButton value={command} label={t('Copy the command')} />
        </p>
      )}
      <p>
        <Link href={PAGES.developers}>{t('Connect an agent or post a package')}</Link>
      </p>
    </Empty>
  );
}
