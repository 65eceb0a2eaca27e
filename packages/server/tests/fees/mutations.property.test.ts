import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  compileLegacy,
  createAssociatedToken,
  decodeRelayInstruction,
  getCancelPackageInstruction,
  getSetPausedInstruction,
  payableBy,
  readMessage,
  vaultAddress,
} from '@legwork/program-client';
import { getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import {
  AccountRole,
  address,
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  createNoopSigner,
  getBase64Decoder,
  type Instruction,
  partiallySignTransaction,
  type Transaction,
} from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, expect, inject, test } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { readRelayed } from '../../src/fees/readRelayed.js';
import { messagesOf, wantedOf } from '../../src/fees/wantedOf.js';
import { postSponsored } from '../operations/sponsoring/scene.js';
import { at, newKey } from '../operations/turns/scene.js';
import { listPackage } from '../support/listed.js';
import { draft } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { relayInstruction } from '../support/transactions.js';
import { coordinatorOf, decoded, leaveWith, legIdOf, poorCouriers } from './scene.js';

const RUNS = inject('lane') === 'slow' ? 3_000 : 150;
/** Of three signatures, and for priority. */
const MOST_FEE = 20_000n;
/** Of the account of a package without terms, and of a vault's token account: lent to a listing in a token, which comes last. */
const PACKAGE_RENT = BigInt(128 + 183) * 6_960n;
const TOKEN_RENT = 2_039_280n;
const service = withService();

let context: AppContext;
let coordinator: Address;
let programAddress: Address;
/** Transactions that are taken as they are. */
let allowed: Transaction[];
/** The parties, which sign where they are named as signers. */
let parties: Party[];
/** Addresses to put where they do not belong. */
let addresses: Address[];
/** Instructions to add to a transaction. */
let instructions: Instruction[];

beforeAll(async () => {
  const { current } = service;
  [context, coordinator] = [await current.context(), coordinatorOf(current)];
  programAddress = address(current.server.programId);
  const cast = await poorCouriers(current);
  const courier = at(cast.couriers, 0);
  const stranger = await current.party(1);
  const legId = await legIdOf(current, cast, 0);
  const moves = await Promise.all(
    (['accept', 'take', 'vacate'] as const).map((action) =>
      courier.client.buildTurnTx({ legId, action, pubkey: courier.pubkey }),
    ),
  );
  const { id: own } = await listPackage(stranger.client, stranger.signer, draft());
  const sponsored = (await postSponsored(current, stranger.pubkey)).body;
  const packageId = String((sponsored as { id?: unknown }).id);
  const exits = [
    await stranger.client.buildCancelTx({ packageId: own }),
    // Its funder is the coordinator.
    await stranger.client.buildCancelTx({ packageId }),
  ];
  const shipper = await current.party(0);
  await shipper.client.registerAgent({ agentPubkey: shipper.pubkey });
  const listing = await shipper.client.buildListTx({
    ...draft(),
    maxBudgetSol: undefined,
    maxBudget: '10000000',
    asset: 'usdc',
    shipperPubkey: shipper.pubkey,
    terms: 'plain',
  });
  await leaveWith(current, shipper, 0n);
  allowed = [
    ...[...moves, ...exits].map(({ transaction }) => payableBy(decoded(transaction), coordinator)),
    payableBy(decoded(listing.transaction), coordinator, { lends: PACKAGE_RENT }),
  ];
  parties = [courier, stranger, cast.shipper, shipper];
  const { accounts } = relayInstruction(current, exits[1]?.transaction ?? '', 'cancelPackage');
  const vault = await vaultAddress(programAddress, accounts.package.address);
  addresses = [
    coordinator,
    ...parties.map(({ pubkey }) => address(pubkey)),
    accounts.package.address,
    vault,
    accounts.config.address,
    programAddress,
    await newKey(),
  ];
  const all = createNoopSigner(coordinator);
  const payer = { address: coordinator, role: AccountRole.WRITABLE_SIGNER };
  instructions = [
    getTransferSolInstruction({ source: all, destination: address(stranger.pubkey), amount: 1_000_000n }),
    getSetPausedInstruction({ authority: all, config: accounts.config.address, paused: true }, { programAddress }),
    // The coordinator may cancel what it funds.
    getCancelPackageInstruction(
      { signer: all, config: accounts.config.address, package: accounts.package.address, vault, funder: coordinator },
      { programAddress },
    ),
    await createAssociatedToken(payer, address(stranger.pubkey), await newKey()),
    getSetComputeUnitPriceInstruction({ microLamports: 1_000_000n }),
    getSetComputeUnitPriceInstruction({ microLamports: 1n }),
    ...allowed.flatMap((one) => readMessage(one).instructions),
  ];
});

