// Writes vectors.json beside this file, chains of receipts with what each says or where it fails: `node vectors.mjs`, after a build.
// `node vectors.mjs --check` writes nothing and fails when the file differs.
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { receiptHash, signHandoff } from '@legwork/sdk';
import { createKeyPairSignerFromPrivateKeyBytes, getBase16Encoder, getBase58Decoder } from '@solana/kit';
import { tell } from '../dist/receipts/verify.js';

const PROGRAM = '7YkLmNbQ3hVJt5u3M9c2RrXwE8a4fKpZsD6gTqWvUy1B';
const LISTING = 'Sysvar1nstructions1111111111111111111111111';
const NONCE = new Uint8Array(8).fill(7);
const DAMAGE = 'c'.repeat(64);

const people = [];
for (let seed = 1; seed <= 9; seed += 1) {
  people.push(await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(seed)));
}

/** A receipt of a handoff that follows the one before; without a text where `signed` is false. */
async function receiptOf({ said, legIndex = 0, from, to, hash = null, signed = true, nonce = NONCE, ...rest }, before) {
  const { listing = LISTING, by = said === 'picked up' ? from : to, formation = 1, minute = 0, ...others } = rest;
  const signedAt = new Date((1_795_000_000 + legIndex * 3_600 + minute * 60) * 1_000);
  const bytes = hash === null ? undefined : getBase16Encoder().encode(hash);
  const [about, noted] = said === 'accepted' ? [{ said, resultHash: bytes }] : [{ said }, bytes];
  const ahead = { listing, legIndex, formation, nonce, ...about };
  const proof = await signHandoff(people[by], ahead, { noted, signedAt });
  return {
    v: 'legwork.receipt/1',
    program: PROGRAM,
    listing,
    document: 'ab'.repeat(32),
    legIndex,
    formation,
    said,
    from: people[from].address,
    to: people[to].address,
    condition: !signed ? 'not said' : hash === null || said === 'accepted' ? 'as described' : 'noted',
    hash,
    at: `${signedAt.toISOString().slice(0, 19)}Z`,
    signed: signed
      ? { signer: proof.signer, signature: getBase58Decoder().decode(proof.signature), text: proof.text }
      : null,
    previous: before === undefined ? null : await receiptHash(before),
    landed: null,
    ...others,
  };
}

async function chainOf(hops) {
  const chain = [];
  for (const hop of hops) chain.push(await receiptOf(hop, chain.at(-1)));
  return chain;
}

/** From the shipper (0) through so many couriers to the receiver (8). */
function relay(couriers, { notedAt = Number.POSITIVE_INFINITY, ...all } = {}) {
  return Array.from({ length: couriers + 1 }, (_, place) => {
    const said = place === 0 ? 'picked up' : place === couriers ? 'received' : 'taken over';
    const to = place === couriers ? 8 : place + 1;
    const legIndex = Math.max(0, place - 1);
    return { said, legIndex, from: place, to, minute: place, ...(place >= notedAt && { hash: DAMAGE }), ...all };
  });
}

const accepted = { said: 'accepted', from: 1, to: 8, hash: 'd'.repeat(64) };

async function good() {
  const landed = { transaction: getBase58Decoder().decode(new Uint8Array(64).fill(3)), slot: '17' };
  return {
    'one courier': await chainOf(relay(1)),
    'three couriers': await chainOf(relay(3)),
    'seven couriers': await chainOf(relay(7)),
    'noted at the first pickup': await chainOf(relay(2, { notedAt: 0 })),
    'noted at a takeover, and by everybody after it': await chainOf(relay(4, { notedAt: 2 })),
    'noted at the end': await chainOf(relay(2, { notedAt: 2 })),
    'lost under way': (await chainOf(relay(4))).slice(0, 3),
    'handed over by transactions alone': await chainOf(relay(2, { signed: false })),
    'a text between two transactions': await chainOf(relay(2).map((hop, place) => ({ ...hop, signed: place === 1 }))),
    'a result that was accepted': await chainOf([accepted]),
    'two results of a task, by two agents': await chainOf([accepted, { ...accepted, from: 2, legIndex: 1 }]),
    'a result that was accepted by a transaction': await chainOf([{ ...accepted, signed: false }]),
    'said to be landed, and not asked': (await chainOf(relay(2))).map((receipt) => ({ ...receipt, landed })),
  };
}

