import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLegworkClient, followEvents } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startOwnInstance } from '../src/demo/instance.js';
import type { OwnInstance } from '../src/demo/instance.js';
import { runProgram } from './support/programs.js';

let instance: OwnInstance;
let keys: string;

beforeAll(async () => {
  keys = await mkdtemp(join(tmpdir(), 'legwork-tasks-'));
  // The tests together call more than one address may in a minute.
  instance = await startOwnInstance({ LIMIT_TOOL_CALLS: '0', LIMIT_WRITES: '0', LIMIT_READS: '0' });
}, 360_000);

afterAll(async () => {
  await instance?.stop();
  await rm(keys, { recursive: true, force: true });
}, 360_000);

const play = (folder: string, ...options: string[]) =>
  runProgram('demo/tasks/main.js', ['--url', instance.url, '--keys', join(keys, folder), ...options]);

/** Claims the first leg of every task as soon as it is listed, and hands in nonsense. */
async function spoil(signal: AbortSignal): Promise<number> {
  const { url } = instance;
  const signer = await generateKeyPairSigner();
  const client = createLegworkClient({ url, signer });
  const agentPubkey = signer.address;
  let spoilt = 0;
  for await (const { taskId } of followEvents({ url, topics: ['TASK_LISTED'], signal })) {
    const { legs, paymentPerLeg } = await client.getDigitalTask({ taskId });
    const legId = legs[0]?.id ?? '';
    const claimed = await client.bidDigitalLeg({ taskId, legId, agentPubkey, bid: String(paymentPerLeg) }).then(
      () => true,
      () => false,
    );
    if (!claimed) continue;
    await client.completeDigitalLeg({ taskId, legId, agentPubkey, result: 'nonsense' });
    spoilt += 1;
  }
  return spoilt;
}

describe('the demo of digital tasks', () => {
  test('has four agents do three tasks, proves every result by the ledger, and accounts for every lamport', async () => {
    const demo = play('whole');
    await demo.succeeds();
    const output = demo.output();
    expect(output).toContain('| Sea 6 Right');
    expect(output).toContain('| 6 lines, 31 letters');
    expect(output.match(/ = sha256 of the result shown$/gm)).toHaveLength(7);
    const completed = [...output.matchAll(/accepted (\d), completed \1, score (?:100|0)$/gm)];
    expect(completed.map(([, legs]) => Number(legs)).reduce((sum, legs) => sum + legs)).toBe(7);
    expect(output).toContain('Every lamport is accounted for.');
    expect(output).not.toContain('WRONG');
  }, 360_000);

  test('finishes a run that was killed when legs were reserved', async () => {
    const killed = play('killed');
    await killed.shows('reserved for later');
    killed.kill('SIGKILL');
    expect(await killed.ended).toBe(null);
    const resumed = play('killed', '--resume');
    await resumed.succeeds();
    expect(resumed.output()).toContain('Every lamport is accounted for.');
    // Earlier posts were found, and nothing was posted twice.
    const { items } = await createLegworkClient({ url: instance.url }).listDigitalTasks({});
    expect(items.map(({ status }) => status)).toEqual(Array(8).fill('completed'));
  }, 360_000);

  test('fails when an agent hands in what is wrong, and says what', async () => {
    const ended = new AbortController();
    const spoiling = spoil(ended.signal);
    const demo = play('spoilt');
    expect(await demo.ended).toBe(1);
    ended.abort();
    expect(await spoiling).toBeGreaterThan(0);
    expect(demo.output()).toMatch(/WRONG: .*'s result of .*, leg 1 should be "/);
    // The ledger did what it should: the nonsense is what was handed in and paid.
    expect(demo.output().match(/ = sha256 of the result shown$/gm)).toHaveLength(7);
    expect(demo.output()).toContain('Every lamport is accounted for.');
  }, 360_000);

  test('resumes no run of the other demo', async () => {
    const packages = runProgram('demo/packages/main.js', ['--url', instance.url, '--keys', join(keys, 'other')]);
    await packages.shows('Nora sends');
    packages.kill('SIGKILL');
    await packages.ended;
    const demo = play('other', '--resume');
    expect(await demo.ended).toBe(1);
    expect(demo.output()).toContain('There is nothing to resume');
  }, 360_000);
});