/** A change of a transaction, as numbers that are taken modulo what there is. */
const change = fc.record({
  kind: fc.constantFrom('insert', 'remove', 'repeat', 'account', 'role', 'append', 'data', 'byte'),
  where: fc.nat(40),
  which: fc.nat(40),
  what: fc.nat(255),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(list.length, 1)];
}

const ROLES = [
  AccountRole.READONLY,
  AccountRole.WRITABLE,
  AccountRole.READONLY_SIGNER,
  AccountRole.WRITABLE_SIGNER,
] as const;

function changed(all: readonly Instruction[], { kind, where, which, what }: Change): readonly Instruction[] {
  const index = where % Math.max(all.length, 1);
  const one = all[index];
  const put = (...others: (Instruction | undefined)[]) => [
    ...all.slice(0, index),
    ...others.flatMap((other) => other ?? []),
    ...all.slice(index + 1),
  ];
  const { accounts = [], data = new Uint8Array() } = one ?? {};
  const place = which % Math.max(accounts.length, 1);
  const meta = accounts[place];
  const withMeta = (address_: Address | undefined, role: AccountRole | undefined) =>
    one &&
    meta && { ...one, accounts: accounts.with(place, { address: address_ ?? meta.address, role: role ?? meta.role }) };
  if (kind === 'insert')
    return [...all.slice(0, index), ...[pick(instructions, which)].flatMap((x) => x ?? []), ...all.slice(index)];
  if (kind === 'remove') return put();
  if (kind === 'repeat') return put(one, one);
  if (kind === 'account') return put(withMeta(pick(addresses, what), undefined) ?? one);
  if (kind === 'role') return put(withMeta(undefined, pick(ROLES, what)) ?? one);
  if (kind === 'append') {
    const more = pick(addresses, what);
    const role = pick(ROLES, which);
    return put(one && more && role !== undefined ? { ...one, accounts: [...accounts, { address: more, role }] } : one);
  }
  if (kind !== 'data' || one === undefined || data.length === 0) return all;
  const bytes = Uint8Array.from(data);
  bytes[which % bytes.length] = what;
  return put({ ...one, data: bytes });
}

/** Bytes of the message itself, whatever they make of it. */
function flipped(transaction: Transaction, { where, which, what }: Change): Transaction {
  const bytes = Uint8Array.from(transaction.messageBytes);
  bytes[(where * 41 + which) % bytes.length] = what;
  return { ...transaction, messageBytes: bytes as unknown as Transaction['messageBytes'] };
}

/** Not everything can be written as a message. */
function compiledOrNot(blockhash: Blockhash, all: readonly Instruction[]): Transaction | undefined {
  try {
    return compileLegacy(coordinator, blockhash, all);
  } catch {
    return undefined;
  }
}

async function mutated(template: number, changes: readonly Change[]): Promise<Transaction | undefined> {
  const one = pick(allowed, template);
  if (one === undefined) throw new Error('nothing is allowed');
  const { value } = await service.current.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const others = changes.reduce(changed, readMessage(one).instructions);
  const compiled = compiledOrNot(value.blockhash, others);
  if (compiled === undefined) return undefined;
  const raw = changes.filter(({ kind }) => kind === 'byte').reduce(flipped, compiled);
  const signers = parties.filter(({ pubkey }) => pubkey in raw.signatures).map(({ signer }) => signer.keyPair);
  return signers.length === 0 ? raw : partiallySignTransaction(signers, raw);
}

