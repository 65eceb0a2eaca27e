import type { Server } from 'node:http';
import type { AppContext } from '../context.js';
import { startFanout } from './fanout.js';
import { createEventSockets } from './webSocket.js';

/** The event log as clients follow it. */
export interface Events {
  /** Serves `/ws` on this HTTP server. */
  attach(server: Server): void;
  /** How many sockets are open on `/ws`. */
  openSockets(): number;
  /** Closes the sockets (code 1012) and ends the background work. Call it before closing the HTTP server. */
  stop(): Promise<void>;
}

/** Starts handing numbered events to subscribers. */
export async function startEvents(
  context: Pick<AppContext, 'config' | 'db' | 'limits' | 'log' | 'numbered' | 'publicUrl'>,
): Promise<Events> {
  const fanout = await startFanout(context);
  const sockets = createEventSockets(context, fanout);
  return {
    attach: (server) => sockets.attach(server),
    openSockets: () => sockets.open(),
    stop: async () => {
      await sockets.stop();
      await fanout.stop();
    },
  };
}
