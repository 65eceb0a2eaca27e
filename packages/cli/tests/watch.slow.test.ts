import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyFile } from '@legwork/agents';
import getPort from 'get-port';
import { expect, test } from 'vitest';
import type { Instance } from '../src/start/instanceFile.js';
import { type RunningCommand, startCommand, temporaryFolders } from './support/command.js';
import { runHere } from './support/line.js';
import { openTown, say } from './support/town.js';

const newFolder = temporaryFolders();
const PACKAGE = ['--from', '52.5,13.3', '--to', '52.5,13.4', '--what', 'books', '--kg', '1', '--litres', '1'];
const TASK = ['--title', 'Count', '--what', 'Count the words.', '--leg', 'Count them.', '--terms', 'plain'];

interface Told {
  readonly seq: number;
  readonly type: string;
}
const toldIn = (lines: string) =>
  lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told);

test('a listing is followed from its first event to its end, through the death of the service, and the exit code says how it ended (A-176)', async () => {
  const folder = await newFolder();
  const port = String(await getPort({ host: '127.0.0.1' }));
  const start = async (): Promise<RunningCommand> => {
    const command = startCommand(['start', '--data', join(folder, 'data'), '--port', port, '--ledger-port', '0']);
    await command.shows('Stop     Ctrl-C');
    return command;
  };
  const first = await start();
  const instance = JSON.parse(await readFile(join(folder, 'data/instance.json'), 'utf8')) as Instance;
  const key = join(folder, 'ben.json');
  await createKeyFile(key);
  await say(instance, key, ['register']);
  const { id } = await say<{ id: string }>(instance, key, ['post', 'package', ...PACKAGE, '--budget', '0.1']);
  const watched = startCommand(['watch', id, '--url', instance.url]);
  await watched.shows(`package ${id}, 52.5,13.3 -> 52.5,13.4: Listed with 0.1 SOL in escrow`);
  first.child.kill('SIGKILL');
  await first.ended;
  await start();
  await say(instance, key, ['cancel', id]);
  expect((await watched.ended).code).toBe(1);
  expect(watched.stdout().trim().split('\n').at(-1)).toMatch(
    new RegExp(
      `^ *\\d+ {2}\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d {2}package ${id}: Cancelled; the escrow went back`,
    ),
  );
  // Of what is over, too, and nothing of others.
  const { code, stdout } = await runHere(['watch', id, '--json', '--url', instance.url]);
  expect({ code, types: toldIn(stdout).map(({ type }) => type) }).toEqual({
    code: 1,
    types: ['PACKAGE_LISTED', 'PACKAGE_FAILED'],
  });
  const task = await say<{ id: string }>(instance, key, ['post', 'task', ...TASK, '--budget', '0.1']);
  const ada = join(folder, 'ada.json');
  await createKeyFile(ada);
  const { legId } = await say<{ legId: string }>(instance, ada, ['claim', task.id]);
  await writeFile(join(folder, 'result.txt'), 'Three.');
  await say(instance, ada, ['done', legId, '--file', join(folder, 'result.txt')]);
  const well = await runHere(['watch', task.id, '--json', '--url', instance.url]);
  expect({ code: well.code, last: toldIn(well.stdout).at(-1)?.type }).toEqual({ code: 0, last: 'TASK_COMPLETED' });
});

// Other systems always have a desktop.
test.runIf(process.platform === 'linux')(
  'a page is opened in a browser where there is one, and its address is printed (A-175)',
  async () => {
    const folder = await newFolder();
    const { instance } = await openTown(folder, ['ben']);
    const key = join(folder, 'ben.json');
    const { address } = await say<{ address: string }>(instance, undefined, ['key', 'show', key]);
    const post = ['post', 'package', ...PACKAGE, '--budget', '0.1'];
    const listed = await say<{ id: string; signature: string }>(instance, key, post);
    const browser = join(folder, 'xdg-open');
    await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > ${join(folder, 'opened')}\n`);
    await chmod(browser, 0o755);
    const open = (args: string[], desktop: Record<string, string | undefined>) =>
      runHere(['open', ...args, '--url', instance.url], { WAYLAND_DISPLAY: undefined, DISPLAY: undefined, ...desktop });
    const pages = { [listed.id]: `/p/${listed.id}`, [address]: `/a/${address}` };
    Object.assign(pages, { [listed.signature]: `/tx/${listed.signature}` });
    Object.assign(pages, { [instance.coordinatorPubkey]: `/account/${instance.coordinatorPubkey}` });
    for (const [of, page] of Object.entries(pages)) {
      expect(await open([of], {})).toEqual({ code: 0, stdout: `${instance.url}${page}\n`, stderr: '' });
      expect((await fetch(instance.url + page)).status).toBe(200);
    }
    expect(JSON.parse((await open([listed.id, '--json'], {})).stdout)).toMatchObject({ isOpened: false });
    const desktop = { DISPLAY: ':0', PATH: `${folder}${delimiter}${process.env['PATH']}` };
    expect(JSON.parse((await open([listed.id, '--json'], desktop)).stdout)).toMatchObject({ isOpened: true });
    const opened = async () => readFile(join(folder, 'opened'), 'utf8').catch(() => '');
    while ((await opened()) !== `${instance.url}/p/${listed.id}`) await sleep(20);
    expect(JSON.parse((await open([address, '--json', '--print'], desktop)).stdout)).toMatchObject({ isOpened: false });
    expect(await open(['nowhere'], {})).toMatchObject({ code: 2, stdout: '' });
  },
);
