import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyFile, writePapers } from '@legwork/agents';
import { handoffCode, signHandoff } from '@legwork/sdk';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentCommands } from '../src/commands/agent.js';
import { legwork } from '../src/runCli.js';
import { runHere, type Said } from './support/line.js';

const ID = '01890000-0000-7000-8000-000000000000';
const NOBODY = 'http://127.0.0.1:1';
/** They need no service, no key or settings of their own, or go on until they are stopped. */
const OTHERWISE: ReadonlySet<string> = new Set(['key new', 'key show', 'watch', 'exit', 'ops audit']);

/** The words of a command and of every one under it. */
function wordsOf(command: Command, before: readonly string[] = []): string[] {
  const words = [...before, command.name()];
  const isOne = command.commands.length === 0 || command.registeredArguments.length > 0;
  return [...(isOne ? [words.join(' ')] : []), ...command.commands.flatMap((one) => wordsOf(one, words))];
}
const ALL = legwork().commands.flatMap((command) => wordsOf(command));
const OF_AGENTS = agentCommands().flatMap((command) => wordsOf(command));

const home = process.cwd();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'legwork-exits-'));
  await createKeyFile(join(folder, 'legwork/key.json'));
  await createKeyFile(join(folder, 'ada.json'));
  for (const name of ['result.txt', 'report.pdf', 'evidence.txt', 'ada.jwt']) await writeFile(join(folder, name), 'x');
  const signer = await createKeyFile(join(folder, 'ben.json'));
  const where = { listing: signer.address, legIndex: 0, formation: 1, nonce: new Uint8Array(8) };
  await writeFile(join(folder, 'code.txt'), handoffCode(await signHandoff(signer, { ...where, said: 'received' })));
  await writePapers(join(folder, 'legwork/key.papers'), { listingId: ID, document: '{}' });
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

/** Runs words of a shell to their end, where no service answers. */
function typed(words: string, config = folder): Promise<Said> {
  // A shell takes the words apart, where there is more between them than blanks: starting one copies this process.
  const apart = /^[\w .:/-]*$/.test(words)
    ? words.split(' ').slice(1)
    : execFileSync('sh', ['-c', `printf '%s\\0' ${words}`], { encoding: 'utf8' })
        .split('\0')
        .slice(1, -1);
  return runHere(apart, { XDG_CONFIG_HOME: config, LEGWORK_URL: NOBODY, LEGWORK_KEY: undefined });
}

const exampleIn = (help: string) => /^Example:\n {2}(.*)$/m.exec(help)?.[1] ?? '';
const withIds = (example: string) => example.replace(/\b(ID|PACKAGE|BID|TASK|LEG)\b/g, ID);

