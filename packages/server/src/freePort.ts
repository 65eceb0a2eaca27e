import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { PortInUseError } from './errors.js';

const TRIES = 5;

async function freePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/**
 * Starts something on a free port that has to be known before anything listens there. What another process has put on the
 * port meanwhile is no reason to fail: there are others.
 *
 * @throws PortInUseError, and whatever else `start` throws
 */
export async function onFreePort<T>(host: string, start: (port: number) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const port = await freePort(host);
    try {
      return await start(port);
    } catch (error) {
      if (!(error instanceof PortInUseError && error.port === port) || tries === TRIES) throw error;
    }
  }
}
