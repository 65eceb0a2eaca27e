import getPort from 'get-port';
import { PortInUseError } from './errors.js';

const TRIES = 5;

/**
 * Starts something on a free port that has to be known before anything listens there. What another process has put on the
 * port meanwhile is no reason to fail: there are others.
 *
 * @throws PortInUseError, and whatever else `start` throws
 */
export async function onFreePort<T>(host: string, start: (port: number) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const port = await getPort({ host });
    try {
      return await start(port);
    } catch (error) {
      if (!(error instanceof PortInUseError && error.port === port) || tries === TRIES) throw error;
    }
  }
}
