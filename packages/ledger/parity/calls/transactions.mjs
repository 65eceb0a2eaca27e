// Sending, simulating, and looking for what was sent.
import * as make from '../scene/instructions.mjs';
import { calls } from './list.mjs';

const UNKNOWN = '5'.repeat(87);
const WHO = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const READ = [
  'transfer',
  'transfer with price and memo',
  'transfer of version 0',
  'create mint',
  'create token accounts',
  'mint tokens',
  'transfer tokens',
  'approve delegate',
  'burn tokens',
]
  .concat([
    'transfer of too much',
    'transfer of too many tokens',
    'wrap',
    'unwrap',
    'create mint with extensions',
    'mint tokens with extensions',
    'create nonce',
    'advance nonce',
    'transfer by nonce',
    'failure by nonce',
  ])
  .concat(['create account with seed', 'create stake account', 'transfer by lookup table']);

export async function transactionCalls(scene) {
  return [
    ...transactionReads(scene),
    ...signatureCalls(scene),
    ...(await messageCalls(scene)),
    ...(await simulateCalls(scene)),
    ...(await sendCalls(scene)),
    ...calls('requestAirdrop', {
      'to a wallet': [WHO, 1_000_000],
      confirmed: [WHO, 1_000_000, { commitment: 'confirmed' }],
      nothing: [WHO, 0],
      text: [WHO, '5'],
      'below zero': [WHO, -5],
      'more than there is': [WHO, 1e18],
      wrong: ['nope', 5],
      'no amount': [WHO],
      'given blockhash': [WHO, 5, { recentBlockhash: WHO }],
      'wrong blockhash': [WHO, 5, { recentBlockhash: 'nope' }],
    }),
  ];
}

function transactionReads({ signatures }) {
  const known = READ.map((name) => [name, signatures[name] ?? UNKNOWN]);
  const version = { maxSupportedTransactionVersion: 0 };
  const transfer = signatures['transfer'];
  return calls('getTransaction', {
    ...Object.fromEntries(
      known.map(([name, signature]) => [`${name}, json`, [signature, { ...version, encoding: 'json' }]]),
    ),
    ...Object.fromEntries(
      known.map(([name, signature]) => [`${name}, parsed`, [signature, { ...version, encoding: 'jsonParsed' }]]),
    ),
    base64: [transfer, { ...version, encoding: 'base64' }],
    base58: [transfer, { encoding: 'base58' }],
    binary: [transfer, { encoding: 'binary' }],
    'bare encoding': [transfer, 'base64'],
    'no options': [transfer],
    'no version, of version 0': [signatures['transfer of version 0']],
    confirmed: [transfer, { commitment: 'confirmed' }],
    processed: [transfer, { commitment: 'processed' }],
    unknown: [UNKNOWN],
    'unknown encoding': [transfer, { encoding: 'hex' }],
    wrong: ['nope'],
    'version is text': [transfer, { maxSupportedTransactionVersion: '0' }],
  });
}

function signatureCalls({ addresses, signatures }) {
  const { payer, bob, mint, stranger } = addresses;
  const transfer = signatures['transfer'];
  return [
    ...calls('getSignatureStatuses', {
      three: [[transfer, UNKNOWN, signatures['transfer of too much']]],
      'with history': [[transfer], { searchTransactionHistory: true }],
      none: [[]],
      wrong: [['nope']],
      'too many': [Array.from({ length: 257 }, () => transfer)],
      'not a list': [transfer],
    }),
    ...calls('getSignaturesForAddress', {
      'of a wallet': [bob],
      'of a mint': [mint],
      'of nobody': [stranger],
      limit: [payer, { limit: 2 }],
      none: [payer, { limit: 0 }],
      'too many': [payer, { limit: 1_001 }],
      before: [payer, { before: signatures['mint tokens'], limit: 3 }],
      until: [payer, { before: signatures['mint tokens'], until: transfer }],
      'before unknown': [payer, { before: UNKNOWN }],
      'before wrong': [payer, { before: 'nope' }],
      processed: [payer, { commitment: 'processed' }],
      wrong: ['nope'],
    }),
  ];
}

async function messageCalls(scene) {
  const { payer, bob } = scene.addresses;
  const plain = await scene.sign([make.transfer(payer, bob, 1)]);
  const priced = await scene.sign(
    [make.computePrice(1_000_000), make.computeLimit(10_000), make.transfer(payer, bob, 1)],
    { version: 0 },
  );
  const two = await scene.sign([make.transfer(scene.addresses.alice, bob, 1)], { signers: ['alice'] });
  return calls('getFeeForMessage', {
    transfer: [plain.message, { commitment: 'confirmed' }],
    'with a price': [priced.message, { commitment: 'confirmed' }],
    'two signatures': [two.message, { commitment: 'confirmed' }],
    finalized: [plain.message],
    'a transaction': [plain.wire],
    'wrong base64': ['!!!'],
    short: ['AAAA'],
    empty: [''],
  });
}

