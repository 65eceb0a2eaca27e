import { createServer } from 'node:net';
import { UserError } from '../userError.js';

/**
 * Looks early whether the port is free, before anything slow is started.
 *
 * @throws UserError when it is not, or may not be used
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
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
