import { EVENT_TYPES, type EventType } from '@legwork/protocol/contract';
import type { RelayEvent } from '@legwork/sdk';
import { useState } from 'react';
import { Empty, Panel } from '../../ui/Panel.js';
import { Problem } from '../../ui/Problem.js';
import styles from './developers.module.css';
import { useStream, type Wanted } from './useStream.js';

/** The stream of events as programs get it. */
export function Stream() {
  const { state, start, stop } = useStream();
  return (
    <Panel title="Live events" beside={state.isOn ? `Following, ${state.count} so far` : undefined}>
      <Controls isOn={state.isOn} start={start} stop={stop} />
      {state.error !== undefined && <Problem error={state.error} />}
      {state.events.length === 0 ? (
        <Empty>
          <p>{state.isOn ? 'Nothing yet. Events appear as they happen.' : 'Follow the stream to see its frames.'}</p>
        </Empty>
      ) : (
        <ol className={styles.frames} tabIndex={0} aria-label="Frames, the newest first">
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
        Topic
        <select value={topic} disabled={isOn} onChange={({ target }) => setTopic(target.value as EventType | '')}>
          <option value="">all</option>
          {EVENT_TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </label>
      <label>
        Since number
        <input
          type="number"
          min={0}
          max={Number.MAX_SAFE_INTEGER}
          step={1}
          value={since}
          placeholder="now"
          disabled={isOn}
          onChange={({ target }) => setSince(target.value)}
        />
      </label>
      <button type="submit">{isOn ? 'Stop' : 'Follow'}</button>
    </form>
  );
}

/** As the frame says it: lamports as numbers, instants as text. */
function frameText(event: RelayEvent): string {
  return JSON.stringify(event, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
}
