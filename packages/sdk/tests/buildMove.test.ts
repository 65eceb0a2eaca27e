import {
  getAcceptInstruction,
  getClaimInstruction,
  getConfirmLegInstruction,
  getDisputeInstruction,
  getRuleInstruction,
  getVacateInstruction,
  reputationAddress,
} from '@legwork/program-client';
import type { MoveAction } from '@legwork/protocol/contract';
import { AccountRole, address, createNoopSigner, generateKeyPairSigner } from '@solana/kit';
import type { Address, Base64EncodedWireTransaction, Instruction } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildMove, createRelayClient, LedgerRefusedError, makeMove, TransactionRefusedError } from '../src/index.js';
import type { Move } from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';
import { packageJson, ParcelLedger } from './support/parcelOnLedger.js';
import type { Parcel } from './support/parcelOnLedger.js';
import { config } from './support/serviceConfig.js';
import { computeUnitLimit, computeUnitPrice, SOME_ADDRESS, wire } from './support/transactions.js';

const HASH = 'ab'.repeat(32);
const OTHER_HASH = 'cd'.repeat(32);
const hashBytes = new Uint8Array(32).fill(0xab);
const INCINERATOR = address('1nc1nerator11111111111111111111111111111111');
const SYSTEM = address('11111111111111111111111111111111');

let ledger: ParcelLedger;
/** Leg 1 is pending, leg 2 accepted. */
let pending: Parcel;
/** Leg 1 is carried, leg 2 accepted. */
let carried: Parcel;
/** Leg 1 is claimed; leg 2 is pending. */
let claimed: Parcel;
let disputed: Parcel;

beforeAll(async () => {
  ledger = await ParcelLedger.start();
  [pending, carried, claimed, disputed] = [
    await ledger.inTransit(2, { cosignedPickup: true }),
    await ledger.inTransit(2),
    await ledger.inTransit(1),
    await ledger.inTransit(1),
  ];
  await ledger.accept(pending, 1);
  await ledger.accept(carried, 0, true);
  await ledger.accept(carried, 1);
  for (const parcel of [claimed, disputed]) {
    await ledger.accept(parcel, 0, true);
    await ledger.claim(parcel, 0, parcel === disputed);
  }
});

afterAll(() => ledger.close());

/** A service that tells of the parcel what is true, but for `changes`, and builds this transaction whatever was asked. */
async function serviceOf(parcel: Parcel, transaction: string, changes: object = {}) {
  const built = { legId: parcel.legIds[0], action: 'accept', signers: [SOME_ADDRESS], blockhash: 'x' };
  const service = await startOutsideService(({ path }) => {
    if (path === '/config') return { json: { ...config, programId: ledger.program, rpcUrl: ledger.ledger.rpcUrl } };
    if (path.startsWith('/packages/')) return { json: { ...packageJson(parcel), ...changes } };
    return { json: { ...built, lastValidBlockHeight: 1, transaction } };
  });
  return createRelayClient({ url: service.url });
}

/** What the one who moves names of a leg. */
function legOf(parcel: Parcel, index = 0) {
  const leg = parcel.legs[index] ?? SOME_ADDRESS;
  const courier = parcel.couriers[index]?.address ?? SOME_ADDRESS;
  return { courier, accounts: { listing: parcel.listing, swarm: parcel.swarm, leg, formation: 1 } };
}

const to = () => ({ programAddress: ledger.program });

function accepting(parcel: Parcel, changes: { take?: boolean; index?: number; formation?: number } = {}): Instruction {
  const { take = false, index = 0, ...others } = changes;
  const { courier, accounts } = legOf(parcel, index);
  const lister = take && parcel.cosignedPickup ? createNoopSigner(parcel.shipper.address) : parcel.shipper.address;
  return getAcceptInstruction({ ...accounts, ...others, courier: createNoopSigner(courier), lister, take }, to());
}

function vacating(parcel: Parcel, index: number): Instruction {
  const { courier, accounts } = legOf(parcel, index);
  const others = { signer: createNoopSigner(courier), courier, vault: parcel.vault };
  const before = index === 0 ? {} : { previousLeg: legOf(parcel, index - 1).accounts.leg };
  return getVacateInstruction({ ...accounts, ...others, ...before }, to());
}

