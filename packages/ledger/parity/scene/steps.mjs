// The steps of the scene, in this order.
import { createHash } from 'node:crypto';
import { getAddressDecoder } from '@solana/kit';
import { ask } from '../rpc.mjs';
import * as make from './instructions.mjs';

const { PROGRAMS, key } = make;
const SOL = 1_000_000_000;
const RENT = { mint: 1_461_600, mint22: 3_549_600, nonce: 1_447_680, stake: 2_282_880, seeded: 946_560 };
const token = make.tokenProgram(PROGRAMS.token);
const token22 = make.tokenProgram(PROGRAMS.token2022);

export const steps = [
  funding,
  transfers,
  mint,
  tokens,
  failures,
  wrappedSol,
  token2022,
  nonce,
  lookupTable,
  otherAccounts,
];

async function funding(scene) {
  const { payer, alice, keeper, clerk } = scene.addresses;
  await scene.airdrop('airdrop to payer', payer, 20 * SOL);
  await scene.airdrop('airdrop to alice', alice, 5 * SOL);
  await scene.airdrop('airdrop to keeper', keeper, SOL);
  await scene.airdrop('airdrop to clerk', clerk, 5 * SOL);
}

async function transfers(scene) {
  const { payer, bob, alice } = scene.addresses;
  await scene.send('transfer', [make.transfer(payer, bob, SOL)]);
  await scene.send('transfer with price and memo', [
    make.computeLimit(40_000),
    make.computePrice(1_000),
    make.transfer(payer, bob, 12_345),
    make.memo('thank you', payer),
  ]);
  await scene.send('transfer of version 0', [make.transfer(payer, alice, 1_000_000)], { version: 0 });
  await scene.send('transfer from two payers', [make.transfer(alice, bob, 5_000_000)], { signers: ['alice'] });
}

async function mint(scene) {
  const { payer, mint: address } = scene.addresses;
  const instructions = [
    make.createAccount(payer, address, RENT.mint, 82, PROGRAMS.token),
    token.initializeMint(address, 6, payer, payer),
  ];
  await scene.send('create mint', instructions, { signers: ['mint'] });
}

async function tokens(scene) {
  const { payer, alice, bob, mint: address } = scene.addresses;
  const payerTokens = await make.associatedAddress(payer, address, PROGRAMS.token);
  const bobTokens = await make.associatedAddress(bob, address, PROGRAMS.token);
  Object.assign(scene.addresses, { payerTokens, bobTokens });
  await scene.send('create token accounts', [
    make.createAssociated(payer, payerTokens, payer, address, PROGRAMS.token),
    make.createAssociated(payer, bobTokens, bob, address, PROGRAMS.token),
  ]);
  await scene.send('mint tokens', [token.mintTo(address, payerTokens, payer, 1_000_000)]);
  await scene.send('transfer tokens', [token.transferChecked(payerTokens, address, bobTokens, payer, 250_000, 6)]);
  await scene.send('approve delegate', [token.approve(payerTokens, alice, payer, 100_000)]);
  await scene.send('burn tokens', [token.burn(payerTokens, address, payer, 50_000)], { version: 0 });
}

async function failures(scene) {
  const { payer, alice, stranger, payerTokens, bobTokens } = scene.addresses;
  const skipPreflight = true;
  await scene.send('transfer of too much', [make.transfer(alice, stranger, 900 * SOL)], {
    payer: 'alice',
    skipPreflight,
  });
  await scene.send('transfer of too many tokens', [token.transfer(payerTokens, bobTokens, payer, 9_000_000)], {
    skipPreflight,
  });
  await scene.send('transfer of too much, with preflight', [make.transfer(alice, stranger, 900 * SOL)], {
    payer: 'alice',
  });
  await scene.send('payer without money', [make.transfer(stranger, alice, 1)], { payer: 'stranger' });
}

async function wrappedSol(scene) {
  const { clerk } = scene.addresses;
  const payer = 'clerk';
  const wrapped = await make.associatedAddress(clerk, PROGRAMS.nativeMint, PROGRAMS.token);
  scene.addresses.wrapped = wrapped;
  const wrap = [
    make.createAssociated(clerk, wrapped, clerk, PROGRAMS.nativeMint, PROGRAMS.token),
    make.transfer(clerk, wrapped, SOL),
    token.syncNative(wrapped),
  ];
  await scene.send('wrap', wrap, { payer });
  await scene.send('unwrap', [token.close(wrapped, clerk, clerk)], { payer });
}

