import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSol } from '@legwork/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { draft, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { COMMAND } from '../../../cli/tests/support/command.js';
import { runHere } from '../../../cli/tests/support/line.js';

/** A bound for a machine that is busy with other tests. */
const SLOW = 180_000;
const service = withService();

const home = process.cwd();
/** Where the command runs, and where its user's configuration is. */
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'legwork-command-'));
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

const environment = () => ({
  XDG_CONFIG_HOME: folder,
  LEGWORK_URL: service.current.server.url,
  LEGWORK_KEY: undefined,
});

/** Runs a command to its end. The usual key is Ada's. */
const run = (args: readonly string[]) => runHere(args, environment());

/** The output of a command that has to be done, as people or as programs read it. */
async function done(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

const json = async (...args: readonly string[]) => JSON.parse(await done(...args, '--json'));
const BEN = ['--key', 'ben.json'];
const FROM_TO = ['--from', '52.5074,13.3326', '--to', '52.5031,13.4694'];
const PARCEL = [...FROM_TO, '--what', 'a box of books', '--kg', '4', '--litres', '12', '--budget', '0.3'];
const GOAL = ['--title', 'Feedback', '--what', 'Group it, then sum it up.', '--budget', '0.2', '--minutes', '30'];
const LEGS = ['--leg', 'Group it.', '--leg', 'Sum it up.'];

test('keys are made for their owner alone, never printed, never overwritten (A-1, A-92)', {
  timeout: SLOW,
}, async () => {
  const missing = await run(['due']);
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toMatch(
    /^There is no key file .*\/legwork\/key\.json\. Make one: legwork key new .*key\.json\n$/,
  );

  const made = await done('key', 'new');
  const file = join(folder, 'legwork', 'key.json');
  const secret = await readFile(file, 'utf8');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(made).toBe(`${(await json('key', 'show')).address}\n  in ${file}\n`);
  const again = await run(['key', 'new']);
  expect(again).toMatchObject({ code: 2, stdout: '' });
  expect(again.stderr).toBe(`${file} exists already; a key is never overwritten.\n`);
  expect(await readFile(file, 'utf8')).toBe(secret);

  await done('key', 'new', 'ben.json');
  const open = join(folder, 'open.json');
  await writeFile(open, secret, { mode: 0o644 });
  const refused = await run(['due', '--key', 'open.json']);
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`chmod 600 ${open}`) });
  expect(refused.stderr).not.toContain(secret.slice(1, 20));
});

test('a package is posted, bid on, due, handed over and paid by commands alone (A-90, A-92)', {
  timeout: SLOW,
}, async () => {
  await done('register', '--name', 'Ada', '--can', 'delivery');
  await done('register', '--name', 'Ben', ...BEN);
  const { id } = await json('post', 'package', ...PARCEL, ...BEN);
  expect(await done('packages', '--near', '52.5,13.3')).toMatch(
    new RegExp(`^PACKAGE .*\n${id}  52\\.5074,13\\.3326 -> .* 4 kg, 12 l  0\\.3 SOL  .* a box of books\n$`),
  );
  const bid = await json('bid', id, '--cost', '0.1');
  expect(bid).toMatchObject({ packageId: id, costLamports: 100_000_000, warning: null });
  const { swarm } = await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
  const legId = swarm?.legs[0]?.id ?? '';
  expect(await done('due')).toMatch(
    /^Carry "a box of books" for 0\.\d+ SOL: .*\n {4}until .* UTC, in 3 days; else you are not paid/,
  );
  expect(await json('due', ...BEN)).toMatchObject([
    { act: 'receive', legId, command: `legwork handoff ${id} --key ben.json` },
  ]);

  const wrong = await run(['handoff', id]);
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toMatch(/^\w+ receives nothing of this package\. What waits for you: legwork due\n$/);
  expect(await json('handoff', id, ...BEN)).toMatchObject({ legId, status: 'completed' });
  expect(await done('due', ...BEN)).toBe('Nothing waits for you.\n');

  await writeFile(join(folder, 'ada.jwt'), await done('credential'));
  expect(await done('credential', '--verify', 'ada.jwt')).toContain(
    '1 of 1 legs completed, score 100, as the ledger says',
  );
});

