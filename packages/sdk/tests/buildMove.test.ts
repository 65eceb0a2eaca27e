import { getRuleInstruction, reasonMemo } from '@legwork/program-client';
import { AccountRole, address, getBase64Decoder, getBase64Encoder } from '@solana/kit';
import type { Address, Instruction } from '@solana/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildMove, namedHashes, readRelayTransaction, TransactionRefusedError } from '../src/index.js';
import type { Move } from '../src/index.js';
import { decodeWire } from '../src/transactions/readTransaction.js';
import { requireMove } from '../src/turns/buildMove.js';
import { expectedMove } from '../src/turns/expectedMoves.js';
import { HASH, legOf, MoveInstructions, moveOf } from './support/moveInstructions.js';
import { packageJson, ParcelLedger } from './support/parcelOnLedger.js';
import type { Parcel } from './support/parcelOnLedger.js';
import { computeUnitLimit, computeUnitPrice, SOME_ADDRESS, wire } from './support/transactions.js';

const OTHER_HASH = 'cd'.repeat(32);
const INCINERATOR = address('1nc1nerator11111111111111111111111111111111');
const SYSTEM = address('11111111111111111111111111111111');

let ledger: ParcelLedger;
let moves: MoveInstructions;
/** Leg 1 is pending, leg 2 accepted. */
let pending: Parcel;
/** Leg 1 is carried, leg 2 accepted. */
let carried: Parcel;
/** Leg 1 is claimed; leg 2 is pending. */
let claimed: Parcel;
let disputed: Parcel;