function claiming(parcel: Parcel): Instruction {
  const { courier, accounts } = legOf(parcel);
  return getClaimInstruction({ ...accounts, courier: createNoopSigner(courier), evidenceHash: hashBytes }, to());
}

function disputing(parcel: Parcel): Instruction {
  const { accounts } = legOf(parcel);
  const disputer = createNoopSigner(parcel.receiver.address);
  return getDisputeInstruction({ ...accounts, disputer, reasonHash: hashBytes }, to());
}

function ruling(parcel: Parcel, signer: Address, fee: Address, { percent = 30, agreed = false } = {}): Instruction {
  const { courier, accounts } = legOf(parcel);
  const worker = agreed ? createNoopSigner(courier) : courier;
  const others = { worker, other: parcel.shipper.address, config: ledger.config, fee, vault: parcel.vault };
  return getRuleInstruction({ ...accounts, ...others, signer: createNoopSigner(signer), percent }, to());
}

async function confirming(parcel: Parcel, recipient: Address): Promise<Instruction> {
  const { courier, accounts } = legOf(parcel);
  const { listing, swarm, leg } = accounts;
  const reputation = await reputationAddress(ledger.program, courier);
  const others = { package: listing, swarm, leg, vault: parcel.vault, courier, reputation, formation: 1 };
  const next = parcel.legs[1] === undefined ? {} : { nextLeg: parcel.legs[1] };
  return getConfirmLegInstruction({ ...others, ...next, recipient: createNoopSigner(recipient) }, to());
}

const moveOf = (parcel: Parcel, action: MoveAction, details: Partial<Move> = {}): Move => ({
  legId: parcel.legIds[0] ?? '',
  packageId: parcel.id,
  action,
  ...details,
});

async function honestMoves(): Promise<readonly (readonly [Move, Address, Parcel, Instruction])[]> {
  const hash = { hash: HASH };
  const stranger = SOME_ADDRESS;
  const [first, second] = [legOf(pending).courier, legOf(pending, 1).courier];
  const arbiter = disputed.arbiter.address;
  const [holder, next] = [legOf(carried).courier, legOf(carried, 1).courier];
  const agreed = { percent: 80, agreed: true };
  return [
    [moveOf(pending, 'accept'), first, pending, accepting(pending)],
    [moveOf(pending, 'take'), first, pending, accepting(pending, { take: true })],
    [moveOf(pending, 'vacate'), first, pending, vacating(pending, 0)],
    [moveOf(pending, 'vacate', { legId: pending.legIds[1] ?? '' }), second, pending, vacating(pending, 1)],
    [moveOf(carried, 'claim', hash), holder, carried, claiming(carried)],
    [moveOf(carried, 'confirm'), next, carried, await confirming(carried, next)],
    [
      moveOf(carried, 'agree', { percent: 80 }),
      holder,
      carried,
      ruling(carried, carried.shipper.address, carried.arbiter.address, agreed),
    ],
    [moveOf(claimed, 'dispute', hash), claimed.receiver.address, claimed, disputing(claimed)],
    [moveOf(claimed, 'crank'), stranger, claimed, await confirming(claimed, stranger)],
    [moveOf(disputed, 'rule', { percent: 30 }), arbiter, disputed, ruling(disputed, arbiter, arbiter)],
    [moveOf(disputed, 'crank'), stranger, disputed, ruling(disputed, stranger, INCINERATOR, { percent: 50 })],
  ];
}

