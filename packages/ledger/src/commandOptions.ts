import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { RemoteNode } from './fork/remoteNode.js';
import type { LedgerOptions } from './ledger.js';

export const HELP = `A local Solana for development and tests.

  npx @legwork/ledger [options]

  -l, --data, --ledger <folder>  where the ledger is kept (default: .ledger)
  --ephemeral                    keep nothing: a temporary folder
  -r, --reset                    begin again from the genesis; the keypairs in the folder stay
  --port, --rpc-port <n>         port of the JSON-RPC, 0 for any free one (default: 8899); WebSocket is on the next one
  --port-fallback                when the ports are taken, use the next free pair
  --faucet-port <n>              a faucet over TCP as well (airdrops by JSON-RPC need none)
  --rpc-pubsub-enable-vote-subscription   serve voteSubscribe too (blockSubscribe is always there)
  --slot-ms <n>                  length of a slot in milliseconds (default: 400)
  --ticks-per-slot <n>           the same in ticks of 6.25 ms (64 are 400 ms)
  -w, --warp-slot [slot]         begin to serve in that slot, or in the one in which the cluster of --url is
  --features <set>               of agave-4.2 (default), mainnet-beta, or a file of "solana feature status --output json"
  --immediate                    transactions are final at once, not 32 slots later
  --testing                      allow calls that set accounts and move time
  -q, --quiet                    print nothing but errors
  --log                          print every transaction, with what its programs log
  --help                         this text

Accounts of another cluster:
  -u, --url <rpc>                its node: a URL, mainnet-beta, testnet, devnet, localhost, or their first letter
  -c, --clone <address>...       begin with these accounts of it, programs with their code
  --clone-upgradeable-program <address>...   the same of what has to be an upgradeable program
  --fork <rpc>                   copy an account that is missing here from that node when it is first used

Of a new ledger; ignored when it exists already:
  --account <address> <file>     an account as \`solana account --output json\` writes it; - for the address in the file
  --account-dir <folder>...      every such file in a folder
  --bpf-program <address> <file> a program that nobody can upgrade; an address may be the path of a keypair file
  --upgradeable-program <address> <file> <authority>   one with its upgrade authority, or none
  --mint <address>               gets 500,000,000 SOL
  --slots-per-epoch <n>          length of an epoch, at least 32 (default: 432000)

Options that take a list may be repeated. Point any client at it: solana -u http://127.0.0.1:8899 balance <address>
`;

/** What the command line asks for. */
export type CommandOptions = {
  readonly ledger: LedgerOptions;
  readonly output: 'quiet' | 'log' | 'usual';
};

export class UsageError extends Error {}

/** Options whose values come in groups of so many, as `--account <address> <file>`. */
const GROUPS: Readonly<Record<string, number>> = {
  account: 2,
  'account-dir': 1,
  'bpf-program': 2,
  clone: 1,
  'clone-upgradeable-program': 1,
  'upgradeable-program': 3,
};

/** @returns undefined when help is wanted @throws UsageError, RemoteError */
export async function readOptions(args: readonly string[]): Promise<CommandOptions | undefined> {
  const values = parse(args);
  if (values.help) return undefined;
  if (values.quiet && values.log) throw new UsageError('--quiet cannot be used with --log.');
  const url = values.url === undefined ? undefined : urlOf(values.url);
  const slotMs = slotMsOf(values);
  const warpSlot = await warpSlotOf(values['warp-slot'], url);
  const slotsPerEpoch = wholeNumber(values['slots-per-epoch'], '--slots-per-epoch', 32, 2 ** 32);
  const faucetPort = wholeNumber(values['faucet-port'], '--faucet-port', 0, 65_535);
  const port = values['rpc-port'] ?? values.port;
  const clone = cloneOf(values, url);
  const ledger = {
    ...(values.ephemeral ? {} : { dataDir: resolve(values.ledger ?? values.data) }),
    port: wholeNumber(port, '--port', 0, 65_535) ?? 8899,
    portFallback: values['port-fallback'],
    reset: values.reset,
    ...(slotMs === undefined ? {} : { slotMs }),
    ...(warpSlot === undefined ? {} : { warpSlot }),
    ...(slotsPerEpoch === undefined ? {} : { slotsPerEpoch }),
    ...(faucetPort === undefined ? {} : { faucetPort }),
    ...(values['rpc-pubsub-enable-vote-subscription'] ? { rpcPubsubEnableVoteSubscription: true } : {}),
    ...(values.mint === undefined ? {} : { mint: values.mint }),
    ...(values.features === undefined ? {} : { features: values.features }),
    finality: values.immediate ? 'immediate' : 'delayed',
    testing: values.testing,
    ...givenBy(values),
    ...(clone === undefined ? {} : { clone }),
    ...(values.fork === undefined ? {} : { fork: urlOf(values.fork) }),
    log: (line) => process.stderr.write(`${line}\n`),
  } satisfies LedgerOptions;
  return { ledger, output: values.quiet ? 'quiet' : values.log ? 'log' : 'usual' };
}

const FLAG = { type: 'boolean', default: false } as const;
const TEXT = { type: 'string' } as const;
const LIST = { type: 'string', multiple: true } as const;

