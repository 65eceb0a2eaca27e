import { fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('../bin/legwork.mjs', import.meta.url));

test('start ends in order when the process that started it over a channel has vanished', async () => {
  const child = fork(COMMAND, ['start', '--ephemeral'], { cwd: tmpdir(), silent: true, execArgv: [] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let printed = '';
  const ended = once(child, 'exit');
  await new Promise<void>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.includes('Legwork is ready')) resolve();
    });
    void ended.then(() => resolve());
  });
  expect(printed).toContain('Legwork is ready');
  child.disconnect();
  expect(await ended).toEqual([0, null]);
  expect(printed).toContain('Stopped.');
}, 360_000);
