import { Client } from 'pg';
import type { AppContext } from '../context.js';
import { EVENTS_CHANNEL, POLL_MS } from './channel.js';

/**
 * Calls `onNotify` whenever any replica numbered events, over a connection of its own (LISTEN belongs to a session, so a
 * pool cannot hold it). It reconnects for ever and quietly: what is missed meanwhile, polling finds.
 */
export function listenForEvents(
  { config, log }: Pick<AppContext, 'config' | 'log'>,
  onNotify: () => void,
): { stop: () => Promise<void> } {
  let client: Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;

  const open = async (): Promise<void> => {
    const opening = new Client({ connectionString: config.databaseUrl, application_name: 'agent-relay events' });
    client = opening;
    const lost = (error?: Error): void => {
      if (client !== opening) return;
      client = undefined;
      if (stopped) return;
      log.debug({ err: error }, 'the connection for event hints is gone; polling goes on');
      retry = setTimeout(() => void open(), POLL_MS);
    };
    opening.on('error', lost);
    opening.on('end', () => lost());
    opening.on('notification', onNotify);
    try {
      await opening.connect();
      await opening.query(`listen ${EVENTS_CHANNEL}`);
      onNotify();
    } catch (error) {
      lost(error instanceof Error ? error : undefined);
      await opening.end().catch(() => undefined);
    }
  };

  const opened = open();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(retry);
      await opened;
      await client?.end().catch(() => undefined);
    },
  };
}
