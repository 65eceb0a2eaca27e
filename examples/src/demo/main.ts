import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LedgerRefusedError, RelayApiError, RelayNetworkError } from '@agent-relay/sdk';
import { DemoError } from './demoError.js';
import { startOwnInstance } from './instance.js';
import { tellStory } from './story.js';

const HELP = `npm run demo                         on an instance of its own, which is gone afterwards
npm run demo -- --url <address>      on a running instance; keys are kept in .data/demo
npm run demo -- --url <address> --resume
                                     finishes what an interrupted run left
  --keys <folder>                    another folder for the keys`;

function readOptions() {
  try {
    return parseArgs({
      options: {
        url: { type: 'string' },
        keys: { type: 'string' },
        resume: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new DemoError(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
  }
}

const say = (line: string) => console.log(line);

async function main(): Promise<boolean> {
  const { url, keys, resume, help } = readOptions();
  if (help) {
    say(HELP);
    return true;
  }
  if (url !== undefined) return tellStory({ url, home: keys ?? join('.data', 'demo'), resume, say });
  if (resume) throw new DemoError('--resume goes on with a run on a running instance: give its --url.');
  return onOwnInstance();
}

async function onOwnInstance(): Promise<boolean> {
  say('Starting an Agent Relay for this demo ...');
  const home = await mkdtemp(join(tmpdir(), 'agent-relay-demo-keys-'));
  const instance = await startOwnInstance();
  const stop = async () => {
    await instance.stop();
    await rm(home, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(130)));
  }
  try {
    return await tellStory({ url: instance.url, home, resume: false, say });
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