describe('every command', () => {
  test.each(ALL)('%s has an example that it takes, and ends as it says (A-92)', async (words) => {
    const help = await typed(`legwork ${words} --help`);
    const wrong = await typed(`legwork ${words} --no-such-option`);
    const asked = await typed(`legwork help ${words}`);
    expect(help.code).toBe(0);
    expect(asked).toEqual(help);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    const example = exampleIn(help.stdout);
    expect(example).toMatch(new RegExp(`^legwork ${words}( |$)`));
  });

  test.each(ALL)(
    '%s takes --json, and says even wrong usage to a program, or it says why not (A-92)',
    async (words) => {
      const { stdout } = await typed(`legwork ${words} --help`);
      if (stdout.includes('There is no --json:')) return;
      expect(stdout).toMatch(/^ {2}--json /m);
      const wrong = await typed(`legwork ${words} --json --no-such-option`);
      expect(wrong).toMatchObject({ code: 2, stdout: '' });
      expect(JSON.parse(wrong.stderr)).toEqual({ error: { message: expect.stringMatching(/'--.+'/) } });
    },
  );

  test.each(OF_AGENTS.filter((words) => !OTHERWISE.has(words)))(
    '%s says in a sentence that no service answers, or that there is no key (A-92)',
    async (words) => {
      const example = withIds(exampleIn((await typed(`legwork ${words} --help`)).stdout));
      const unanswered = await typed(example);
      const keyless = await typed(example, join(folder, 'empty'));
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

test('a variable that is empty counts as none (A-91)', async () => {
  const usual = await runHere(['key', 'show', '--json'], { XDG_CONFIG_HOME: folder, LEGWORK_KEY: undefined });
  expect(await runHere(['key', 'show', '--json'], { XDG_CONFIG_HOME: folder, LEGWORK_KEY: '' })).toEqual(usual);
  expect(usual.code).toBe(0);
});

test('what is required says so, and the version is that of the package', async () => {
  expect((await typed('legwork bid --help')).stdout).toMatch(/--cost <amount> .*\(required\)/);
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

test.each([
  [['start', '--prot', '80'], "error: unknown option '--prot'\n(Did you mean --port?)"],
  [['start', '--port', 'http'], "error: option '--port <n>' argument 'http' is invalid."],
  [['start', '--port', '65536'], 'It must be a whole number from 0 to 65535.'],
  [['start', '--ephemeral', '--data', 'x'], "error: option '--ephemeral' cannot be used with option '--data <folder>'"],
  [['begin'], "error: unknown command 'begin'"],
  [['start', 'now'], "error: too many arguments for 'start'."],
  [
    ['worker', '--policy', 'x', '--metrics-port', 'http'],
    "error: option '--metrics-port <n>' argument 'http' is invalid.",
  ],
  [['program', 'deploy'], "error: required option '--url <rpc>' not specified"],
  [['rewards', 'verify'], "error: required option '--csv <file>' not specified"],
  [['rewards', 'mark-paid', 'x', 'y'], "'x' is invalid for argument 'claimId'. It must be a UUID."],
  [['rewards', 'mark-paid', ID, 'y'], "'y' is invalid for argument 'signature'. It must be a transaction signature"],
  [['bid', ID], "error: required option '--cost <amount>' not specified"],
  [['bid', ID, '--cost', '-1'], 'It must be a number above 0, in digits, such as 0.25.'],
  [['packages', '--near', '91,0'], 'It must be latitude,longitude in degrees, such as 52.52,13.405.'],
  [
    ['handoff', 'last'],
    "'last' is invalid for argument 'package'. It must be a UUID, as legwork packages, legwork tasks and legwork due list it.",
  ],
  [['rewards', 'mark-paid', ID, '0'.repeat(64)], "is invalid for argument 'signature'. It must be a transaction"],
])('%j is refused with a sentence', async (args, sentence) => {
  const { code, stdout, stderr } = await runHere(args);
  expect(stderr).toContain(sentence);
  expect(stderr).toContain('Run with --help');
  expect(stderr).not.toContain('    at ');
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test.each([
  '',
  'start',
  'init',
  'serve',
  'ledger',
  'program',
  'program deploy',
  'audit',
  'key new',
  'due',
  'post package',
  'rewards',
  'rewards export',
  'rewards verify',
  'rewards mark-paid',
])('"%s --help" explains itself', async (command) => {
  const { code, stdout } = await runHere([...command.split(' ').filter(Boolean), '--help']);
  expect(stdout).toContain('Usage: legwork');
  expect(code).toBe(0);
});

test('a command outside of its folder is printed with what that folder would not say (A-99)', async () => {
  const old = join(folder, 'old');
  await mkdir(old);
  expect((await typed('legwork key new old/key.json')).stdout).toContain('old/key.json');
  await writeFile(join(old, 'courier.yaml'), 'key: key.json\ncourier: { home: [52.5, 13.4] }\n');
  process.chdir(old);
  try {
    const due = await typed('legwork due', join(folder, 'empty'));
    expect(due).toMatchObject({ code: 2, stdout: '' });
    expect(due.stderr).toMatch(
      /^There is no key file .*: add --policy courier\.yaml, or call that file legwork\.yaml\n$/,
    );
    const shown = await typed('legwork key show --policy courier.yaml --json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ file: join(old, 'key.json') });
  } finally {
    process.chdir(folder);
  }
});
