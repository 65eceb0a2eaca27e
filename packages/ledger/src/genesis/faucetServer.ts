import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { PortInUseError } from '../errors.js';
import type { Faucet } from './faucet.js';

/** A request as Agave's faucet takes it: 0 for an airdrop (4 bytes), lamports (8), recipient (32) and blockhash (32). */
const REQUEST_BYTES = 76;
/** The answer to anything else. */
const REFUSAL = Buffer.alloc(2);
const MAX_CONNECTIONS = 100;
const IDLE_MS = 30_000;

export type FaucetServer = { readonly port: number; readonly close: () => Promise<void> };

/**
 * Serves airdrops over TCP as Agave's faucet does: it answers the length of a transaction, in two bytes, and the transaction, signed.
 * The client sends it. Rule L-90.
 *
 * @throws PortInUseError
 */
export async function serveFaucet(faucet: Faucet, host: string, port: number): Promise<FaucetServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket, faucet);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, host, port);
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((closed) => {
      server.close(() => closed());
    });
  };
  return { port: (server.address() as AddressInfo).port, close };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortInUseError(host, port) : error);
    });
    server.listen({ host, port }, resolve);
  });
}

function serve(socket: Socket, faucet: Faucet): void {
  let read = Buffer.alloc(0);
  let last: Promise<unknown> = Promise.resolve();
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    read = Buffer.concat([read, bytes]);
    for (; read.length >= REQUEST_BYTES; read = read.subarray(REQUEST_BYTES)) {
      const request = read.subarray(0, REQUEST_BYTES);
      last = last.then(async () => socket.write(await answer(request, faucet)));
    }
    // Nobody gets further ahead than what one read brings: each request costs a signature.
    socket.pause();
    void last.then(() => socket.resume());
  });
}

async function answer(request: Buffer, faucet: Faucet): Promise<Buffer> {
  if (request.readUInt32LE(0) !== 0) return REFUSAL;
  const { wire } = await faucet.sign(request.subarray(12, 44), request.readBigUInt64LE(4), request.subarray(44));
  const length = Buffer.alloc(2);
  length.writeUInt16LE(wire.length, 0);
  return Buffer.concat([length, wire]);
}
