import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LedgerRefusedError, RelayApiError, RelayNetworkError } from '@agent-relay/sdk';
import { prepareCluster } from './cluster.js';
import { DemoError } from './demoError.js';
import { startInstance, startOwnInstance } from './instance.js';
import { tellStory } from './story.js';

const HELP = `npm run demo                         on an instance of its own, which is gone afterwards
npm run demo -- --url <address>      on a running instance
npm run demo -- --rpc-url <address>  on a Solana cluster (a validator, devnet): deploys the program there if needed
                                     and starts a service of its own
  --resume                           finishes what an interrupted run on that instance or cluster left
  --keys <folder>                    where keys are kept with --url and --rpc-url (default: .data/demo)`;

const say = (line: string) => console.log(line);

function readOptions() {
  try {
    return parseArgs({
      options: {
        url: { type: 'string' },
        'rpc-url': { type: 'string' },
        keys: { type: 'string', default: join('.data', 'demo') },
        resume: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new DemoError(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
  }
}

async function main(): Promise<boolean> {
  const { url, 'rpc-url': rpcUrl, keys, resume, help } = readOptions();
  if (help) {
    say(HELP);
    return true;
  }
  if (url !== undefined && rpcUrl !== undefined) {
    throw new DemoError('--url names a running service, --rpc-url a cluster for one of its own: give one of them.');
  }
  if (url !== undefined) return tellStory({ url, home: keys, resume, say });
  if (rpcUrl !== undefined) return onCluster(rpcUrl, keys, resume);
  if (resume)
    throw new DemoError('--resume goes on with a run on a running instance or a cluster: give --url or --rpc-url.');
  return onOwnInstance();
}

async function onCluster(rpcUrl: string, keys: string, resume: boolean): Promise<boolean> {
  const { folder, settings } = await prepareCluster(rpcUrl, keys, say);
  say('Starting a service for it ...');
  const instance = await startInstance(join(folder, 'data'), { settings });
  return stoppingWith(instance.stop, () => tellStory({ url: instance.url, home: folder, resume, say }));
}

async function onOwnInstance(): Promise<boolean> {
  say('Starting an Agent Relay for this demo ...');
  const home = await mkdtemp(join(tmpdir(), 'agent-relay-demo-keys-'));
  const instance = await startOwnInstance();
  const stop = async () => {
    await instance.stop();
    await rm(home, { recursive: true, force: true });
  };
  return stoppingWith(stop, () => tellStory({ url: instance.url, home, resume: false, say }));
}

/** Stops in the end, also when asked to in the middle. */
async function stoppingWith(stop: () => Promise<void>, told: () => Promise<boolean>): Promise<boolean> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(130)));
  }
  try {
    return await told();
  } finally {
    await stop();
  }
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  const expected = [DemoError, RelayApiError, RelayNetworkError, LedgerRefusedError].some(
    (kind) => error instanceof kind,
  );
  if (!expected) throw error;
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