async function simulateCalls(scene) {
  const { payer, bob, alice, stranger, mint, payerTokens } = scene.addresses;
  const { wire } = await scene.sign([make.transfer(payer, bob, 1)]);
  const tooMuch = await scene.sign([make.transfer(payer, bob, 900e9)]);
  const noMoney = await scene.sign([make.transfer(stranger, bob, 1)], { payer: 'stranger' });
  const tokens = await scene.sign([make.tokenProgram(make.PROGRAMS.token).mintTo(mint, payerTokens, payer, 5)], {
    version: 0,
  });
  const unknownHash = await scene.sign([make.transfer(payer, bob, 1)], {
    lifetime: { kind: 'blockhash', blockhash: alice, lastValidBlockHeight: 9n },
  });
  const b64 = { encoding: 'base64', commitment: 'confirmed' };
  return calls('simulateTransaction', {
    transfer: [wire, b64],
    verified: [wire, { ...b64, sigVerify: true }],
    'too much': [tooMuch.wire, b64],
    'payer without account': [noMoney.wire, b64],
    tokens: [tokens.wire, b64],
    inner: [tokens.wire, { ...b64, innerInstructions: true }],
    'unknown blockhash': [unknownHash.wire, b64],
    replaced: [unknownHash.wire, { ...b64, replaceRecentBlockhash: true }],
    'replaced and verified': [wire, { ...b64, replaceRecentBlockhash: true, sigVerify: true }],
    accounts: [wire, { ...b64, accounts: { addresses: [payer, bob], encoding: 'base64' } }],
    'accounts parsed': [tokens.wire, { ...b64, accounts: { addresses: [payerTokens], encoding: 'jsonParsed' } }],
    'accounts base58': [wire, { ...b64, accounts: { addresses: [payer], encoding: 'base58' } }],
    'too many accounts': [wire, { ...b64, accounts: { addresses: Array.from({ length: 9 }, () => payer) } }],
    'wrong account': [wire, { ...b64, accounts: { addresses: ['nope'] } }],
    'broken signature': [spoilSignature(wire), { ...b64, sigVerify: true }],
    short: ['AAAA', b64],
    'wrong base64': ['!!', b64],
    'unknown encoding': [wire, { encoding: 'hex' }],
    parsed: [wire, { encoding: 'jsonParsed' }],
    'base58 by default': [wire],
  });
}

async function sendCalls(scene) {
  const { payer, bob, alice, stranger } = scene.addresses;
  // Of an account that no other call reads: nobody says when it lands.
  const { wire } = await scene.sign([make.transfer(alice, WHO, 1_000_000)], { payer: 'alice' });
  const tooMuch = await scene.sign([make.transfer(payer, bob, 900e9)]);
  const noMoney = await scene.sign([make.transfer(stranger, bob, 1)], { payer: 'stranger' });
  const unknownHash = await scene.sign([make.transfer(payer, bob, 1)], {
    lifetime: { kind: 'blockhash', blockhash: alice, lastValidBlockHeight: 9n },
  });
  const noProgram = await scene.sign([{ programAddress: stranger, accounts: [], data: new Uint8Array() }]);
  const b64 = { encoding: 'base64', preflightCommitment: 'confirmed' };
  const skip = { ...b64, skipPreflight: true };
  return calls('sendTransaction', {
    transfer: [wire, b64],
    'too much': [tooMuch.wire, b64],
    'no money': [noMoney.wire, b64],
    'unknown blockhash': [unknownHash.wire, b64],
    'no such program': [noProgram.wire, b64],
    'broken signature': [spoilSignature(wire), b64],
    'broken signature, no preflight': [spoilSignature(wire), skip],
    'unknown blockhash, no preflight': [unknownHash.wire, skip],
    'landed before': [scene.wires['create account with seed'], b64],
    'landed before, no preflight': [scene.wires['create account with seed'], skip],
    short: ['AAAA', b64],
    empty: ['', b64],
    'wrong base64': ['!!', b64],
    'base58 by default': [wire],
    'unknown encoding': [wire, { encoding: 'hex' }],
    'too long': [Buffer.alloc(1_233).toString('base64'), b64],
    'much too long': ['A'.repeat(3_000), b64],
    parsed: [wire, { encoding: 'jsonParsed' }],
    retries: [tooMuch.wire, { ...b64, maxRetries: -1 }],
  });
}

function spoilSignature(wire) {
  const bytes = Buffer.from(wire, 'base64');
  bytes[20] ^= 1;
  return bytes.toString('base64');
}
