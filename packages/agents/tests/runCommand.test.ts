import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesIn } from '../src/resultFiles.js';
import { commandRunner } from '../src/worker/runners.js';
import { runCommand } from '../src/worker/runCommand.js';
import { WorkError } from '../src/worker/workbench.js';

const never = new AbortController().signal;
const folder = () => mkdtemp(join(tmpdir(), 'legwork-command-'));
const node = (script: string) => [process.execPath, '-e', script];
const work = {
  instruction: 'Do it.',
  previousResult: null,
  previousFiles: [],
  title: 'A title',
  description: 'All of it',
};

/** Starts a child that stays, in the same process group, and writes its id to a file. */
const WITH_CHILD = `const { spawn } = require('node:child_process');
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
require('node:fs').writeFileSync('child', String(child.pid)); `;

/** Reports whether a process runs, and is not one whose end its parent has not noticed. */
async function lives(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) Z /.test(stat);
}

const childIn = async (where: string) => Number(await readFile(join(where, 'child'), 'utf8').catch(() => '0'));

describe.skipIf(process.platform !== 'linux')('a command', () => {
  test('is killed with its children when it takes too long (A-43)', async () => {
    const where = await folder();
    const ended = await runCommand(
      // A shell has its child at once; a start of node may take longer than this command may.
      ['sh', '-c', 'sleep 600 & echo $! > child; wait'],
      { input: '', timeoutSec: 1, folder: where },
      never,
    );
    expect(ended).toMatchObject({ code: null, killedFor: 'it took longer than 1 s' });
    const child = await childIn(where);
    expect(child).toBeGreaterThan(0);
    await expect.poll(() => lives(child)).toBe(false);
  });

  test('is killed with its children when it is not needed any more (A-43)', async () => {
    const where = await folder();
    const controller = new AbortController();
    const running = runCommand(
      node(`${WITH_CHILD} setInterval(() => {}, 1000);`),
      { input: '', timeoutSec: 600, folder: where },
      controller.signal,
    );
    await expect.poll(() => childIn(where)).toBeGreaterThan(0);
    controller.abort();
    await expect(running).rejects.toThrow(/abort/i);
    const child = await childIn(where);
    await expect.poll(() => lives(child)).toBe(false);
  });

  test('that leaves children behind ends with them (A-43)', async () => {
    const where = await folder();
    const ended = await runCommand(
      node(`${WITH_CHILD} child.unref(); console.log('done'); process.exit(0);`),
      { input: '', timeoutSec: 600, folder: where },
      never,
    );
    expect(ended.output.toString()).toBe('done\n');
    const child = await childIn(where);
    await expect.poll(() => lives(child)).toBe(false);
  });

  test('that writes more than a result may be is killed (A-43)', async () => {
    const endless = node(
      `const part = 'x'.repeat(65536); (function write() { process.stdout.write(part, write); })();`,
    );
    const ended = await runCommand(endless, { input: '', timeoutSec: 600, folder: await folder() }, never);
    expect(ended.killedFor).toBe('it wrote more than 262144 bytes');
  });
});

describe('a worker by a command', () => {
  test('gives it the work as JSON, and takes what it writes (A-41)', async () => {
    const echo = commandRunner(node('process.stdin.pipe(process.stdout)'), 600, await folder());
    expect(JSON.parse(await echo(work, never, await folder()))).toEqual(work);
  });

  test('names it a folder of its own for the files of its result (A-41)', async () => {
    const files = await folder();
    const write = node(
      `require('node:fs').writeFileSync(process.env.LEGWORK_FILES + '/a.txt', 'a'); console.log('done')`,
    );
    expect(await commandRunner(write, 600, await folder())(work, never, files)).toBe('done');
    expect(await filesIn(files)).toEqual([join(files, 'a.txt')]);
    await mkdir(join(files, 'more'));
    await expect(filesIn(files)).rejects.toThrow('more is no file');
  });

  test.each([
    ['fails', node(`console.error('no idea'); process.exit(4)`), /ended with code 4: no idea/],
    // EACCES where the PATH names a folder that this user may not read.
    ['does not exist', ['no-such-command-anywhere'], /ENOENT|EACCES/],
    ['writes bytes that are no text', node('process.stdout.write(Buffer.from([0xff]))'), /not UTF-8/],
    ['does not read its input', node('process.stdin.destroy(); process.exit(1)'), /ended with code 1/],
  ])('has no result when the command %s (A-42)', async (_, command, why) => {
    const large = { ...work, previousResult: 'x'.repeat(200_000) };
    const made = commandRunner(command, 600, await folder())(large, never, await folder());
    await expect(made).rejects.toThrow(why);
    await expect(made).rejects.toThrow(WorkError);
  });
});
