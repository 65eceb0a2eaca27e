import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { runCommand, temporaryFolders } from './support/command.js';
import { modulesLoadedBy } from './support/loadedModules.js';

const newFolder = temporaryFolders();

test('a wrong PORT is refused with a sentence that names it', async () => {
  const { code, stderr } = await runCommand(['start', '--ephemeral'], { PORT: 'eighty' });
  expect(stderr).toBe('PORT is "eighty"; it must be a whole number from 0 to 65535.\n');
  expect(code).toBe(2);
});

test('serve names every setting that is missing', async () => {
  const { code, stderr } = await runCommand(['serve']);
  for (const name of ['DATABASE_URL', 'SOLANA_RPC_URL', 'RELAY_PROGRAM_ID', 'COORDINATOR_KEYPAIR']) {
    expect(stderr).toContain(name);
  }
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(code).toBe(2);
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
