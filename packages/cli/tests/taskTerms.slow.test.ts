import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLegworkClient } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import type { Instance } from '../src/start/instanceFile.js';
import { startCommand, temporaryFolders } from './support/command.js';
import { runHere } from './support/line.js';
import { openTown, say } from './support/town.js';

/** Bounds for a machine that is busy with other tests. */
const SLOW = 600_000;
const PATIENT = { timeout: 120_000 };
const newFolder = temporaryFolders();

interface Posted {
  readonly id: string;
  readonly legs: readonly { readonly id: string }[];
  readonly terms: { readonly receiverPubkey: string | null } | null;
}

async function legNow({ url }: Instance, { id: taskId }: Posted) {
  return (await createLegworkClient({ url }).getDigitalTask({ taskId })).legs[0];
}

async function untilStage(instance: Instance, task: Posted, stage: string): Promise<void> {
  await expect.poll(async () => (await legNow(instance, task))?.stage, PATIENT).toBe(stage);
}

describe('digital tasks with terms, from the command line', () => {
  test('are done with a stake, verified by a command, disputed and ruled', { timeout: SLOW }, async () => {
    const folder = await newFolder();
    const { instance } = await openTown(folder, ['poster', 'agent', 'sloppy', 'verifier']);
    const keyOf = (name: string) => join(folder, `${name}.json`);
    const { address } = await say<{ address: string }>(instance, undefined, ['key', 'show', keyOf('verifier')]);
    const what = ['--title', 'Notes', '--what', 'late; too dear; late', '--leg', 'Count them.', '--budget', '0.1'];
    const post = () => say<Posted>(instance, keyOf('poster'), ['post', 'task', ...what, '--receiver', address]);

    /** Claims the leg, accepts it and hands this in. */
    const work = async (agent: string, task: Posted, result: string) => {
      const [leg] = task.legs;
      await say(instance, keyOf(agent), ['claim', task.id]);
      await untilStage(instance, task, 'pending');
      await say(instance, keyOf(agent), ['move', 'accept', leg?.id ?? '']);
      await writeFile(join(folder, 'result.txt'), result);
      return say(instance, keyOf(agent), ['done', leg?.id ?? '', '--file', join(folder, 'result.txt')]);
    };

    const good = await post();
    expect(good.terms).toMatchObject({ receiverPubkey: address });
    expect(await work('agent', good, 'late (2)\n')).toMatchObject({ stage: 'claimed' });
    const check = 'grep -q "late (2)" || { echo "the late ones are missing"; exit 1; }';
    const verifier = ['verify', '--command', check, '--url', instance.url, '--key', keyOf('verifier'), '--json'];
    const verifying = startCommand(verifier);
    await untilStage(instance, good, 'completed');

    const bad = await post();
    const [leg] = bad.legs;
    await work('sloppy', bad, 'lorem ipsum\n');
    await untilStage(instance, bad, 'disputed');
    await verifying.shows('"stage":"disputed"');
    const said = verifying.stdout().trim().split('\n').slice(1);
    expect(said.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { taskId: good.id, verdict: { confirm: true } },
      { taskId: bad.id, legId: leg?.id, verdict: { confirm: false, reason: 'the late ones are missing' } },
    ]);

    const arbiter = join(folder, 'data', 'arbiter-keypair.json');
    const shown = await say<{ evidence: unknown[] }>(instance, arbiter, ['arbiter', 'show', leg?.id ?? '']);
    expect(shown).toMatchObject({ taskId: bad.id, stage: 'disputed', disputerPubkey: address });
    expect(shown.evidence).toMatchObject([
      { names: 'claim', text: 'lorem ipsum\n' },
      { names: 'dispute', text: 'the late ones are missing' },
    ]);
    await say(instance, arbiter, ['arbiter', 'rule', leg?.id ?? '', '--percent', '0']);
    await expect.poll(async () => (await legNow(instance, bad))?.isOpen, PATIENT).toBe(true);
  });

  test('hand in files, which are verified, and downloaded by those who may read them (A-96, A-97, A-98)', {
    timeout: SLOW,
  }, async () => {
    const folder = await newFolder();
    const { instance } = await openTown(folder, ['poster', 'agent', 'stranger']);
    const keyOf = (name: string) => join(folder, `${name}.json`);
    const arbiter = join(folder, 'data', 'arbiter-keypair.json');
    for (const [name, text] of Object.entries({ 'result.txt': 'See the files.', 'a.csv': 'late,2', 'b.bin': 'b' })) {
      await writeFile(join(folder, name), text);
    }
    const post = ['--title', 'Notes', '--what', 'late; late', '--leg', 'Count them.', '--budget', '0.1'];
    const task = await say<Posted>(instance, keyOf('poster'), ['post', 'task', ...post]);
    const legId = task.legs[0]?.id ?? '';
    await say(instance, keyOf('agent'), ['claim', task.id]);
    await untilStage(instance, task, 'pending');
    await say(instance, keyOf('agent'), ['move', 'accept', legId]);
    const files = ['--attach', join(folder, 'a.csv'), join(folder, 'b.bin')];
    const done = ['done', legId, '--file', join(folder, 'result.txt'), ...files];
    expect(await say(instance, keyOf('agent'), done)).toMatchObject({ stage: 'claimed' });
    // Safe to repeat.
    expect(await say(instance, keyOf('agent'), done)).toMatchObject({ stage: 'claimed' });

    const result = (key: string, to: string) =>
      runHere(['result', task.id, '--save', join(folder, to), '--url', instance.url, '--key', key]);
    expect(await result(keyOf('stranger'), 'none')).toMatchObject({ code: 1, stdout: '' });
    expect(await result(arbiter, 'none')).toMatchObject({ code: 1, stdout: '' });
    // The text of a result has no place for a note, which would hold nothing back.
    const noted = ['handoff', 'sign', legId, '--noted', 'one is missing'];
    const refused = await runHere([...noted, '--url', instance.url, '--key', keyOf('poster')]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/do not sign: dispute it instead: .*legwork move dispute [\da-f-]+ --file FILE/u);
    const check = 'cd "$LEGWORK_FILES" && cat a.csv && ls && exit 1';
    const poster = ['--url', instance.url, '--key', keyOf('poster'), '--json'];
    const verifying = startCommand(['verify', '--command', check, ...poster]);
    await verifying.shows('"reason":"late,2a.csv\\nb.bin"');
    await untilStage(instance, task, 'disputed');
    for (const [key, to] of [
      [keyOf('poster'), 'poster'],
      [arbiter, 'arbiter'],
    ] as const) {
      const { stdout } = await result(key, to);
      expect(stdout).toContain(`Saved ${join(folder, to, 'a.csv')}`);
      expect(await readFile(join(folder, to, 'a.csv'), 'utf8')).toBe('late,2');
    }
    const again = await result(arbiter, 'arbiter');
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('is there already, and nothing is overwritten');
    const shown = await runHere(['arbiter', 'show', legId, '--url', instance.url, '--key', arbiter]);
    expect(shown.stdout).toContain('a.csv  text/csv, 6 bytes');
    await say(instance, arbiter, ['arbiter', 'rule', legId, '--percent', '100']);
    await untilStage(instance, task, 'completed');
    const { saved } = await say<{ saved: string[] }>(instance, keyOf('stranger'), [
      'result',
      task.id,
      '--leg',
      '1',
      '--save',
      join(folder, 'stranger'),
    ]);
    expect(saved).toEqual([join(folder, 'stranger', 'a.csv'), join(folder, 'stranger', 'b.bin')]);
  });

  test('a verifier says who judges, once', async () => {
    const folder = await newFolder();
    const run = async (args: readonly string[]) => {
      const command = startCommand(['verify', '--key', join(folder, 'none.json'), ...args]);
      return { code: (await command.ended).code, stderr: command.stderr() };
    };
    expect(await run(['--command', 'true', '--http', 'http://127.0.0.1:1'])).toMatchObject({ code: 2 });
    expect(await run(['--http', 'ftp://127.0.0.1'])).toMatchObject({ code: 2 });
  });
});
