import { copyFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCommand, temporaryFolders } from './support/command.js';

const COMMAND = fileURLToPath(new URL('../bin/legwork.mjs', import.meta.url));
const BUILT = { cli: 'packages/cli/dist/.tsbuildinfo', sdk: 'packages/sdk/dist/.tsbuildinfo' };
const INSTALLED = 'node_modules/.package-lock.json';
const ONE_PIECE = 'packages/cli/bundle/runCli.js';

const newFolder = temporaryFolders();

/** Which command runs in a clone whose files, in this order, were written one after the other. */
async function runsAfter(...files: readonly string[]): Promise<string> {
  const clone = await newFolder();
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(clone, path)), { recursive: true });
    await writeFile(join(clone, path), text);
  };
  const says = (word: string) => `export const runCli = async () => process.stdout.write('${word}');`;
  await put('packages/cli/package.json', '{ "type": "module" }');
  await put('packages/cli/dist/runCli.js', says('compiled'));
  for (const [second, path] of files.entries()) {
    await put(path, path === ONE_PIECE ? says('in one piece') : '');
    await utimes(join(clone, path), second + 1, second + 1);
  }
  const command = join(clone, 'packages/cli/bin/legwork.mjs');
  await mkdir(dirname(command));
  await copyFile(COMMAND, command);
  return (await runCommand([], {}, command)).stdout;
}

test('the command in one piece runs while nothing that it was made of is newer', async () => {
  expect(await runsAfter(INSTALLED, BUILT.sdk, BUILT.cli, ONE_PIECE)).toBe('in one piece');
});

test.each([
  ['was never made', [INSTALLED, BUILT.sdk, BUILT.cli]],
  ['is older than its own sources', [INSTALLED, BUILT.sdk, ONE_PIECE, BUILT.cli]],
  ['is older than a package of ours', [INSTALLED, BUILT.cli, ONE_PIECE, BUILT.sdk]],
  ["is older than somebody else's packages", [BUILT.sdk, BUILT.cli, ONE_PIECE, INSTALLED]],
])('what was compiled last runs where the piece %s', async (_, files) => {
  expect(await runsAfter(...files)).toBe('compiled');
});
