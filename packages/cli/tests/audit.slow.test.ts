import { join } from 'node:path';
import { runningPostgres } from '@legwork/postgres';
import { createLegworkClient, listPackage } from '@legwork/sdk';
import { createSolanaRpc } from '@solana/kit';
import { Client } from 'pg';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Instance } from '../src/start/instanceFile.js';
import { startCommand, temporaryFolders } from './support/command.js';
import { runHere } from './support/line.js';
import { fundedWallet } from './support/wallets.js';

/** A bound for a machine that is busy with other tests. */
const SLOW = 600_000;
const newFolder = temporaryFolders();

/** An instance with one listed package. */
async function startInstance(data: string) {
  const command = startCommand(['start', '--data', data, '--port', '0', '--ledger-port', '0']);
  await command.shows('Stop     Ctrl-C');
  const { url, rpcUrl, programId } = JSON.parse(await readFile(join(data, 'instance.json'), 'utf8')) as Instance;
  const signer = await fundedWallet(createSolanaRpc(rpcUrl), 1_000_000_000n);
  const { id } = await listPackage(createLegworkClient({ url, signer }), signer, {
    originLat: 52.5,
    originLng: 13.4,
    destLat: 52.6,
    destLng: 13.5,
    description: 'a box',
    weightKg: 1,
    volumeLitres: 1,
    maxBudgetSol: 0.1,
  });
  const stop = async () => {
    command.child.kill('SIGTERM');
    await command.ended;
  };
  return { id, rpcUrl, programId, databaseUrl: (await runningPostgres(data)) ?? '', stop };
}

async function execute(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(statement);
  await client.end();
}

test('audits the instance of a data folder: 0 without, 1 with differences, 2 when it is gone', {
  timeout: SLOW,
}, async () => {
  const data = await newFolder();
  const instance = await startInstance(data);
  try {
    const clean = await runHere(['audit', '--data', data]);
    expect(clean.stderr).toBe('');
    expect(clean.stdout).toMatch(
      /^no differences: \d+ transactions compared with 1 packages, 0 digital tasks, 0 legs, 0 reputations and 1 events, 0 choices made again and 0 signatures checked in /,
    );
    expect(clean.code).toBe(0);

    await execute(instance.databaseUrl, `update packages set funder_pubkey = 'nobody'`);
    const wrong = await runHere(['audit', '--data', data]);
    expect(wrong.stdout).toMatch(
      new RegExp(`^package ${instance.id}: funder is nobody here, \\w+ on the ledger \\(tx \\w+\\)\n1 difference: `),
    );
    expect(wrong.code).toBe(1);

    const kept = await runHere(['ops', 'audit', '--data', data]);
    expect(kept).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/funder is nobody here[^]*1 difference: [^]*\.\n$/),
    });
    const stands = await runHere(['ops', 'status', '--data', data]);
    expect(stands.stdout).toMatch(
      /Last audit +\S+ \S+.*, 1 difference\n[^]*audit, since .*: the last audit found 1 difference/,
    );

    // The environment alone names the same, without a data folder.
    const settings = {
      DATABASE_URL: instance.databaseUrl,
      SOLANA_RPC_URL: instance.rpcUrl,
      RELAY_PROGRAM_ID: instance.programId,
    };
    const closed = await runHere(['audit'], settings);
    expect(closed).toMatchObject({ code: 2, stdout: '' });
    expect(closed.stderr).toMatch(/^The keys of \d{4}-\d{2} are missing, .* set PERSONAL_DATA_KEYS /);
    const keys = { PERSONAL_DATA_KEYS: join(data, 'personal-data-keys') };
    const json = await runHere(['audit', '--json'], { ...settings, ...keys });
    expect(JSON.parse(json.stdout)).toMatchObject({
      differences: [{ subject: `package ${instance.id}` }],
      notes: [],
      compared: { packages: 1, digitalTasks: 0, events: 1 },
    });
    expect(json.code).toBe(1);
  } finally {
    await instance.stop();
  }
  const gone = await runHere(['audit', '--data', data]);
  expect(gone).toMatchObject({ code: 2, stdout: '' });
  expect(gone.stderr).toContain(
    `DATABASE_URL, SOLANA_RPC_URL, RELAY_PROGRAM_ID are not set, and no instance runs in ${data} to provide them.`,
  );
});

test('a setting that cannot be used is named, and is not a difference', async () => {
  const settings = {
    DATABASE_URL: 'postgresql://127.0.0.1:9/none',
    SOLANA_RPC_URL: 'http://127.0.0.1:9',
    RELAY_PROGRAM_ID: 'x',
  };
  const wrong = await runHere(['audit'], settings);
  expect(wrong).toMatchObject({ code: 2, stderr: 'RELAY_PROGRAM_ID: must be the base58 address of a program\n' });
  const away = await runHere(['audit'], { ...settings, RELAY_PROGRAM_ID: '11111111111111111111111111111111' });
  expect(away.stderr).toMatch(/^The ledger that SOLANA_RPC_URL names cannot be used: /);
  expect(away.code).toBe(2);
});