describe('a move that the service builds', () => {
  test('is taken when it is the one that was asked for', async () => {
    for (const [move, mover, parcel, instruction] of await honestMoves()) {
      const client = await serviceOf(parcel, wire(mover, [computeUnitLimit(50_000), instruction]));
      const built = await buildMove(client, mover, move);
      const isCosigned = move.action === 'agree' || move.action === 'take';
      const signers = [mover, ...(isCosigned ? [parcel.shipper.address] : [])];
      expect({ of: move.action, signers: built.signers }).toEqual({ of: move.action, signers });
    }
  });

  test('is refused when it is any other', async () => {
    const moves = await honestMoves();
    for (const [move, mover, parcel] of moves) {
      for (const [other, , , instruction] of moves) {
        if (other === move) continue;
        const client = await serviceOf(parcel, wire(mover, [instruction]));
        const outcome = await buildMove(client, mover, move).catch((error: unknown) => error);
        expect({ of: move.action, other: other.action, outcome }).toMatchObject({
          outcome: expect.any(TransactionRefusedError) as unknown,
        });
      }
    }
  });

  test('[T-5] is refused for another leg, another courier of it, or another hash or percentage', async () => {
    const { courier } = legOf(pending);
    const arbiter = disputed.arbiter.address;
    const lies: readonly (readonly [Move, Parcel, Address, Instruction])[] = [
      [moveOf(pending, 'accept'), pending, courier, accepting(pending, { index: 1 })],
      [moveOf(pending, 'accept'), pending, courier, accepting(pending, { formation: 2 })],
      [moveOf(pending, 'accept'), pending, courier, accepting(carried)],
      [moveOf(carried, 'claim', { hash: OTHER_HASH }), carried, legOf(carried).courier, claiming(carried)],
      [moveOf(disputed, 'rule', { percent: 31 }), disputed, arbiter, ruling(disputed, arbiter, arbiter)],
    ];
    for (const [move, parcel, mover, instruction] of lies) {
      const building = buildMove(await serviceOf(parcel, wire(mover, [instruction])), mover, move);
      await expect(building).rejects.toThrow(TransactionRefusedError);
    }
  });

  test.each<[string, (courier: Address) => readonly Instruction[]]>([
    ['a transfer beside it', (courier) => [accepting(pending), transfer(courier)]],
    ['a transfer in its place', (courier) => [transfer(courier)]],
    ['a durable nonce before it', (courier) => [advanceNonce(courier), accepting(pending)]],
    ['the same move twice', () => [accepting(pending), accepting(pending)]],
    [
      'a fee that empties the wallet',
      () => [computeUnitLimit(1_400_000), computeUnitPrice(10n ** 9n), accepting(pending)],
    ],
    ['an account beside those it names', (courier) => [withAccount(accepting(pending), courier)]],
    ['a signature that it does not need', () => [withSigner(accepting(pending), SOME_ADDRESS)]],
  ])('is refused with %s', async (_, instructions) => {
    const { courier } = legOf(pending);
    const client = await serviceOf(pending, wire(courier, instructions(courier)));
    await expect(buildMove(client, courier, moveOf(pending, 'accept'))).rejects.toThrow(TransactionRefusedError);
  });

  test('is refused when another wallet than the one that moves pays for it', async () => {
    const { courier } = legOf(pending);
    const client = await serviceOf(pending, wire(SOME_ADDRESS, [accepting(pending)]));
    await expect(buildMove(client, courier, moveOf(pending, 'accept'))).rejects.toThrow(/fee/);
  });

  test.each<[string, () => object, RegExp]>([
    ['a stake', () => ({ terms: { ...packageJson(pending).terms, stakeLamports: 1_781_760 } }), /stake \(lamports\)/],
    ['no terms', () => ({ terms: null }), /terms of package/],
    ['another shipper', () => ({ shipperPubkey: SOME_ADDRESS }), /has no leg 1/],
    ['another package', () => ({ id: carried.id }), /answers with package/],
  ])('is not asked for where the service says what the ledger does not: %s', async (_, changes, message) => {
    const { courier } = legOf(pending);
    const client = await serviceOf(pending, wire(courier, [accepting(pending)]), changes());
    await expect(buildMove(client, courier, moveOf(pending, 'accept'))).rejects.toThrow(message);
  });

  test('is refused for another account than the caller knows the leg by', async () => {
    const { courier } = legOf(pending);
    const client = await serviceOf(pending, wire(courier, [accepting(pending)]));
    const move = moveOf(pending, 'accept', { onChainLeg: legOf(pending, 1).accounts.leg });
    await expect(buildMove(client, courier, move)).rejects.toThrow(/is at/);
  });
});