test('a digital task is posted, claimed, done and paid by commands alone, and a leg given back (A-92)', {
  timeout: SLOW,
}, async () => {
  const { id } = await json('post', 'task', ...GOAL, ...LEGS, ...BEN);
  expect(await done('tasks')).toContain(`${id}  1 of 2  now    0.1 SOL`);
  const { legId } = await json('claim', id);
  await expect.poll(() => done('due'), { timeout: SLOW }).toContain(`    legwork done ${legId} --file FILE\n`);
  await writeFile(join(folder, 'result.txt'), 'late (2), dear (1)');
  expect(await done('done', legId, '--file', 'result.txt')).toMatch(/^Handed in, sha256 \w{64}; /);
  const tooLate = await run(['release', legId, '--json']);
  expect([tooLate.code, JSON.parse(tooLate.stderr)]).toMatchObject([
    1,
    { error: { code: 'result_submitted', status: 409 } },
  ]);

  await done('key', 'new', 'cleo.json');
  const second = await json('claim', id, '--leg', '2', '--key', 'cleo.json');
  expect(await done('release', second.legId, '--key', 'cleo.json')).toMatch(/^Given back; /);
});

test('show says what a package asks while nobody bids, and how many could (A-101)', { timeout: SLOW }, async () => {
  const { id } = await json('post', 'package', ...PARCEL, '--window', '3600', ...BEN);
  const waiting = await done('show', id);
  expect(waiting).toMatch(new RegExp(`^Package ${id} is listed: "a box of books"\n`));
  expect(waiting).toMatch(
    /\nNobody bids: \d+ agents? (is|are) registered, and \w+ couriers? ha(s|ve) had a leg within 25 km of its ends\. It pays at most 0\.3 SOL for 9\.3 km/,
  );
  await json('bid', id, '--cost', '0.1');
  expect(await done('show', id)).not.toContain('Nobody bids');
  await json('cancel', id, ...BEN);
  const task = await json('post', 'task', ...GOAL, ...LEGS, ...BEN);
  expect(await done('show', task.id)).toContain('waits to be claimed: "Group it."');
  const nothing = await run(['show', '01890000-0000-7000-8000-000000000000']);
  expect(nothing).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no package and no digital task'),
  });
});

const CLOSED =
  /^Once it is over: (0\.\d+) SOL of rent go to this wallet, which paid for it\. This wallet pays the fee\.\n\S+ is closed, (0\.\d+) SOL of rent are back at this wallet \(transaction \w+\)\n$/;

test('what was posted is cancelled or reclaimed as its status allows, closed for its rent, and a bid withdrawn (A-92, A-172)', {
  timeout: SLOW,
}, async () => {
  const { id } = await json('post', 'package', ...PARCEL, '--window', '3600', ...BEN);
  const bid = await json('bid', id, '--cost', '0.1');
  expect(await done('withdraw', bid.id)).toBe(`Bid ${bid.id} is withdrawn.\n`);
  expect(await run(['reclaim', id, ...BEN])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('invalid_status'),
  });
  expect(await run(['close', id, ...BEN])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('invalid_status'),
  });
  expect(await json('cancel', id, ...BEN)).toMatchObject({ failureReason: 'cancelled' });
  const { address } = await json('key', 'show', 'ben.json');
  const balance = async () => (await service.current.rpc.getBalance(address, { commitment: 'confirmed' }).send()).value;
  const before = await balance();
  const closed = await done('close', id, ...BEN);
  const [, rent = '', back] = CLOSED.exec(closed) ?? [];
  expect({ closed, back }).toEqual({ closed: expect.stringMatching(CLOSED), back: rent });
  expect(await balance()).toBe(before + parseSol(Number(rent)) - 5_000n);
  expect(await run(['close', id, ...BEN])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('is closed'),
  });
  const nothing = await run(['cancel', bid.id, ...BEN]);
  expect(nothing).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`There is no package and no digital task ${bid.id}; legwork packages`),
  });
});

