import { Command, Option } from 'commander';
import { Closers, listenForStop, type StopSignal } from '../closers.js';
import { parsePort } from '../optionValues.js';
import type { Running, StartOptions } from '../start/bringUp.js';
import { printDone, UserError } from '../screen.js';

/** The promise is 10 seconds; two of them are reserved for a forced end. */
const CLOSE_MS = 7500;

const HELP = `
Everything is kept in the data folder, so the next start goes on where this one stopped, also after a crash.
With DATABASE_URL set your own PostgreSQL is used; with SOLANA_RPC_URL (and RELAY_PROGRAM_ID and
COORDINATOR_KEYPAIR) your own cluster. docs/operators/configuration.md has every setting.

Example:
  legwork start --ephemeral

  legwork start
  legwork start --data ~/relay --port 9000
  legwork start --https`;

/** `legwork start`: PostgreSQL, the ledger and the service, on this machine, all at once. */
export function startCommand(): Command {
  return new Command('start')
    .description('start everything on this machine: PostgreSQL, the ledger and the service')
    .addOption(new Option('--data <folder>', 'where everything is kept (default: .data)'))
    .addOption(
      new Option('--ephemeral', 'use a temporary folder that is removed at the end').default(false).conflicts('data'),
    )
    .addOption(new Option('--port <n>', 'HTTP port (default: PORT, else 8080; 0: any)').argParser(parsePort))
    .addOption(
      new Option('--ledger-port <n>', "port of the ledger's RPC (default: 8899 or the next free)").argParser(parsePort),
    )
    .option('--https', 'serve https on the local network, so that phones can sign; prints a QR code', false)
    .option('--testing', 'enable test-only calls, such as moving time forward', false)
    .option('--json', 'print where it is as one line of JSON; all else is on standard error', false)
    .addHelpText('after', HELP)
    .action(start);
}

async function start(options: StartOptions): Promise<void> {
  const began = performance.now();
  const closers = new Closers();
  const stop = listenForStop(() => {
    process.stderr.write('Stopped at once, not in order; the next start puts things right.\n');
    void closers.force().then(() => process.exit(1));
  });
  const problems: string[] = [];
  try {
    await run(options, closers, stop, began);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    problems.push(...(await closers.close(CLOSE_MS)));
  }
  if (problems.length > 0) throw new UserError(problems.join(' '));
  tellBy(options)(options.ephemeral ? 'Stopped.' : 'Stopped; everything is kept.');
}

/** Says how it goes. */
const tellBy =
  ({ json }: StartOptions) =>
  (line: string) =>
    void (json ? process.stderr : process.stdout).write(`${line}\n`);

async function run(options: StartOptions, closers: Closers, stop: StopSignal, began: number): Promise<void> {
  const tell = tellBy(options);
  const { bringUp, USUAL_LEDGER_PORT } = await import('../start/bringUp.js');
  const { phoneBlock, readyBlock } = await import('../start/readyBlock.js');
  const running = await bringUp(options, closers, tell, stop.signal);
  const usedPort = running.ledger && Number(new URL(running.ledger.facts.rpcUrl).port);
  const usual = options.ephemeral || options.ledgerPort !== undefined || usedPort === USUAL_LEDGER_PORT;
  await printDone(
    options.json,
    running.instance,
    readyBlock(running.instance, {
      seconds: (performance.now() - began) / 1000,
      ephemeral: options.ephemeral,
      takenLedgerPort: usual || usedPort === undefined ? undefined : USUAL_LEDGER_PORT,
    }),
  );
  if (running.secure) tell((await phoneBlock(running.secure)).trimEnd());
  await untilTheEnd(running, stop);
  tell('\nStopping ...');
}

/** Resolves when asked to stop; @throws UserError when the ledger is lost for good. */
async function untilTheEnd({ ledger, log }: Running, stop: StopSignal): Promise<void> {
  const reason = await Promise.race([stop.requested, ledger?.lost ?? stop.requested]);
  if (typeof reason !== 'string') return;
  log.fatal(reason);
  throw new UserError(reason);
}
