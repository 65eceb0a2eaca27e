import { Client } from 'pg';
import type { AppContext } from '../context.js';
import { CONNECT_MS } from '../db/connect.js';
import { EVENTS_CHANNEL, POLL_MS } from './sequencer.js';

/** How often the connection is checked, milliseconds: it only listens, and would not notice its own end. */
const BEAT_MS = 5_000;
/** How long it has to answer a check, milliseconds. */
const ANSWER_WITHIN_MS = 3_000;
/** The number of an event. */
const NUMBER = /^\d{1,19}$/;

/**
 * Calls `onNotify` whenever a replica has numbered events: with the last number, or without one when that is not known. It has a
 * connection of its own (LISTEN belongs to a session, so a pool cannot hold it), and always reconnects, quietly: polling finds what
 * is missed meanwhile.
 */
export function listenForEvents(
  { config, log }: Pick<AppContext, 'config' | 'log'>,
  onNotify: OnNotify,
): { stop: () => void } {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const open = (): void => {
    const opening = createClient(config.databaseUrl, onNotify);
    client = opening;
    opening.on('error', (error) => lost(opening, error));
    opening.on('end', () => lost(opening));
    listen(opening).catch((error: unknown) => lost(opening, error));
  };
  const listen = async (over: Client): Promise<void> => {
    await over.connect();
    await over.query(`listen ${EVENTS_CHANNEL}`);
    onNotify();
    while (client === over) {
      await new Promise((resolve) => (timer = setTimeout(resolve, BEAT_MS)));
      if (client === over) await over.query('select 1');
    }
  };
  const lost = (from: Client, error?: unknown): void => {
    if (client !== from) return;
    client = undefined;
    end(from);
    log.debug({ err: error }, 'the connection for event hints is gone; polling goes on');
    clearTimeout(timer);
    timer = setTimeout(open, POLL_MS);
  };

  open();
  return {
    stop: () => {
      const last = client;
      client = undefined;
      clearTimeout(timer);
      if (last !== undefined) end(last);
    },
  };
}

/** @param last number of an event; an earlier version does not say it */
type OnNotify = (last?: bigint) => void;

function createClient(connectionString: string, onNotify: OnNotify): Client {
  const client = new Client({
    connectionString,
    application_name: 'legwork events',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_WITHIN_MS,
  });
  // Anybody who can write the database can say anything here.
  client.on('notification', ({ payload = '' }) => onNotify(NUMBER.test(payload) ? BigInt(payload) : undefined));
  return client;
}

/** Does not wait: a silent connection would never confirm the end. */
function end(client: Client): void {
  client.end().catch(() => undefined);
}