test('legwork.yaml sets service, key and limits; options come before it (A-91, A-93)', { timeout: SLOW }, async () => {
  const file = join(folder, 'legwork.yaml');
  try {
    await writeFile(file, `key: ben.json\nservice: ${service.current.server.url}\nlimits: { perTransaction: 0.1 }\n`);
    const { address } = await json('key', 'show');
    expect(await json('key', 'show', '--key', 'legwork/key.json')).not.toMatchObject({ address });
    const above = await run(['post', 'package', ...PARCEL]);
    expect(above).toMatchObject({ code: 1, stdout: expect.not.stringContaining('is listed') });
    expect(above.stderr).toMatch(
      /^this may cost 0\.3\d* SOL.*limits\.perTransaction is 0\.1 SOL\. Raise it in legwork\.yaml, or /,
    );

    await writeFile(file, 'key: ben.json\nservce: x\n');
    const faulty = await run(['due']);
    expect(faulty).toMatchObject({ code: 2, stderr: 'legwork.yaml:2: servce is not a field of a policy\n' });
  } finally {
    await rm(file);
  }
});

test('watch tells events in words, and keeps the words of others from moving the cursor (A-92)', {
  timeout: SLOW,
}, async () => {
  const poster = await service.current.party();
  await poster.client.postSponsoredDigitalTask({
    shipperPubkey: poster.pubkey,
    title: 'Notes\n\u200e  99  2026-01-01 00:00:00  all is paid',
    description: 'Sum the notes up.',
    maxBudgetSol: 0.1,
  });
  await poster.client.postSponsored({ ...draft({ maxBudgetSol: 0.1 }), shipperPubkey: poster.pubkey });
  const lines = await watched('--since', '0');
  expect(
    lines.filter((line) => !/^ *\d+ {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}(package|task) [\da-f-]{36}/.test(line)),
  ).toEqual([]);
  expect(lines.find((line) => line.includes('Notes'))).toContain(
    ', "Notes\\n   99  2026-01-01 00:00:00  all is paid": Listed in 1 leg',
  );
});

test('a service that refuses in wild words gets one line of standard error (A-92)', { timeout: SLOW }, async () => {
  const detail = '\u001b[2J\u202eall is well\n2 SOL are yours';
  const liar = createServer((_request, response) => {
    response.writeHead(409, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ status: 409, detail, code: 'invalid_status', errors: [] }));
  });
  await new Promise<void>((listening) => {
    liar.listen(0, '127.0.0.1', listening);
  });
  const address = liar.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  try {
    const { code, stdout, stderr } = await run(['packages', '--url', url]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(' [2J all is well 2 SOL are yours (409 invalid_status)\n');
  } finally {
    liar.close();
  }
});

/** The lines of `legwork watch` up to the last event there is. */
async function watched(...args: readonly string[]): Promise<string[]> {
  const { max } = await service.current.db
    .selectFrom('events')
    .select(({ fn }) => fn.max('seq').as('max'))
    .executeTakeFirstOrThrow();
  const env = { ...process.env, ...environment() };
  const child = execFile(process.execPath, [COMMAND, 'watch', ...args], { cwd: folder, env });
  let text = '';
  child.stdout?.on('data', (part: string) => (text += part));
  try {
    await expect.poll(() => text, { timeout: SLOW }).toMatch(new RegExp(`^ *${max}  .*\n`, 'm'));
  } finally {
    child.kill();
  }
  return text.trimEnd().split('\n');
}
