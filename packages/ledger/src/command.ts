import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startLedger, type LedgerOptions } from './ledger.js';

const HELP = `A local Solana for development and tests.

  npx @legwork/ledger [options]

  --data <folder>   where the ledger is kept (default: .ledger)
  --ephemeral       keep nothing: a temporary folder
  --port <n>        port of the JSON-RPC, 0 for any free one (default: 8899); WebSocket is on the next one
  --port-fallback   when the ports are taken, use the next free pair
  --slot-ms <n>     length of a slot in milliseconds (default: 400)
  --immediate       transactions are final at once, not 32 slots later
  --testing         allow calls that set accounts and move time
  --features <set>  of agave-4.2 (default), mainnet-beta, or a file of "solana feature status --output json"
  --clone <address> begin with this account of another cluster, a program with its code; may be repeated
  --url <rpc>       the node from which --clone copies
  --fork <rpc>      copy an account that is missing here from that node when it is first used
  --help            this text

Point any client at it: solana -u http://127.0.0.1:8899 balance <address>
`;

/** Exit code for options that the command does not take. */
const WRONG_USAGE = 2;

/** The command `legwork-ledger`: a ledger of its own until Ctrl-C. Ends the process. */
export async function runCommand(args: readonly string[]): Promise<void> {
  try {
    const options = readOptions(args);
    if (options === undefined) process.stdout.write(HELP);
    else await run(options);
    process.exit();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof UsageError ? WRONG_USAGE : 1);
  }
}

class UsageError extends Error {}

/** @returns undefined when help is wanted @throws UsageError */
function readOptions(args: readonly string[]): LedgerOptions | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const { clone: addresses, url: from, fork } = values;
  if ((addresses === undefined) !== (from === undefined)) throw new UsageError('--clone and --url go together.');
  const slotMs = wholeNumber(values['slot-ms'], '--slot-ms', 1, 60_000);
  return {
    ...(values.ephemeral ? {} : { dataDir: resolve(values.data) }),
    port: wholeNumber(values.port, '--port', 0, 65_535) ?? 8899,
    portFallback: values['port-fallback'],
    ...(slotMs === undefined ? {} : { slotMs }),
    finality: values.immediate ? 'immediate' : 'delayed',
    testing: values.testing,
    ...(values.features === undefined ? {} : { features: values.features }),
    ...(addresses === undefined || from === undefined ? {} : { clone: { addresses, from } }),
    ...(fork === undefined ? {} : { fork }),
    log: (line) => process.stderr.write(`${line}\n`),
  };
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        data: { type: 'string', default: '.ledger' },
        ephemeral: flag,
        port: { type: 'string' },
        'port-fallback': flag,
        'slot-ms': { type: 'string' },
        immediate: flag,
        testing: flag,
        features: { type: 'string' },
        clone: { type: 'string', multiple: true },
        url: { type: 'string' },
        fork: { type: 'string' },
        help: flag,
      },
    }).values;
  } catch (error) {
    throw new UsageError(
      `${error instanceof Error ? error.message : String(error)}\nRun with --help to see what is possible.`,
    );
  }
}

function wholeNumber(text: string | undefined, name: string, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`${name} is "${text}", expected a whole number from ${least} to ${most}.`);
}

async function run(options: LedgerOptions): Promise<void> {
  const stopped = new Promise<void>((stop) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop());
  });
  const ledger = await startLedger(options);
  const kept = options.dataDir === undefined ? 'nothing is kept' : `kept in ${ledger.dataDir}`;
  process.stdout.write(`The ledger is ready: ${kept}. Stop it with Ctrl-C.

  RPC        ${ledger.rpcUrl}
  WebSocket  ${ledger.wsUrl}
`);
  await stopped;
  await ledger.close();
}
