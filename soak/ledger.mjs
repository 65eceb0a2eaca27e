// `npm run soak:ledger`: SIGKILLs a ledger at random moments under load, also while it starts, and checks after each start that
// everything acknowledged is there, is refused as known when sent again, and that the sums agree. Then the disk is full, the
// file is cut off, and two processes start on one folder.
//   npm run soak:ledger -- --kills 1000 --seed 7
import { cp, mkdtemp, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { BootstrapError, ensureBuilt, ensureInstalled, orExplain } from '../scripts/bootstrap.mjs';
import { spawnLedger, startLedger } from './ledger/process.mjs';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '100' }, seed: { type: 'string', default: `${Date.now() % 2 ** 31}` } },
});
const say = (line) => process.stdout.write(`${line}\n`);

const LANES = 6;
const BATCH = 20;
const FUNDS = 1_000_000_000_000_000n;
const FEE = 5_000n;
/** A ledger lives so long at most, in milliseconds. */
const LIFE_MS = 2_000;
/** Of the file, in blocks of 1,024 bytes: some thousand transactions. */
const FULL_DISK = 'ulimit -f 6000';
const CONFIRMED = { commitment: 'confirmed' };

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function check(isSo, what) {
  if (!isSo) throw new Error(what);
}

/** The sent payments: `acknowledged` in this life, `doubtful` without an answer, `landed` in earlier lives, as checked. */
function makeBooks(recipient, wallets) {
  return { recipient, wallets, acknowledged: [], doubtful: [], landed: 0, moved: 0n, next: 1_000_000n };
}

/** Sends transfers from one wallet, single ones and batches by turns, until the ledger is gone or refuses. */
async function sendAlong(ledger, wallet, books, random) {
  for (;;) {
    const size = random() < 0.5 ? 1 : BATCH;
    const { blockhash } = (await ledger.call('getLatestBlockhash', [CONFIRMED])).value;
    const sent = Array.from({ length: size }, () => wallet.transfer(books.recipient, (books.next += 1n), blockhash));
    const config = { encoding: 'base64', preflightCommitment: 'confirmed', skipPreflight: random() < 0.3 };
    const requests = sent.map(({ wire }, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'sendTransaction',
      params: [wire, config],
    }));
    const unanswered = new Set(sent);
    try {
      for (const { id, error } of await ledger.post(requests)) {
        if (error) throw new Error(error.message);
        unanswered.delete(sent[id]);
        books.acknowledged.push(sent[id]);
      }
    } finally {
      books.doubtful.push(...unanswered);
    }
  }
}

async function landedOf(ledger, sent) {
  const landed = [];
  for (let at = 0; at < sent.length; at += 256) {
    const some = sent.slice(at, at + 256);
    const signatures = some.map(({ signature }) => signature);
    const { value } = await ledger.call('getSignatureStatuses', [signatures, { searchTransactionHistory: true }]);
    landed.push(...some.filter((_, index) => value[index] !== null));
  }
  return landed;
}

async function balanceOf(ledger, address) {
  return BigInt((await ledger.call('getBalance', [address, CONFIRMED])).value);
}

/** Checks a ledger that started again. */
async function checkBooks(ledger, books) {
  const [known, doubtful] = [await landedOf(ledger, books.acknowledged), await landedOf(ledger, books.doubtful)];
  check(
    known.length === books.acknowledged.length,
    `${books.acknowledged.length - known.length} acknowledged are gone`,
  );
  const landed = [...known, ...doubtful];
  books.landed += landed.length;
  books.moved += landed.reduce((sum, { lamports }) => sum + lamports, 0n);
  const config = { encoding: 'base64', preflightCommitment: 'confirmed' };
  for (const { wire } of landed.slice(-3 * BATCH)) {
    const params = [wire, config];
    const { error } = await ledger.post({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params });
    check(error?.data?.err === 'AlreadyProcessed', `a known transaction sent again: ${JSON.stringify(error)}`);
  }
  check((await balanceOf(ledger, books.recipient)) === books.moved, 'the recipient has another sum than was sent');
  const left = await Promise.all(books.wallets.map(({ address }) => balanceOf(ledger, address)));
  const expected = BigInt(LANES) * FUNDS - books.moved - FEE * BigInt(books.landed);
  check(left.reduce((sum, one) => sum + one, 0n) === expected, 'the senders have another sum than is left');
  Object.assign(books, { acknowledged: [], doubtful: [] });
  return landed.length;
}

