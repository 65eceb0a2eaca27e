import { readOptions, HELP, UsageError, type CommandOptions } from './commandOptions.js';
import { startLedger } from './ledger.js';
import { followTransactions } from './transactionLog.js';

/** Exit code for options that the command does not take. */
const WRONG_USAGE = 2;

/** The command `legwork-ledger`: a ledger of its own until Ctrl-C. Ends the process. Rule L-89. */
export async function runCommand(args: readonly string[]): Promise<void> {
  try {
    const options = await readOptions(args);
    if (options === undefined) process.stdout.write(HELP);
    else await run(options);
    process.exit();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof UsageError ? WRONG_USAGE : 1);
  }
}

async function run({ ledger: options, output }: CommandOptions): Promise<void> {
  const stopped = new Promise<void>((stop) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop());
  });
  const ledger = await startLedger(output === 'quiet' ? { ...options, log: () => undefined } : options);
  const kept = options.dataDir === undefined ? 'nothing is kept' : `kept in ${ledger.dataDir}`;
  const faucet = ledger.faucetPort === undefined ? '' : `  Faucet     127.0.0.1:${ledger.faucetPort}\n`;
  if (output !== 'quiet') {
    process.stdout.write(`The ledger is ready: ${kept}. Stop it with Ctrl-C.

  RPC        ${ledger.rpcUrl}
  WebSocket  ${ledger.wsUrl}
${faucet}`);
  }
  if (output === 'log') await followTransactions(ledger.wsUrl, (line) => process.stdout.write(`${line}\n`));
  await stopped;
  await ledger.close();
}
