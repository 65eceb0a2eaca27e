import type { EventType } from '@legwork/protocol/contract';
import { followEvents, type RelayEvent } from '@legwork/sdk';
import { useEffect, useRef, useState } from 'react';
import { serviceUrl } from '../../data/shell.js';

/** What of the stream is followed. */
export interface Wanted {
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
  readonly events: readonly RelayEvent[];
  readonly error?: unknown;
}

const SHOWN = 100;
/** A long past comes at once: it is shown in steps. */
const BATCH_MS = 120;
const OFF: State = { isOn: false, count: 0, events: [] };

/** A stream of events of its own, until it is stopped or the page is left. */
export function useStream() {
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
    const show = (batch: readonly RelayEvent[]) =>
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
  show: (batch: RelayEvent[]) => void,
): Promise<void> {
  let waiting: RelayEvent[] = [];
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
