import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createLegworkClient } from '@legwork/sdk';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Instance } from '../src/start/instanceFile.js';
import { COMMAND, temporaryFolders } from './support/command.js';
import { openTown } from './support/town.js';

/** A bound for a machine that is busy with other tests. */
const SLOW = 600_000;
const newFolder = temporaryFolders();

let folder = '';
let instance: Instance;
beforeAll(async () => {
  folder = await newFolder();
  await mkdir(join(folder, 'bin'));
  await symlink(COMMAND, join(folder, 'bin/legwork'));
}, SLOW);

/** Runs words of a shell as a person types them in a folder, with `legwork` on the path. */
function typed(words: string, cwd: string, more: Record<string, string> = {}) {
  const PATH = `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`;
  const { LEGWORK_URL: _url, LEGWORK_KEY: _key, ...inherited } = process.env;
  const env = { ...inherited, PATH, XDG_CONFIG_HOME: join(folder, 'config'), ...more };
  const child = spawn('sh', ['-c', words], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGTERM');
    await ended;
  });
  return { ended, output: () => output };
}

/** The command that was printed last and fits, once it is there. */
async function printed({ output }: { output: () => string }, pattern: RegExp): Promise<string> {
  const found = () => [...output().matchAll(new RegExp(`legwork (${pattern.source})`, 'g'))].at(-1)?.[0];
  await expect.poll(found, { timeout: SLOW, message: `${pattern}` }).toBeDefined();
  return found() ?? '';
}

/** Runs a printed command to its end, as it was printed. */
async function play(command: string, cwd: string) {
  const run = typed(command, cwd);
  expect({ command, code: await run.ended, output: run.output() }).toMatchObject({ code: 0 });
  return run.output();
}

async function startOf(project: string): Promise<string> {
  const { scripts } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start;
}

const made = async (kind: string, name: string) => {
  const init = typed(`legwork init ${kind} ${name}`, folder, { LEGWORK_URL: instance.url });
  expect({ code: await init.ended, output: init.output() }).toMatchObject({ code: 0 });
  expect(init.output()).toContain(`while a service runs at ${instance.url}:`);
  return join(folder, name);
};

test('what init, the daemon and a shipper print runs as printed, in their own folders (A-99)', {
  timeout: SLOW,
}, async () => {
  ({ instance } = await openTown(folder, []));
  const [ada, ben] = [await made('courier', 'ada'), await made('shipper', 'ben')];
  const courier = typed(await startOf(ada), ada);
  await expect.poll(courier.output, { timeout: SLOW }).toContain('registered');
  const shipper = typed(await startOf(ben), ben);

  // The courier of the template takes the terms that the service lists by default.
  const [take, handOver] = [
    await printed(courier, /move take [\da-f-]+/),
    await printed(shipper, /move take [\da-f-]+/),
  ];
  expect(take).toBe(handOver);
  expect(shipper.output()).toMatch(/Is \w+ here to fetch the parcel\? .* If so, sign it: legwork move take/u);
  const signed = await play(handOver, ben);
  const [, look = ''] = /could leave with it and lose nothing\.\n(legwork show .+)\n/u.exec(signed) ?? [];
  expect(await play(look, ben)).toMatch(/leg 1 .* is accepted/u);
  await play(take, ada);
  expect(await play(look, ben)).toMatch(/leg 1 .* is carried/u);

  await writeFile(join(ada, 'FILE'), 'In locker 7.');
  await play(await printed(courier, /move claim [\da-f-]+ --file FILE/), ada);
  await play(await printed(shipper, /handoff [\da-f-]+/), ben);
  expect({ code: await shipper.ended, output: shipper.output() }).toMatchObject({ code: 0 });
  expect(shipper.output()).toContain('SOL came back');

  const { address } = JSON.parse(await play('legwork key show --json', ada)) as { address: string };
  const { history } = await createLegworkClient({ url: instance.url }).getAgent({ agentPubkey: address });
  expect(history.legsCompleted).toBe(1);
  expect(await play('legwork due', ada)).toBe('Nothing waits for you.\n');
});

/** The packages that the pages about agents post, as their readers type them. */
async function postsOfPages(): Promise<string[]> {
  const folderOfPages = new URL('../../../docs/agents/', import.meta.url);
  const pages = (await readdir(folderOfPages)).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(pages.map((name) => readFile(new URL(name, folderOfPages), 'utf8')));
  return texts.flatMap((text) => text.match(/^legwork post package (?:.*\\\n)*.*$/gm) ?? []);
}

test('the courier of init bids on what the pages post (A-31, A-34)', { timeout: SLOW }, async () => {
  ({ instance } = await openTown(folder, []));
  const [ada, carl] = [await made('courier', 'dora'), await made('shipper', 'carl')];
  expect(await typed('legwork register', carl).ended).toBe(0);
  const posts = await postsOfPages();
  expect(posts.length).toBeGreaterThan(0);
  const courier = typed(await startOf(ada), ada);
  for (const post of posts) {
    const { id } = JSON.parse(await play(`${post.replace(/ --key \S+/, '')} --json`, carl)) as { id: string };
    await expect
      .poll(courier.output, { timeout: SLOW })
      .toMatch(new RegExp(`bid 0\\.\\d+ SOL for .* of package ${id}`));
  }
});