describe('a move that is not for a key to make', () => {
  test.each<[string, () => readonly [Parcel, Address, Move]]>([
    ['another courier accepts', () => [pending, SOME_ADDRESS, moveOf(pending, 'accept')]],
    ['a stranger rules', () => [disputed, SOME_ADDRESS, moveOf(disputed, 'rule', { percent: 0 })]],
    ['a stranger agrees', () => [carried, SOME_ADDRESS, moveOf(carried, 'agree', { percent: 0 })]],
    ['a claim names no evidence', () => [carried, legOf(carried).courier, moveOf(carried, 'claim')]],
    ['a ruling names no percentage', () => [disputed, disputed.arbiter.address, moveOf(disputed, 'rule')]],
  ])('is refused before it is built: %s', async (_, lie) => {
    const [parcel, mover, move] = lie();
    const building = buildMove(await serviceOf(parcel, ''), mover, move);
    await expect(building).rejects.toThrow(TransactionRefusedError);
  });

  test('[T-32] the next courier never ends a review by a signature that would say that it has the parcel', async () => {
    const parcel = await ledger.inTransit(2);
    await ledger.accept(parcel, 0, true);
    await ledger.accept(parcel, 1);
    await ledger.claim(parcel, 0);
    const next = legOf(parcel, 1).courier;
    const client = await serviceOf(parcel, wire(next, [await confirming(parcel, next)]));
    await expect(buildMove(client, next, moveOf(parcel, 'crank'))).rejects.toThrow(/takes the parcel over/);
  });

  test('makeMove signs nothing that needs a second signature', async () => {
    const courier = pending.couriers[0];
    if (courier === undefined) throw new Error('there is a courier');
    const client = await serviceOf(pending, wire(courier.address, [accepting(pending, { take: true })]));
    await expect(makeMove(client, courier, moveOf(pending, 'take'))).rejects.toThrow(/needs the signature of/);
  });

  test('makeMove believes no word of the service that a move landed', async () => {
    const parcel = await ledger.inTransit(1);
    const [courier] = parcel.couriers;
    if (courier === undefined) throw new Error('there is a courier');
    const { value: lifetime } = await ledger.rpc.getLatestBlockhash().send();
    // Nothing can be claimed that was not picked up.
    const transaction = wire(courier.address, [claiming(parcel)], lifetime);
    const built = { legId: parcel.legIds[0], action: 'claim', signers: [courier.address], blockhash: 'x' };
    const service = await startOutsideService(({ path, body, method }) => {
      if (path === '/config') return { json: { ...config, programId: ledger.program, rpcUrl: ledger.ledger.rpcUrl } };
      if (path.startsWith('/packages/')) return { json: packageJson(parcel) };
      if (path === '/turns/build-tx') return { json: { ...built, lastValidBlockHeight: 1_000_000, transaction } };
      const sent = JSON.parse(body).transaction as Base64EncodedWireTransaction;
      const options = { encoding: 'base64', skipPreflight: true } as const;
      void ledger.rpc.sendTransaction(sent, options).send();
      return { json: { legId: built.legId, stage: 'claimed', until: null, signature: method } };
    });
    const client = createRelayClient({ url: service.url, signer: courier });
    const making = makeMove(client, courier, moveOf(parcel, 'claim', { hash: HASH }));
    await expect(making).rejects.toThrow(LedgerRefusedError);
  });

  test('makeMove names no other evidence than it was given', async () => {
    const courier = carried.couriers[0] ?? (await generateKeyPairSigner());
    const lie = { json: { legId: carried.legIds[0], hash: OTHER_HASH }, status: 201 };
    const service = await startOutsideService(() => lie);
    const client = createRelayClient({ url: service.url, signer: courier });
    const making = makeMove(client, courier, { ...moveOf(carried, 'claim'), text: 'at the door' });
    await expect(making).rejects.toThrow(/stored/);
  });
});

function transfer(from: Address): Instruction {
  return {
    programAddress: SYSTEM,
    accounts: [
      { address: from, role: AccountRole.WRITABLE_SIGNER },
      { address: SOME_ADDRESS, role: AccountRole.WRITABLE },
    ],
    data: new Uint8Array([2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]),
  };
}

function advanceNonce(authority: Address): Instruction {
  return {
    programAddress: SYSTEM,
    accounts: [
      { address: SOME_ADDRESS, role: AccountRole.WRITABLE },
      { address: address('SysvarRecentB1ockHashes11111111111111111111'), role: AccountRole.READONLY },
      { address: authority, role: AccountRole.READONLY_SIGNER },
    ],
    data: new Uint8Array([4, 0, 0, 0]),
  };
}

const withAccount = (instruction: Instruction, one: Address): Instruction => ({
  ...instruction,
  accounts: [...(instruction.accounts ?? []), { address: one, role: AccountRole.READONLY }],
});

const withSigner = (instruction: Instruction, one: Address): Instruction => ({
  ...instruction,
  accounts: [...(instruction.accounts ?? []), { address: one, role: AccountRole.READONLY_SIGNER }],
});
