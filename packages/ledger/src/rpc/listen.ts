import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PortInUseError } from '../errors.js';

export type PortChoice = {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Default: the port after `port`. */
  readonly wsPort: number | undefined;
  /** True to try the next pair when one is busy. */
  readonly fallback: boolean;
};

export type Ports = { readonly port: number; readonly wsPort: number };

const MAX_TRIES = 50;

/** Opens the ports of both servers, or neither. Rule L-25. @throws PortInUseError */
export async function listenOnPair(http: Server, webSocket: Server, choice: PortChoice): Promise<Ports> {
  let wanted = choice.port;
  for (let tried = 1; ; tried += 1) {
    try {
      return await tryPair(http, webSocket, { ...choice, port: wanted });
    } catch (error) {
      const maySearch = choice.port === 0 ? choice.wsPort === undefined : choice.fallback;
      if (!(error instanceof PortInUseError) || !maySearch || tried === MAX_TRIES) throw error;
      if (choice.port !== 0) wanted += 2;
    }
  }
}

async function tryPair(http: Server, webSocket: Server, choice: PortChoice): Promise<Ports> {
  const port = await listen(http, choice.host, choice.port);
  // The last port has no next one: let the system choose, which makes the search start over.
  const next = port === 65_535 ? 0 : port + 1;
  try {
    return { port, wsPort: await listen(webSocket, choice.host, choice.wsPort ?? next) };
  } catch (error) {
    await new Promise<void>((resolve) => {
      http.close(() => resolve());
    });
    throw error;
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      reject(error.code === 'EADDRINUSE' ? new PortInUseError(host, port) : error);
    };
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
