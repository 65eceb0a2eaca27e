import { readFile } from 'node:fs/promises';
import { environment } from '@agent-relay/server';
import { expect, test } from 'vitest';

const PAGE = new URL('../../../docs/operators/README.md', import.meta.url);

test('the page for operators lists exactly the settings that the service reads', async () => {
  const page = await readFile(PAGE, 'utf8');
  const listed = [...page.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(Object.keys(environment.shape).toSorted());
});

test('the page for operators names the true defaults', async () => {
  const page = await readFile(PAGE, 'utf8');
  const required = {
    DATABASE_URL: 'postgresql://x',
    SOLANA_RPC_URL: 'http://127.0.0.1:1',
    RELAY_PROGRAM_ID: '1'.repeat(32),
    COORDINATOR_KEYPAIR: 'x',
  };
  for (const [name, value] of Object.entries(environment.parse(required))) {
    if (name in required) continue;
    expect(page).toMatch(new RegExp(`^\\| \`${name}\`( \\*)? \\| \`${String(value)}\``, 'm'));
  }
});
