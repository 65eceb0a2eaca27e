import { createServer } from 'node:net';
import { parsePort } from '../optionValues.js';
import { UsageError, UserError } from '../screen.js';

const USUAL_PORT = 8080;

/**
 * The HTTP port to serve on: the option, else the variable PORT, else the usual one; 0 for any free one.
 *
 * @throws UsageError when PORT is not a port
 */
export function chooseHttpPort(option: number | undefined, ephemeral: boolean): number {
  if (option !== undefined) return option;
  const given = process.env['PORT'];
  if (given === undefined || given === '') return ephemeral ? 0 : USUAL_PORT;
  try {
    return parsePort(given);
  } catch {
    throw new UsageError(`PORT is "${given}"; it must be a whole number from 0 to 65535.`);
  }
}

/**
 * Checks that the port is free before anything slow starts.
 *
 * @throws UserError when it is taken, or may not be used
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  const problem = await new Promise<NodeJS.ErrnoException | undefined>((done) => {
    probe.once('error', done);
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => done(undefined)));
  });
  if (!problem) return;
  const choose = 'Choose another one with --port or the variable PORT.';
  if (problem.code === 'EADDRINUSE') {
    throw new UserError(`Port ${port} on ${host} is taken by another program. ${choose}`);
  }
  throw new UserError(`Port ${port} on ${host} cannot be used (${problem.code ?? problem.message}). ${choose}`);
}
