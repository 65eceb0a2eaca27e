import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createKeyFile } from '@legwork/agents';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentCommands } from '../src/commands/agent.js';
import { COMMAND } from './support/command.js';

const ID = '01890000-0000-7000-8000-000000000000';
const NOBODY = 'http://127.0.0.1:1';
/** They need neither service nor key, or go on until they are stopped. */
const OTHERWISE: ReadonlySet<string> = new Set(['key new', 'key show', 'watch']);

/** The words of every command of an agent. */
function wordsOf(command: Command, before: readonly string[] = []): string[] {
  const words = [...before, command.name()];
  return command.commands.length === 0 ? [words.join(' ')] : command.commands.flatMap((one) => wordsOf(one, words));
}
const ALL = agentCommands().flatMap((command) => wordsOf(command));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'legwork-exits-'));
  await mkdir(join(folder, 'bin'));
  await symlink(COMMAND, join(folder, 'bin/legwork'));
  await createKeyFile(join(folder, 'legwork/key.json'));
  await createKeyFile(join(folder, 'ada.json'));
  for (const name of ['result.txt', 'report.pdf', 'evidence.txt', 'ada.jwt']) await writeFile(join(folder, name), 'x');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs words of a shell to their end, where no service answers. */
function typed(words: string, config = folder) {
  const PATH = `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`;
  const { LEGWORK_KEY: _key, ...inherited } = process.env;
  const env = { ...inherited, PATH, XDG_CONFIG_HOME: config, LEGWORK_URL: NOBODY };
  const child = spawn('sh', ['-c', words], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text) => (said[name] += text));
  return new Promise<typeof said & { code: number | null }>((ended) => {
    child.once('close', (code) => ended({ ...said, code }));
  });
}

/** What `--help` says of these words; asked once, since every start of the command costs. */
const helps = new Map<string, ReturnType<typeof typed>>();
function helpOf(words: string): ReturnType<typeof typed> {
  const asked = helps.get(words) ?? typed(`legwork ${words} --help`);
  helps.set(words, asked);
  return asked;
}

const exampleIn = (help: string) => /^Example:\n {2}(.*)$/m.exec(help)?.[1] ?? '';
const withIds = (example: string) => example.replace(/\b(ID|PACKAGE|BID|TASK|LEG)\b/g, ID);

describe('every command of an agent', () => {
  test.each(ALL)('%s has an example that it takes, and ends as it says (A-92)', async (words) => {
    const [help, wrong, asked] = await Promise.all([
      helpOf(words),
      typed(`legwork ${words} --no-such-option`),
      typed(`legwork help ${words}`),
    ]);
    expect(help.code).toBe(0);
    expect(asked).toEqual(help);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    const example = exampleIn(help.stdout);
    expect(example).toMatch(new RegExp(`^legwork ${words}( |$)`));
  });

  test.each(ALL.filter((words) => !OTHERWISE.has(words)))(
    '%s says in a sentence that no service answers, or that there is no key (A-92)',
    async (words) => {
      const example = withIds(exampleIn((await helpOf(words)).stdout));
      const [unanswered, keyless] = await Promise.all([typed(example), typed(example, join(folder, 'empty'))]);
      expect({ example, ...unanswered }).toEqual({
        example,
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^.+\n$/),
      });
      expect(unanswered.stderr).toContain(NOBODY);
      const isKeyless = keyless.stderr.startsWith('There is no key file');
      expect({ example, code: keyless.code }).toEqual({ example, code: isKeyless ? 2 : 1 });
    },
  );
});

test('what is required says so, and the version is that of the package', async () => {
  expect((await helpOf('bid')).stdout).toMatch(/--cost <sol> .*\(required\)/);
  expect(await typed('legwork --version')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

test.each([
  ['courier', 'There is no policy legwork.yaml'],
  ['worker --policy none.yaml', 'There is no policy none.yaml'],
  ['mcp --key none.json', 'There is no key file'],
])('%s ends with 2 where its settings or its key are wrong (A-92)', async (words, why) => {
  const { code, stdout, stderr } = await typed(`legwork ${words}`);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(why);
});
