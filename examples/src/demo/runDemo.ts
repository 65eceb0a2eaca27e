import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LedgerRefusedError, LegworkApiError, LegworkNetworkError } from '@legwork/sdk';
import { prepareCluster } from './cluster.js';
import { DemoError } from './stage.js';
import { startInstance, startOwnInstance } from './instance.js';
import { tellStory } from './story.js';
import type { Plot, StoryOptions } from './story.js';

/** Where keys are kept, unless the caller says otherwise. */
const KEYS = join('.data', 'demo');

const say = (line: string) => console.log(line);

/**
 * Runs a demo as the options of the command line say. The exit code is 0 when everything came out right, else 1.
 *
 * @param command how the demo is called, for the help
 */
export async function runDemo(command: string, plot: Plot): Promise<void> {
  try {
    process.exitCode = (await play(command, plot)) ? 0 : 1;
  } catch (error) {
    const expected = [DemoError, LegworkApiError, LegworkNetworkError, LedgerRefusedError].some(
      (kind) => error instanceof kind,
    );
    if (!expected) throw error;
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

async function play(command: string, plot: Plot): Promise<boolean> {
  const { url, 'rpc-url': rpcUrl, keys, resume, help } = readOptions(command);
  if (help) {
    say(helpOn(command));
    return true;
  }
  if (url !== undefined && rpcUrl !== undefined) {
    throw new DemoError('--url names a running service, --rpc-url a cluster for one of its own: give one of them.');
  }
  if (resume && plot.movesTime) throw new DemoError('Clocks went on since this demo was interrupted: play it again.');
  const kept = keys === KEYS ? '' : ` --keys ${keys}`;
  if (url !== undefined) {
    return tellStory(plot, {
      url,
      home: keys,
      stays: true,
      resume,
      resumedBy: `${command} -- --url ${url}${kept} --resume`,
      say,
    });
  }
  if (rpcUrl !== undefined) {
    const resumedBy = `${command} -- --rpc-url ${rpcUrl}${kept} --resume`;
    return onCluster(plot, rpcUrl, { keys, resume, resumedBy });
  }
  if (resume)
    throw new DemoError('--resume goes on with a run on a running instance or a cluster: give --url or --rpc-url.');
  return onOwnInstance(plot);
}

function readOptions(command: string) {
  try {
    return parseArgs({
      options: {
        url: { type: 'string' },
        'rpc-url': { type: 'string' },
        keys: { type: 'string', default: KEYS },
        resume: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new DemoError(`${error instanceof Error ? error.message : String(error)}\n\n${helpOn(command)}`);
  }
}

function helpOn(command: string): string {
  return [
    [command, 'on an instance of its own, which is gone afterwards'],
    [`${command} -- --url <address>`, 'on a running instance'],
    [
      `${command} -- --rpc-url <address>`,
      'on a Solana cluster (a validator, devnet): deploys the program there if needed',
    ],
    ['', 'and starts a service of its own'],
    ['  --resume', 'finishes what an interrupted run on that instance or cluster left'],
    ['  --keys <folder>', 'where keys are kept with --url and --rpc-url (default: .data/demo)'],
  ]
    .map(([call = '', meaning]) => `${call.padEnd(command.length + 25)}${meaning}`)
    .join('\n');
}

async function onCluster(
  plot: Plot,
  rpcUrl: string,
  { keys, ...how }: Pick<StoryOptions, 'resume' | 'resumedBy'> & { keys: string },
): Promise<boolean> {
  const { folder, settings } = await prepareCluster(rpcUrl, keys, say);
  say('Starting a service for it ...');
  const instance = await startInstance(join(folder, 'data'), { settings });
  return stoppingWith(instance.stop, () =>
    tellStory(plot, { url: instance.url, home: folder, stays: false, ...how, say }),
  );
}

async function onOwnInstance(plot: Plot): Promise<boolean> {
  say('Starting Legwork for this demo ...');
  const home = await mkdtemp(join(tmpdir(), 'legwork-demo-keys-'));
  const instance = await startOwnInstance(plot.settings, plot.movesTime);
  const stop = async () => {
    await instance.stop();
    await rm(home, { recursive: true, force: true });
  };
  const isWatched = process.stdout.isTTY;
  return stoppingWith(stop, async () => {
    const isRight = await tellStory(plot, { url: instance.url, home, stays: isWatched, resume: false, say });
    if (isWatched) await untilInterrupted();
    return isRight;
  });
}

/** A person may look at what happened for as long as they like; a script has no eyes. */
async function untilInterrupted(): Promise<void> {
  say('\nThis instance stays until Ctrl-C; then it is gone.');
  await new Promise(() => undefined);
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