/** In wire form, also where the message says that other wallets sign it. */
function wireOf({ signatures, messageBytes }: Transaction): Base64EncodedWireTransaction {
  const given = Object.values(signatures).map((one) => Uint8Array.from(one ?? new Uint8Array(64)));
  const bytes = [given.length, ...given.flatMap((one) => [...one]), ...Uint8Array.from(messageBytes)];
  return getBase64Decoder().decode(Uint8Array.from(bytes)) as Base64EncodedWireTransaction;
}

/** Reports whether the coordinator would sign it, before anything is simulated. */
async function isTaken(wire: Base64EncodedWireTransaction): Promise<boolean> {
  try {
    const relayed = await readRelayed(context.ledger, wire);
    const wanted = messagesOf(context, relayed, await wantedOf(context, relayed));
    const sent = Buffer.from(relayed.transaction.messageBytes);
    return wanted.some((one) => sent.equals(Buffer.from(one.messageBytes)));
  } catch {
    return false;
  }
}

/** The coordinator's loss if it signed; undefined: it would fail. */
async function lossOf(wire: Base64EncodedWireTransaction): Promise<bigint | undefined> {
  const simulated = await service.current.rpc
    .simulateTransaction(wire, { encoding: 'base64', commitment: 'confirmed', sigVerify: false })
    .send()
    .catch(() => undefined);
  const { err = true, preBalances, postBalances } = simulated?.value ?? {};
  if (err !== null || !preBalances?.[0] || postBalances?.[0] === undefined) return undefined;
  return preBalances[0] - postBalances[0];
}

/** The most that a transaction which begins as this one may take. */
const mostOf = (template: number) =>
  template % allowed.length === allowed.length - 1 ? MOST_FEE + TOKEN_RENT + PACKAGE_RENT : MOST_FEE;

/** The programs whose gifts and payments show in the coordinator's loss. */
const GIVEN: ReadonlySet<string> = new Set([ASSOCIATED_TOKEN_PROGRAM_ADDRESS, SYSTEM_PROGRAM_ADDRESS]);

/** Reports whether an instruction names it where its signature would count. */
function lendsItsName(transaction: Transaction): boolean {
  return readMessage(transaction).instructions.some((instruction) => {
    if (GIVEN.has(instruction.programAddress)) return false;
    const places = instruction.accounts?.filter((account) => account.address === coordinator).length ?? 0;
    const read = decodeRelayInstruction(programAddress, instruction);
    const isFunder = read?.name === 'cancelPackage' && read.accounts.funder.address === coordinator;
    return places > (isFunder ? 1 : 0);
  });
}

test('what is taken of transactions that were changed at random takes no more than their fee, and lends nobody its name (M-97, M-99)', async () => {
  const tally = { taken: 0, refused: 0, harmful: 0 };
  for (const one of allowed) {
    const transaction = await mutated(allowed.indexOf(one), []);
    const wire = transaction && wireOf(transaction);
    expect(wire && [await isTaken(wire), (await lossOf(wire)) !== undefined]).toEqual([true, true]);
  }
  const judged = fc.asyncProperty(
    fc.nat(40),
    fc.array(change, { minLength: 1, maxLength: 4 }),
    async (template, changes) => {
      const transaction = await mutated(template, changes);
      if (transaction === undefined) return;
      const wire = wireOf(transaction);
      const loss = await lossOf(wire);
      const harms = loss !== undefined && (loss > mostOf(template) || lendsItsName(transaction));
      const taken = await isTaken(wire);
      tally.taken += Number(taken);
      tally.refused += Number(!taken);
      tally.harmful += Number(harms);
      expect(taken && harms).toBe(false);
    },
  );
  await fc.assert(judged, { numRuns: RUNS });
  // Some were let through, and some would have done harm.
  expect(Object.values(tally).every((count) => count > 0)).toBe(true);
});
