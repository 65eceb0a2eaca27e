import { type EventType, EVENT_TYPES } from '@legwork/protocol/contract';
import { followEvents, type LegworkEvent } from '@legwork/sdk';
import { useEffect, useRef, useState } from 'react';
import { serviceUrl } from '../../data/shell.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { Problem } from '../../ui/Problem.js';
import styles from './developers.module.css';
import { t } from '../../language.js';

/** What of the stream is followed. */
interface Wanted {
  /** None: all. */
  readonly topics: readonly EventType[];
  /** The number after which it begins; undefined: now. */
  readonly since: number | undefined;
}

interface State {
  readonly isOn: boolean;
  /** How many came. */
  readonly count: number;
  /** The newest first, at most {@link SHOWN}. */
  readonly events: readonly LegworkEvent[];
  readonly error?: unknown;
}

const SHOWN = 100;
/** A long past comes at once: it is shown in steps. */
const BATCH_MS = 120;
const OFF: State = { isOn: false, count: 0, events: [] };

/** A stream of events of its own, until it is stopped or the page is left. */
function useStream() {
  const [state, setState] = useState(OFF);
  const running = useRef<AbortController>(undefined);
  const stop = () => {
    running.current?.abort();
    setState((last) => ({ ...last, isOn: false }));
  };
  useEffect(() => () => running.current?.abort(), []);
  const start = (wanted: Wanted) => {
    const control = new AbortController();
    running.current = control;
    setState({ ...OFF, isOn: true });
    const show = (batch: readonly LegworkEvent[]) =>
      setState((last) => ({
        ...last,
        count: last.count + batch.length,
        events: [...batch.toReversed(), ...last.events].slice(0, SHOWN),
      }));
    follow(wanted, control.signal, show).catch((error: unknown) => {
      if (!control.signal.aborted) setState((last) => ({ ...last, isOn: false, error }));
    });
  };
  return { state, start, stop };
}

async function follow(
  { topics, since }: Wanted,
  signal: AbortSignal,
  show: (batch: LegworkEvent[]) => void,
): Promise<void> {
  let waiting: LegworkEvent[] = [];
  const flush = () => {
    if (!signal.aborted) show(waiting);
    waiting = [];
  };
  const options = {
    url: serviceUrl,
    signal,
    ...(since !== undefined && { since }),
    ...(topics.length > 0 && { topics }),
  };
  for await (const event of followEvents(options)) {
    if (waiting.length === 0) setTimeout(flush, BATCH_MS);
    waiting.push(event);
  }
}

/** The stream of events as programs get it. */
export function Stream() {
  const { state, start, stop } = useStream();
  return (
    <Panel
      title={t('Live events')}
      beside={state.isOn ? t('Following, {count} so far', { count: state.count }) : undefined}
    >
      <Controls isOn={state.isOn} start={start} stop={stop} />
      {state.error !== undefined && <Problem error={state.error} />}
      {state.events.length === 0 ? (
        <Empty>
          <p>{state.isOn ? t('Nothing yet. Events appear as they happen.') : t('Follow the stream to see events.')}</p>
        </Empty>
      ) : (
        <ol className={styles.frames} tabIndex={0} aria-label={t('Events, newest first')}>
          {state.events.map((event) => (
            <li key={event.seq}>
              <code>{frameText(event)}</code>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

interface ControlsProps {
  readonly isOn: boolean;
  readonly start: (wanted: Wanted) => void;
  readonly stop: () => void;
}

function Controls({ isOn, start, stop }: ControlsProps) {
  const [topic, setTopic] = useState<EventType | ''>('');
  const [since, setSince] = useState('');
  return (
    <form
      className={styles.controls}
      onSubmit={(event) => {
        event.preventDefault();
        if (isOn) stop();
        else start({ topics: topic === '' ? [] : [topic], since: since === '' ? undefined : Number(since) });
      }}
    >
      <label>
        {t('Topic')}
        <select value={topic} disabled={isOn} onChange={({ target }) => setTopic(target.value as EventType | '')}>
          <option value="">{t('all')}</option>
          {EVENT_TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </label>
      <label>
        {t('Since event number')}
        <input
          type="number"
          min={0}
          max={Number.MAX_SAFE_INTEGER}
          step={1}
          value={since}
          placeholder={t('now')}
          disabled={isOn}
          onChange={({ target }) => setSince(target.value)}
        />
      </label>
      <button type="submit">{isOn ? t('Stop') : t('Follow')}</button>
    </form>
  );
}

/** As the frame says it: lamports as numbers, instants as text. */
function frameText(event: LegworkEvent): string {
  return JSON.stringify(event, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
}