/** Texts that are no receipt by their form alone. */
function badForms(changed) {
  const form = 'it has not the form of a receipt';
  return {
    'of another version': [changed({ v: 'legwork.receipt/2' }), `receipt 2: ${form}`],
    'an address that is none': [changed({ from: 'me' }), `receipt 2: ${form}`],
    'one member more': [changed({ note: 'x' }), `receipt 2: ${form}`],
    'one member less': [changed({ landed: undefined }), `receipt 2: ${form}`],
    'a number that is no whole one': [changed({ formation: 1.5 }), `receipt 2: ${form}`],
    'a number as a text': [changed({ legIndex: '0' }), `receipt 2: ${form}`],
    'noted without saying what': [changed({ condition: 'noted' }), `receipt 2: ${form}`],
  };
}

/**
 * Each with where it fails and why. A change is made to the second of four receipts.
 *
 * @returns {Promise<Record<string, [chain: any[], fault: string]>>}
 */
async function bad() {
  const whole = await chainOf(relay(3, { notedAt: 2 }));
  const [first, second, third, fourth] = whole;
  const changed = (change) => [first, { ...second, ...change }, third, fourth];
  const resigned = (change) => changed({ signed: { ...second.signed, ...change } });
  const followed = async (hop) => [...whole, await receiptOf(hop, fourth)];
  const second2 = async (change) => [
    first,
    await receiptOf({ said: 'taken over', from: 1, to: 2, minute: 1, ...change }, first),
  ];
  const text = 'its text says something else';
  const [courier, other] = [people[2].address, people[5].address];
  return {
    'no receipt': [[], 'receipt 1: there is none'],
    ...badForms(changed),
    'a condition that nobody signed': [
      changed({ signed: null }),
      'receipt 2: nobody signed what it says of the condition',
    ],
    'signed by somebody else': [await second2({ by: 5 }), `receipt 2: ${courier} should have signed it`],
    'given to somebody else': [changed({ to: other }), `receipt 2: ${other} should have signed it`],
    'a text about another condition': [changed({ condition: 'noted', hash: DAMAGE }), `receipt 2: ${text}`],
    'a damage that was taken out': [
      [first, second, { ...third, condition: 'as described', hash: null }, fourth],
      `receipt 3: ${text}`,
    ],
    'a text about another leg': [changed({ legIndex: 1 }), `receipt 2: ${text}`],
    'a text of another time': [changed({ at: '2026-11-28T12:40:05Z' }), `receipt 2: ${text}`],
    'a text with words before it': [resigned({ text: `Hello\n${second.signed.text}` }), `receipt 2: ${text}`],
    'a signature of another text': [
      resigned({ signature: third.signed.signature }),
      'receipt 2: its signature is not of this text and key',
    ],
    'a signature of another length': [
      resigned({ signature: second.signed.signature.slice(1) }),
      'receipt 2: its signature is not of this text and key',
    ],
    'the first one is missing': [whole.slice(1), 'receipt 1: it is not the first one of its chain'],
    'one is missing in between': [[first, third, fourth], 'receipt 2: it does not follow the one before'],
    'a text that was taken out': [
      changed({ condition: 'not said', signed: null }),
      'receipt 3: it does not follow the one before',
    ],
    'another cluster': [await second2({ nonce: new Uint8Array(8).fill(8) }), 'receipt 2: it is of another listing'],
    'another listing': [await second2({ listing: PROGRAM }), 'receipt 2: it is of another listing'],
    'given by who did not have it': [await second2({ from: 4 }), `receipt 2: ${people[4].address} did not have it`],
    'handed on after the end': [
      await followed({ said: 'taken over', legIndex: 2, from: 8, to: 2 }),
      'receipt 5: it follows the end',
    ],
    'back to an earlier leg': [
      await chainOf([...relay(3).slice(0, 3), { said: 'taken over', legIndex: 0, from: 3, to: 4 }]),
      'receipt 4: it is of an earlier leg',
    ],
  };
}

async function vectors() {
  const said = [];
  for (const [name, chain] of Object.entries(await good())) said.push({ name, chain, says: await tell(chain) });
  for (const [name, [chain, fault]] of Object.entries(await bad())) {
    const message = await tell(chain).then(
      () => 'it holds',
      (error) => error.message,
    );
    if (!message.startsWith(fault)) throw new Error(`${name}: ${message}, not ${fault}`);
    said.push({ name, chain, fault });
  }
  return said;
}

/** In the repository's own format, so that formatting everything leaves the file as it is. */
function format(file, json) {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const options = { input: json, encoding: 'utf8', cwd: fileURLToPath(new URL('../..', import.meta.url)) };
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${fileURLToPath(file)}`], options);
}

const file = new URL('vectors.json', import.meta.url);
const text = format(file, JSON.stringify(await vectors()));
if (!process.argv.includes('--check')) {
  await writeFile(file, text);
} else if ((await readFile(file, 'utf8')) !== text) {
  process.stderr.write('examples/receipts/vectors.json differs from the code; build, then run vectors.mjs\n');
  process.exitCode = 1;
}