async function token2022(scene) {
  const { payer, mint22 } = scene.addresses;
  const payerTokens22 = await make.associatedAddress(payer, mint22, PROGRAMS.token2022);
  scene.addresses.payerTokens22 = payerTokens22;
  const instructions = [
    make.createAccount(payer, mint22, RENT.mint22, make.MINT_WITH_EXTENSIONS, PROGRAMS.token2022),
    make.initializeCloseAuthority(mint22, payer),
    make.initializeTransferFee(mint22, payer, 100, 5_000),
    make.initializeMetadataPointer(mint22, payer, mint22),
    token22.initializeMint(mint22, 2, payer, payer),
  ];
  await scene.send('create mint with extensions', instructions, { signers: ['mint22'] });
  await scene.send('mint tokens with extensions', [
    make.createAssociated(payer, payerTokens22, payer, mint22, PROGRAMS.token2022),
    token22.mintTo(mint22, payerTokens22, payer, 777_777),
  ]);
}

/** Its own wallets, as for the lookup table: a target that has no nonces has the same balances elsewhere. */
async function nonce(scene) {
  const { keeper, nonce: address, alice } = scene.addresses;
  const payer = 'keeper';
  const create = [
    make.createAccount(keeper, address, RENT.nonce, 80, PROGRAMS.system),
    make.initializeNonce(address, keeper),
  ];
  await scene.send('create nonce', create, { payer, signers: ['nonce'] });
  await scene.send('advance nonce', [make.advanceNonce(address, keeper)], { payer });
  const byNonce = async () => ({ payer, lifetime: await storedNonce(scene, address, keeper) });
  await scene.send('transfer by nonce', [make.transfer(keeper, alice, 0)], await byNonce());
  await scene.send('failure by nonce', [make.transfer(keeper, alice, 900 * SOL)], {
    ...(await byNonce()),
    skipPreflight: true,
  });
}

async function storedNonce(scene, nonceAccountAddress, nonceAuthorityAddress) {
  const { value } = await ask(scene.target, 'getAccountInfo', [
    nonceAccountAddress,
    { encoding: 'base64', commitment: 'confirmed' },
  ]);
  const stored = Buffer.from(value?.data[0] ?? '', 'base64').subarray(40, 72);
  const nonce = stored.length === 32 ? getAddressDecoder().decode(stored) : PROGRAMS.system;
  return { kind: 'nonce', nonce, nonceAccountAddress, nonceAuthorityAddress };
}

async function lookupTable(scene) {
  const { clerk, alice, bob } = scene.addresses;
  const payer = 'clerk';
  const slot = await ask(scene.target, 'getSlot', [{ commitment: 'finalized' }]);
  const [table, bump] = await make.lookupTableAddress(clerk, slot);
  scene.addresses.table = table;
  await scene.send('create lookup table', [make.createLookupTable(table, bump, clerk, slot)], { payer });
  await scene.send('extend lookup table', [make.extendLookupTable(table, clerk, [alice, bob])], { payer });
  const tables = { [table]: [alice, bob] };
  await scene.send('transfer by lookup table', [make.transfer(clerk, alice, 0)], { payer, version: 0, tables });
}

async function otherAccounts(scene) {
  const { payer, stake } = scene.addresses;
  scene.addresses.seeded = seededAddress(payer, 'seed', PROGRAMS.system);
  await scene.send('create account with seed', [
    make.createWithSeed(payer, scene.addresses.seeded, 'seed', RENT.seeded, 8, PROGRAMS.system),
  ]);
  const create = [
    make.createAccount(payer, stake, RENT.stake + SOL, 200, PROGRAMS.stake),
    make.initializeStake(stake, payer),
  ];
  await scene.send('create stake account', create, { signers: ['stake'] });
}

function seededAddress(base, seed, owner) {
  const digest = createHash('sha256').update(key(base)).update(seed).update(key(owner)).digest();
  return getAddressDecoder().decode(digest);
}
