import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Receipt } from '@legwork/sdk';
import { readHandoff, signHandoff, submitHandoff } from '@legwork/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../../cli/tests/support/line.js';
import { at, carryTo, CHAIN, formedWithTerms } from '../operations/turns/scene.js';
import { untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';

const service = withService();
const home = process.cwd();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'legwork-receipts-'));
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command of somebody without a key; `to` is the service, or an address where there is none. */
const run = (args: readonly string[], to = service.current.server.url) =>
  runHere(args, { XDG_CONFIG_HOME: folder, LEGWORK_URL: to, LEGWORK_KEY: undefined });
const NOWHERE = 'http://127.0.0.1:9';

test('receipts are read without a key, checked here, kept, and checked again without a network (A-125)', async () => {
  const cast = await formedWithTerms(service.current, CHAIN, {});
  const { parcel, shipper, couriers } = cast;
  expect(await run(['receipts', parcel.id])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Nothing of it'),
  });
  await carryTo(service.current, cast, 2);
  const ahead = await readHandoff(shipper.client, shipper.pubkey, { packageId: parcel.id, legIndex: 2 });
  const signed = await signHandoff(shipper.signer, ahead, { noted: new Uint8Array(32).fill(9) });
  await submitHandoff(at(couriers, 2).client, at(couriers, 2).signer, signed);
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');

  const told = await run(['receipts', parcel.id, '--out', 'chain.json']);
  expect(told).toMatchObject({ code: 0, stderr: '' });
  const row = (...cells: readonly string[]) => new RegExp(`^20\\S+Z +${cells.join(' +')}$`, 'mu');
  expect(told.stdout).toMatch(row(at(couriers, 0).pubkey, 'picked up', 'not said', 'ledger'));
  expect(told.stdout).toMatch(row(shipper.pubkey, 'received', 'noted', 'signature, ledger'));
  expect(told.stdout).toContain(`noted by ${shipper.pubkey}, of what ${at(couriers, 2).pubkey} had`);
  expect(told.stdout).toContain(`${shipper.pubkey} has it now, where it was to go.`);
  expect(told.stdout).not.toContain('What is not proven');
  // It writes over nothing.
  expect(await run(['receipts', parcel.id, '--out', 'chain.json'])).toMatchObject({ code: 1 });

  const offline = await run(['receipts', 'chain.json', '--offline'], NOWHERE);
  expect(offline.stdout).toMatch(row(at(couriers, 0).pubkey, 'picked up', 'not said', 'nothing'));
  expect(offline).toMatchObject({ code: 0, stdout: expect.stringContaining('What is not proven') });
  const { rpcUrl } = service.current.ledger;
  const asked = await run(['receipts', 'chain.json', '--rpc', rpcUrl, '--json'], NOWHERE);
  expect(JSON.parse(asked.stdout)).toMatchObject({ ledger: rpcUrl, paid: [0, 1, 2, 3], unproven: [], isEnded: true });

  const chain: Receipt[] = JSON.parse(await readFile('chain.json', 'utf8'));
  const wrong = async (change: (chain: Receipt[]) => unknown, ...more: readonly string[]) => {
    await writeFile('wrong.json', JSON.stringify(change(structuredClone(chain))));
    return run(['receipts', 'wrong.json', ...more], NOWHERE);
  };
  const moved = chain.map((one) => ({ ...one, landed: at(chain, 1).landed }));
  const last = { ...at(chain, 3), condition: 'as described', hash: null };
  for (const [why, change, ...more] of [
    ['receipt 4: its text says something else, another condition', () => [...chain.slice(0, 3), last], '--offline'],
    ['receipt 1: it is not the first', () => chain.slice(1), '--offline'],
    ['receipt 1: there is none', () => [], '--offline'],
    ['receipt 2: it has not the form of a receipt', () => [at(chain, 0), 'x'], '--offline'],
    ['receipt 1: transaction .* is not this handoff', () => moved, '--rpc', rpcUrl],
  ] as const) {
    const said = await wrong(change, ...more);
    expect([why, said]).toEqual([
      why,
      { code: 1, stdout: '', stderr: expect.stringMatching(new RegExp(`^${why}`, 'u')) },
    ]);
  }
  expect(await wrong(() => ({ receipts: 1 }), '--offline')).toMatchObject({ code: 2 });
  expect(await run(['receipts', parcel.id, '--offline'])).toMatchObject({ code: 2 });
  expect(await run(['receipts', 'none.json', '--offline'])).toMatchObject({ code: 2 });
  expect(await run(['receipts', crypto.randomUUID()])).toMatchObject({ code: 1 });
});