const OPTIONS = {
  data: { type: 'string', default: '.ledger' },
  ledger: { type: 'string', short: 'l' },
  ephemeral: FLAG,
  reset: { ...FLAG, short: 'r' },
  port: TEXT,
  'rpc-port': TEXT,
  'port-fallback': FLAG,
  'faucet-port': TEXT,
  'rpc-pubsub-enable-vote-subscription': FLAG,
  // Always on here, and accepted since scripts that start a validator say it.
  'rpc-pubsub-enable-block-subscription': FLAG,
  'slot-ms': TEXT,
  'ticks-per-slot': TEXT,
  'warp-slot': { type: 'string', short: 'w' },
  'slots-per-epoch': TEXT,
  mint: TEXT,
  features: TEXT,
  immediate: FLAG,
  testing: FLAG,
  quiet: { ...FLAG, short: 'q' },
  log: FLAG,
  account: LIST,
  'account-dir': LIST,
  'bpf-program': LIST,
  'upgradeable-program': LIST,
  clone: { ...LIST, short: 'c' },
  'clone-upgradeable-program': LIST,
  url: { type: 'string', short: 'u' },
  fork: TEXT,
  help: { ...FLAG, short: 'h' },
} as const;

type Values = ReturnType<typeof parse>;

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: withOneValueEach(args),
      options: OPTIONS,
    }).values;
  } catch (error) {
    throw new UsageError(
      `${error instanceof Error ? error.message : String(error)}\nRun with --help to see what is possible.`,
    );
  }
}

/** Node reads one value after an option: `--clone a b` becomes `--clone=a --clone=b`, and `--warp-slot` alone has an empty one. */
function withOneValueEach(args: readonly string[]): string[] {
  const read: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const name = arg === '-c' ? 'clone' : arg === '-w' ? 'warp-slot' : arg.replace(/^--/, '');
    const end = args.findIndex((one, index) => index > at && /^-./.test(one));
    const values = args.slice(at + 1, end === -1 ? undefined : end);
    const size = arg.startsWith('-') ? GROUPS[name] : undefined;
    if (size !== undefined) {
      if (values.length === 0 || values.length % size !== 0) throw new UsageError(`--${name} takes ${size} values.`);
      read.push(...values.map((value) => `--${name}=${value}`));
      at += values.length;
    } else if (arg.startsWith('-') && name === 'warp-slot') {
      read.push(`--${name}=${values[0] ?? ''}`);
      at += Math.min(1, values.length);
    } else read.push(arg);
  }
  return read;
}

function givenBy(values: Values): Pick<LedgerOptions, 'account' | 'accountDir' | 'bpfProgram' | 'upgradeableProgram'> {
  const { account, 'account-dir': accountDir, 'bpf-program': bpf, 'upgradeable-program': upgradeable } = values;
  return {
    ...(account && {
      account: groups(account, 2).map(([address = '', file = '']) => (address === '-' ? { file } : { address, file })),
    }),
    ...(accountDir && { accountDir }),
    ...(bpf && { bpfProgram: groups(bpf, 2).map(([address = '', file = '']) => ({ address, file })) }),
    ...(upgradeable && {
      upgradeableProgram: groups(upgradeable, 3).map(([address = '', file = '', authority = '']) => ({
        address,
        file,
        authority,
      })),
    }),
  };
}

function groups(values: readonly string[], size: number): string[][] {
  if (values.length % size !== 0) throw new UsageError(`Write each of the ${size} values of a group after a space.`);
  return Array.from({ length: values.length / size }, (_, at) => values.slice(at * size, (at + 1) * size));
}

function cloneOf(values: Values, from: string | undefined): LedgerOptions['clone'] {
  const { clone: addresses = [], 'clone-upgradeable-program': upgradeablePrograms = [] } = values;
  if (addresses.length + upgradeablePrograms.length === 0) return undefined;
  if (from === undefined) throw new UsageError('--clone and --clone-upgradeable-program need --url.');
  return { from, addresses, upgradeablePrograms };
}

const CLUSTERS = {
  'mainnet-beta': 'https://api.mainnet-beta.solana.com',
  testnet: 'https://api.testnet.solana.com',
  devnet: 'https://api.devnet.solana.com',
  localhost: 'http://localhost:8899',
} as const;

/** The address of a node; a cluster by its name, or by the first letter of that. */
function urlOf(text: string): string {
  const known = Object.entries(CLUSTERS).find(([name]) => text === name || text === name[0]);
  return known?.[1] ?? text;
}

const MS_PER_TICK = 6.25;

function slotMsOf(values: Values): number | undefined {
  const slotMs = wholeNumber(values['slot-ms'], '--slot-ms', 1, 60_000);
  const ticks = wholeNumber(values['ticks-per-slot'], '--ticks-per-slot', 2, 9_600);
  return slotMs ?? (ticks === undefined ? undefined : Math.round(ticks * MS_PER_TICK));
}

/** @throws UsageError, RemoteError when the other cluster does not say where it is */
async function warpSlotOf(text: string | undefined, url: string | undefined): Promise<number | undefined> {
  if (text !== '') return wholeNumber(text, '--warp-slot', 0, Number.MAX_SAFE_INTEGER);
  if (url === undefined) throw new UsageError('--warp-slot without a slot needs --url.');
  return new RemoteNode(url).slot();
}

function wholeNumber(text: string | undefined, name: string, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`${name} is "${text}", expected a whole number from ${least} to ${most}.`);
}