beforeAll(async () => {
  ledger = await ParcelLedger.start();
  moves = new MoveInstructions(ledger);
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

async function honestMoves(): Promise<readonly (readonly [Move, Address, Parcel, Instruction])[]> {
  const hash = { hash: HASH };
  const stranger = SOME_ADDRESS;
  const [first, second] = [legOf(pending).courier, legOf(pending, 1).courier];
  const arbiter = disputed.arbiter.address;
  const [holder, next] = [legOf(carried).courier, legOf(carried, 1).courier];
  const agreed = { percent: 80, agreed: true };
  return [
    [moveOf(pending, 'accept'), first, pending, moves.accepting(pending)],
    [moveOf(pending, 'take'), first, pending, moves.accepting(pending, { take: true })],
    [moveOf(pending, 'vacate'), first, pending, moves.vacating(pending, 0)],
    [moveOf(pending, 'vacate', { legId: pending.legIds[1] ?? '' }), second, pending, moves.vacating(pending, 1)],
    [moveOf(carried, 'claim', hash), holder, carried, moves.claiming(carried)],
    [moveOf(carried, 'confirm'), next, carried, await moves.confirming(carried, next)],
    [
      moveOf(carried, 'agree', { percent: 80 }),
      holder,
      carried,
      moves.ruling(carried, carried.shipper.address, carried.arbiter.address, agreed),
    ],
    [moveOf(claimed, 'dispute', hash), claimed.receiver.address, claimed, moves.disputing(claimed)],
    [moveOf(claimed, 'crank'), stranger, claimed, await moves.confirming(claimed, stranger)],
    [moveOf(disputed, 'rule', { percent: 30 }), arbiter, disputed, moves.ruling(disputed, arbiter, arbiter)],
    [moveOf(disputed, 'crank'), stranger, disputed, moves.ruling(disputed, stranger, INCINERATOR, { percent: 50 })],
  ];
}

describe('a move that the service builds', () => {
  test('is taken when it is the one that was asked for', async () => {
    for (const [move, mover, parcel, instruction] of await honestMoves()) {
      const client = await moves.serviceOf(parcel, wire(mover, [computeUnitLimit(50_000), instruction]));
      const built = await buildMove(client, mover, move);
      const isCosigned = move.action === 'agree' || move.action === 'take';
      const signers = [mover, ...(isCosigned ? [parcel.shipper.address] : [])];
      expect({ of: move.action, signers: built.signers }).toEqual({ of: move.action, signers });
    }
  });

  test('is refused when it is any other', async () => {
    const honest = await honestMoves();
    for (const [move, mover, parcel] of honest) {
      for (const [other, , , instruction] of honest) {
        if (other === move) continue;
        const client = await moves.serviceOf(parcel, wire(mover, [instruction]));
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
      [moveOf(pending, 'accept'), pending, courier, moves.accepting(pending, { index: 1 })],
      [moveOf(pending, 'accept'), pending, courier, moves.accepting(pending, { formation: 2 })],
      [moveOf(pending, 'accept'), pending, courier, moves.accepting(carried)],
      [moveOf(carried, 'claim', { hash: OTHER_HASH }), carried, legOf(carried).courier, moves.claiming(carried)],
      [moveOf(disputed, 'rule', { percent: 31 }), disputed, arbiter, moves.ruling(disputed, arbiter, arbiter)],
    ];
    for (const [move, parcel, mover, instruction] of lies) {
      const building = buildMove(await moves.serviceOf(parcel, wire(mover, [instruction])), mover, move);
      await expect(building).rejects.toThrow(TransactionRefusedError);
    }
  });

  test('[T-113] names the reason of a ruling that was given, and no other', async () => {
    const arbiter = disputed.arbiter.address;
    const ruling = moves.ruling(disputed, arbiter, arbiter);
    const built = async (hash: string | undefined, ...instructions: Instruction[]) => {
      const client = await moves.serviceOf(disputed, wire(arbiter, instructions));
      return buildMove(client, arbiter, moveOf(disputed, 'rule', { percent: 30, hash }));
    };
    const reason = reasonMemo(HASH);
    await expect(built(HASH, ruling, reason)).resolves.toMatchObject({ signers: [arbiter] });
    await expect(built(HASH, ruling)).rejects.toThrow(/names is none and should be abab/);
    await expect(built(undefined, ruling, reason)).rejects.toThrow(/names is abab.* and should be none/);
    await expect(built(HASH, ruling, reasonMemo(OTHER_HASH))).rejects.toThrow(/names is cdcd.* and should be abab/);
    await expect(built(HASH, ruling, reason, reason)).rejects.toThrow(/expected one instruction/);
    // Memos of another form are no reasons, and nothing else may stand there.
    const named = { ...reason, accounts: [{ address: arbiter, role: AccountRole.READONLY }] };
    for (const other of [named, reasonMemo(HASH.toUpperCase()), reasonMemo(`${HASH}ab`)]) {
      await expect(built(HASH, ruling, other)).rejects.toThrow(/nothing else/);
    }
    const { courier } = legOf(pending);
    const client = await moves.serviceOf(pending, wire(courier, [moves.accepting(pending), reason]));
    await expect(buildMove(client, courier, moveOf(pending, 'accept'))).rejects.toThrow(/nothing else/);
  });

  test('[T-113] has a reason where the arbiter rules, whatever others write beside their own rulings', async () => {
    const named = async (by: 'arbiter' | 'agreement') => {
      const parcel = await ledger.inTransit(1);
      await ledger.accept(parcel, 0, true);
      await ledger.claim(parcel, 0, true);
      const { shipper, arbiter, vault } = parcel;
      const { courier, accounts } = legOf(parcel);
      const worker = by === 'arbiter' ? courier : (parcel.couriers[0] ?? courier);
      const signer = by === 'arbiter' ? arbiter : shipper;
      const others = { worker, other: shipper.address, config: ledger.config, fee: arbiter.address, vault };
      const ruling = getRuleInstruction(
        { ...accounts, ...others, signer, percent: 30 },
        { programAddress: ledger.program },
      );
      await ledger.send(signer, [ruling, reasonMemo(OTHER_HASH)]);
      const leg = { programId: ledger.program, address: accounts.leg, turn: { formation: 1 } };
      return (await namedHashes(ledger.rpc, leg)).ruling;
    };
    expect(await named('arbiter')).toBe(OTHER_HASH);
    expect(await named('agreement')).toBeUndefined();
  });

  test.each<[string, (courier: Address) => readonly Instruction[]]>([
    ['a transfer beside it', (courier) => [moves.accepting(pending), transfer(courier)]],
    ['a transfer in its place', (courier) => [transfer(courier)]],
    ['a durable nonce before it', (courier) => [advanceNonce(courier), moves.accepting(pending)]],
    ['the same move twice', () => [moves.accepting(pending), moves.accepting(pending)]],
    [
      'a fee that empties the wallet',
      () => [computeUnitLimit(1_400_000), computeUnitPrice(10n ** 9n), moves.accepting(pending)],
    ],
    ['an account beside those it names', (courier) => [withAccount(moves.accepting(pending), courier)]],
    ['a signature that it does not need', () => [withSigner(moves.accepting(pending), SOME_ADDRESS)]],
  ])('is refused with %s', async (_, instructions) => {
    const { courier } = legOf(pending);
    const client = await moves.serviceOf(pending, wire(courier, instructions(courier)));
    await expect(buildMove(client, courier, moveOf(pending, 'accept'))).rejects.toThrow(TransactionRefusedError);
  });

  test('with any byte changed is refused, or still this move', async () => {
    const { courier } = legOf(pending);
    const honest = wire(courier, [computeUnitLimit(50_000), moves.accepting(pending)]);
    const client = await moves.serviceOf(pending, honest);
    const { leg, signers } = await buildMove(client, courier, moveOf(pending, 'accept'));
    const { forms } = expectedMove(leg, courier, { action: 'accept' });
    const bytes = getBase64Encoder().encode(honest);
    const anyChange = fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(anyChange, ([at, difference]) => {
        const changed = Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ difference : byte));
        const base64 = getBase64Decoder().decode(changed);
        try {
          requireMove(base64, leg, { forms, signers });
        } catch (error) {
          // Bytes that are no transaction at all are refused by its decoder.
          return error instanceof Error;
        }
        const { encoded, feePayer } = readRelayTransaction(decodeWire(base64), ledger.program);
        const [form] = forms;
        const places = ({ accounts = [] }: Instruction) => accounts.map(({ address: one }) => one);
        expect([feePayer, places(encoded), encoded.data]).toEqual([courier, form && places(form), form?.data]);
        return true;
      }),
      { numRuns: 2_000 },
    );
  });

  test('is refused when another wallet than the one that moves pays for it', async () => {
    const { courier } = legOf(pending);
    const client = await moves.serviceOf(pending, wire(SOME_ADDRESS, [moves.accepting(pending)]));
    await expect(buildMove(client, courier, moveOf(pending, 'accept'))).rejects.toThrow(/fee/);
  });

  test.each<[string, () => object, RegExp]>([
    ['a stake', () => ({ terms: { ...packageJson(pending).terms, stakeLamports: 1_781_760 } }), /stake \(base units\)/],
    ['no terms', () => ({ terms: null }), /terms of package/],
    ['another shipper', () => ({ shipperPubkey: SOME_ADDRESS }), /has no leg 1/],
    ['another package', () => ({ id: carried.id }), /answers with package/],
  ])('is not asked for where the service says what the ledger does not: %s', async (_, changes, message) => {
    const { courier } = legOf(pending);
    const client = await moves.serviceOf(pending, wire(courier, [moves.accepting(pending)]), changes());
    await expect(buildMove(client, courier, moveOf(pending, 'accept'))).rejects.toThrow(message);
  });

  test('is refused for another account than the caller knows the leg by', async () => {
    const { courier } = legOf(pending);
    const client = await moves.serviceOf(pending, wire(courier, [moves.accepting(pending)]));
    const move = moveOf(pending, 'accept', { onChainLeg: legOf(pending, 1).accounts.leg });
    await expect(buildMove(client, courier, move)).rejects.toThrow(/is at/);
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
