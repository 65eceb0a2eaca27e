import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { runCommand, temporaryFolders } from './support/command.js';
import { modulesLoadedBy } from './support/loadedModules.js';

const CLAIM_ID = '01890000-0000-7000-8000-000000000000';
const newFolder = temporaryFolders();

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
  [
    ['rewards', 'mark-paid', CLAIM_ID, 'y'],
    "'y' is invalid for argument 'signature'. It must be a transaction signature",
  ],
  [['bid', CLAIM_ID], "error: required option '--cost <sol>' not specified"],
  [['bid', CLAIM_ID, '--cost', '-1'], 'It must be a number above 0, in digits, such as 0.25.'],
  [['packages', '--near', '91,0'], 'It must be latitude,longitude in degrees, such as 52.52,13.405.'],
  [['handoff', 'last'], "'last' is invalid for argument 'package'. It must be a UUID, as the lists show it."],
  [['rewards', 'mark-paid', CLAIM_ID, '0'.repeat(64)], "is invalid for argument 'signature'. It must be a transaction"],
])('%j is refused with a sentence', async (args, sentence) => {
  const { code, stdout, stderr } = await runCommand(args);
  expect(stderr).toContain(sentence);
  expect(stderr).toContain('Run with --help');
  expect(stderr).not.toContain('    at ');
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test('a wrong PORT is refused with a sentence that names it', async () => {
  const { code, stderr } = await runCommand(['start', '--ephemeral'], { PORT: 'eighty' });
  expect(stderr).toBe('PORT is "eighty"; it must be a whole number from 0 to 65535.\n');
  expect(code).toBe(1);
});

test('serve names every setting that is missing', async () => {
  const { code, stderr } = await runCommand(['serve']);
  for (const name of ['DATABASE_URL', 'SOLANA_RPC_URL', 'RELAY_PROGRAM_ID', 'COORDINATOR_KEYPAIR']) {
    expect(stderr).toContain(name);
  }
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(code).toBe(1);
});

test('a taken HTTP port is told before anything is started', async () => {
  const other = createServer();
  const port = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => {
      const address = other.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
  const { code, stdout, stderr } = await runCommand(['start', '--ephemeral', '--port', String(port)]);
  other.close();
  expect(stderr).toBe(
    `Port ${port} on 127.0.0.1 is taken by another program. Choose another one with --port or the variable PORT.\n`,
  );
  expect(stdout).toBe('');
  expect(code).toBe(1);
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
  const { code, stdout } = await runCommand([...command.split(' ').filter(Boolean), '--help']);
  expect(stdout).toContain('Usage: legwork');
  expect(code).toBe(0);
});

test.each([
  [['--help'], ['/@solana/', '/node_modules/zod/', '/packages/protocol/', '/packages/server/', '/packages/ledger/']],
  [
    ['rewards', '--help'],
    ['/@solana/', '/node_modules/zod/', '/packages/protocol/', '/packages/server/'],
  ],
  [
    ['rewards', 'verify', '--csv', 'x', '--rpc-url', 'x', '--program-id', 'x'],
    ['/node_modules/fastify/', '/server/dist/http/'],
  ],
  [
    ['key', 'show', '/nobody.json'],
    ['/@modelcontextprotocol/', '/packages/server/', '/packages/ledger/'],
  ],
])('%j loads nothing of what it does not use', async (args, unused) => {
  const loaded = await modulesLoadedBy(args, await newFolder());
  expect(loaded.join('\n')).toContain('/packages/cli/dist/runCli.js');
  expect(loaded.filter((url) => unused.some((part) => url.includes(part)))).toEqual([]);
});
