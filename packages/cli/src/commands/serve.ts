import { Command } from 'commander';
import { Closers, listenForStop } from '../closers.js';
import { UserError } from '../screen.js';

/** The promise is 10 seconds; the next start finishes the rest. */
const DRAIN_MS = 9500;

const HELP = `
The environment configures it; DATABASE_URL, SOLANA_RPC_URL, RELAY_PROGRAM_ID and COORDINATOR_KEYPAIR
are needed, docs/operators/configuration.md has the whole list. Any number of these may share one database.
SIGTERM finishes what is under way and ends within 10 seconds. There is no --json: its log is lines of JSON.

Example:
  legwork serve`;

/** `legwork serve`: the service alone, as an operator runs it; its log goes to stdout, one line of JSON per entry. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service alone, configured by the environment; for operators')
    .addHelpText('after', HELP)
    .action(serve);
}

async function serve(): Promise<void> {
  const { loadConfig, startServer } = await import('@legwork/server');
  const stop = listenForStop(() => process.exit(1));
  const config = loadConfig(process.env);
  const closers = new Closers();
  const starting = startServer(config, { signal: stop.signal }).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
    return undefined;
  });
  // Works during the start too: a database that does not answer must not keep the process alive.
  closers.add('The service', async () => (await starting)?.close());
  await Promise.race([starting, stop.requested]);
  await stop.requested;
  const problems = await closers.close(DRAIN_MS);
  if (problems.length > 0) throw new UserError(problems.join(' '));
}
