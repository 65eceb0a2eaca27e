import type { Server } from 'node:http';
import type { AppContext } from '../context.js';
import { startFanout } from './fanout.js';
import { startSequencer } from './sequencer.js';
import { createEventSockets } from './webSocket.js';

/** The running event log. */
export interface Events {
  /** Says that a transaction with events was committed: they are numbered and sent at once instead of at the next poll. */
  wake(): void;
  /** Serves `/ws` on this HTTP server. */
  attach(server: Server): void;
  /** How many sockets are open on `/ws`. */
  openSockets(): number;
  /** Closes the sockets (code 1012) and ends the background work. Call it before closing the HTTP server. */
  stop(): Promise<void>;
}

/** Starts numbering events and handing them to subscribers. It has no effect on events but their order. */
export async function startEvents(
  context: Pick<AppContext, 'config' | 'db' | 'limits' | 'log' | 'publicUrl'>,
): Promise<Events> {
  const fanout = await startFanout(context);
  const sequencer = startSequencer(context);
  const sockets = createEventSockets(context, fanout);
  return {
    wake: () => sequencer.wake(),
    attach: (server) => sockets.attach(server),
    openSockets: () => sockets.open(),
    stop: async () => {
      await sockets.stop();
      await Promise.all([fanout.stop(), sequencer.stop()]);
    },
  };
}