async function countListed(ledger, address) {
  const listed = new Set();
  for (let before; ; ) {
    const page = await ledger.call('getSignaturesForAddress', [address, { ...CONFIRMED, before }]);
    for (const { signature } of page) listed.add(signature);
    if (page.length < 1000) return listed.size;
    before = page.at(-1).signature;
  }
}

async function openBooks(ledger) {
  const { makeWallet } = await import('./ledger/wallet.mjs');
  const wallets = Array.from({ length: LANES }, makeWallet);
  for (const { address } of wallets) await ledger.call('requestAirdrop', [address, Number(FUNDS)]);
  return makeBooks(makeWallet().address, wallets);
}

async function soakKills(dataDir, kills, random) {
  let ledger = await startLedger(dataDir);
  const books = await openBooks(ledger);
  for (let kill = 1; kill <= kills; kill += 1) {
    const sending = Promise.allSettled(books.wallets.map((wallet) => sendAlong(ledger, wallet, books, random)));
    await pause(random() * LIFE_MS);
    await ledger.stop();
    await sending;
    if (random() < 0.3) {
      const early = spawnLedger(dataDir);
      await pause(random() * 600);
      await early.stop();
    }
    ledger = await startLedger(dataDir);
    const landed = await checkBooks(ledger, books);
    if (kill % 10 === 0) say(`${kill} kills, ${books.landed} transactions, ${landed} in the last life`);
  }
  check((await countListed(ledger, books.recipient)) === books.landed, 'the list of signatures is another one');
  await ledger.stop();
}

async function soakFullDisk(dataDir, random) {
  const ledger = await startLedger(dataDir, FULL_DISK);
  const books = await openBooks(ledger);
  const ends = await Promise.allSettled(books.wallets.map((wallet) => sendAlong(ledger, wallet, books, random)));
  const isTold = ({ reason }) => reason.message.includes('the ledger could not write to its data folder');
  check(ends.every(isTold), `the senders were told: ${ends.map(({ reason }) => reason.message).join('; ')}`);
  await ledger.stop('SIGTERM');
  const again = await startLedger(dataDir);
  say(`full disk: ${await checkBooks(again, books)} transactions, and it goes on`);
  await again.stop();
}

async function soakCutOff(dataDir, random) {
  const copy = `${dataDir}-cut`;
  for (let turn = 0; turn < 10; turn += 1) {
    await cp(dataDir, copy, { recursive: true });
    const file = join(copy, 'ledger.lmdb');
    const { size } = await stat(file);
    await truncate(file, 1 + Math.floor(random() * size * 0.9));
    const ledger = spawnLedger(copy);
    check((await ledger.served) === undefined, 'a ledger serves from a file that was cut off');
    check(ledger.said.errors.includes(`${file} is damaged`), `a cut-off file is refused with: ${ledger.said.errors}`);
    await rm(copy, { recursive: true });
  }
  say('cut off ten times, refused ten times');
}

async function soakTwoStarters(dataDir) {
  for (let turn = 0; turn < 10; turn += 1) {
    const both = [spawnLedger(dataDir), spawnLedger(dataDir)];
    const urls = await Promise.all(both.map(({ served }) => served));
    check(urls.filter((url) => url !== undefined).length === 1, `of two ledgers ${urls.filter(Boolean).length} serve`);
    const loser = both[urls.indexOf(undefined)];
    check(loser.said.errors.includes('is in use by process'), `the other one says: ${loser.said.errors}`);
    await Promise.all(both.map(({ stop }) => stop()));
  }
  say('two at once ten times, one served');
}

await orExplain(async () => {
  for (const [name, value] of Object.entries(values)) {
    if (!/^[1-9]\d{0,9}$/.test(value)) throw new BootstrapError(`--${name} is "${value}"; give a whole number from 1.`);
  }
  await ensureInstalled();
  await ensureBuilt();
  const random = randomOf(Number(values.seed));
  const folder = await mkdtemp(join(tmpdir(), 'soak-ledger-'));
  say(`seed ${values.seed}, ${values.kills} kills, in ${folder}`);
  await soakKills(join(folder, 'killed'), Number(values.kills), random);
  await soakFullDisk(join(folder, 'full'), random);
  await soakCutOff(join(folder, 'killed'), random);
  await soakTwoStarters(join(folder, 'killed'));
  await rm(folder, { recursive: true });
});
