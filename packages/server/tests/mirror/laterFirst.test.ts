import { type Instruction, type KeyPairSigner, signature as asSignature } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppContext } from '../../src/context.js';
import {
  acceptInstruction,
  claimInstruction,
  ruleInstruction,
  vacateInstruction,
} from '../../src/ledger/moveInstructions.js';
import { reclaimPackageInstruction } from '../../src/ledger/packageInstructions.js';
import { readFormedSwarm } from '../../src/ledger/accounts.js';
import { findBoundLeg, type LegToMove } from '../../src/legs/moveRows.js';
import { applyLanded, readListed } from '../../src/mirror/applyLanded.js';
import { findPackage } from '../../src/packages/packageRows.js';
import { auditOf, linesOf } from '../audit/scene.js';
import { at, carryTo, type Cast, formedWithTerms, legNow, move, movedIn } from '../operations/turns/scene.js';
import { hold, letGo } from '../support/holdIntents.js';
import type { Place } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { land, signed } from '../support/transactions.js';
import { eventsOf, twoLegs, Wallets } from './walletScene.js';

const TWO_LEGS: readonly [Place, Place, number][] = [
  ['zoo', 'hauptbahnhof', 0.03],
  ['hauptbahnhof', 'ostkreuz', 0.05],
];
const CARRY_SEC = 7200;
const STAKE_LAMPORTS = 100_000_000n;
const HASH = 'ab'.repeat(32);

const service = withService();
let context: AppContext;

beforeAll(async () => {
  context = await service.current.context();
});
afterAll(() => context.db.destroy());

/** The means of wallets to send while no service hears of it. */
interface Unheard {
  cast: Cast;
  send: (by: Party, instruction: Instruction, ...others: readonly Party[]) => Promise<string>;
  leg: (index: number) => Promise<LegToMove>;
}

async function send(by: Party, instructions: readonly Instruction[], ...others: readonly Party[]): Promise<string> {
  const signers: [KeyPairSigner, ...KeyPairSigner[]] = [by.signer, ...others.map(({ signer }) => signer)];
  return land(service.current, await signed(service.current, signers, instructions));
}

async function legOf({ parcel }: Cast, index: number): Promise<LegToMove> {
  const found = await findBoundLeg(context.db, at(parcel.swarm?.legs ?? [], index).id);
  if (!found?.of) throw new Error(`leg ${index} has terms and a courier`);
  return found.of;
}

/** Acts as a replica that sees a transaction before its poll lists anything. */
async function apply(signature: string): Promise<void> {
  const { value } = await service.current.rpc.getSignatureStatuses([asSignature(signature)]).send();
  const landed = await readListed(context, { signature, slot: value[0]?.slot ?? 0n, final: false });
  if (landed === undefined) throw new Error(`transaction ${signature} can be read`);
  await applyLanded(context, landed);
}

/** Wallets act with no service running; a replica then sees only the last transaction, and whatever it reads itself. */
async function seenLast(cast: Cast, act: (unheard: Unheard) => Promise<string>): Promise<void> {
  await service.current.stop();
  const last = await act({
    cast,
    send: (by, instruction, ...others) => send(by, [instruction], ...others),
    leg: (index) => legOf(cast, index),
  });
  await apply(last);
  await service.current.restart();
  await untilQuiet(service.current);
}

/** The moves of a leg as they were mirrored, each with where its stakes went. */
async function movesOf({ parcel }: Cast, index: number) {
  return context.db
    .selectFrom('leg_moves')
    .select(['move', 'movements'])
    .where('leg_id', '=', at(parcel.swarm?.legs ?? [], index).id)
    .orderBy('id')
    .execute();
}

const namesOf = async (cast: Cast, index: number) => (await movesOf(cast, index)).map((one) => one.move);

async function formed(): Promise<Cast> {
  return formedWithTerms(service.current, TWO_LEGS, { carrySec: CARRY_SEC });
}

async function acceptedBy({ cast, send, leg }: Unheard): Promise<void> {
  const courier = at(cast.couriers, 0);
  const accept = { courier: courier.signer, take: false, lister: cast.shipper.signer.address };
  await send(courier, await acceptInstruction(context.ledger, await leg(0), accept));
}

describe('a replica sees the later transaction first, and mirrors the earlier one before it', () => {
  test.each([
    ['rule', 40],
    ['reject', 0],
  ] as const)('when a claim is followed by a ruling: %s (S-51, T-66)', async (name, percent) => {
    const cast = await formed();
    await carryTo(service.current, cast, 0);
    const [{ shipper }, courier] = [cast, at(cast.couriers, 0)];
    await seenLast(cast, async ({ send, leg }) => {
      const claim = { courier: courier.signer, evidenceHash: Uint8Array.from(Buffer.from(HASH, 'hex')) };
      await send(courier, await claimInstruction(context.ledger, await leg(0), claim));
      const ruling = { signer: shipper.signer, percent, by: 'agreement', worker: courier.signer } as const;
      return send(shipper, ruleInstruction(context.ledger, await leg(0), ruling), courier);
    });
    // The rest after a ruling is paid next, by the keeper.
    expect((await namesOf(cast, 0)).slice(0, 4)).toEqual(['accept', 'take', 'claim', name]);
    expect((await legNow(service.current, cast.parcel.id, 0)).evidenceHash).toBe(HASH);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });

  test('when a courier accepts and picks up: its stake came with the acceptance (S-51, T-8)', async () => {
    const cast = await formed();
    const courier = at(cast.couriers, 0);
    await seenLast(cast, async (unheard) => {
      await acceptedBy(unheard);
      const take = { courier: courier.signer, take: true, lister: cast.shipper.signer.address };
      return unheard.send(courier, await acceptInstruction(context.ledger, await unheard.leg(0), take));
    });
    const [accepted, taken] = await movesOf(cast, 0);
    expect(await namesOf(cast, 0)).toEqual(['accept', 'take']);
    expect(accepted?.movements).toMatchObject([{ what: 'stake', from: courier.pubkey }]);
    expect(taken?.movements).toEqual([]);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });

  test('when a courier accepts and is too late: its stake is lost (S-51, T-11)', async () => {
    const cast = await formed();
    await seenLast(cast, async (unheard) => {
      await acceptedBy(unheard);
      await service.current.advanceTime(CARRY_SEC + 1);
      return unheard.send(
        cast.shipper,
        await vacateInstruction(context.ledger, await unheard.leg(0), cast.shipper.signer),
      );
    });
    const [, eviction] = await movesOf(cast, 0);
    expect(await namesOf(cast, 0)).toEqual(['accept', 'evict']);
    expect(eviction?.movements).toMatchObject([{ what: 'stake_forfeited', to: cast.parcel.onChainVault }]);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });

  test('when a courier accepts and leaves in time: its stake returns (S-51, T-10)', async () => {
    const cast = await formed();
    const courier = at(cast.couriers, 0);
    await seenLast(cast, async (unheard) => {
      await acceptedBy(unheard);
      return unheard.send(courier, await vacateInstruction(context.ledger, await unheard.leg(0), courier.signer));
    });
    const [, leaving] = await movesOf(cast, 0);
    expect(await namesOf(cast, 0)).toEqual(['accept', 'leave']);
    expect(leaving?.movements).toMatchObject([{ what: 'stake_returned', to: courier.pubkey }]);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });

  test('when a courier accepts and the package is reclaimed: its stake returns (S-51, M-9, T-39)', async () => {
    const cast = await formed();
    const { shipper, parcel } = cast;
    await seenLast(cast, async (unheard) => {
      await acceptedBy(unheard);
      const [row, swarm] = [
        await findPackage(context.db, parcel.id),
        await readFormedSwarm(context.ledger, parcel.onChainPackage),
      ];
      if (!row || !swarm) throw new Error('the ledger shows its swarm');
      return unheard.send(shipper, reclaimPackageInstruction(context.ledger, row, swarm, shipper.signer));
    });
    expect(await namesOf(cast, 0)).toEqual(['accept', 'reclaim']);
    const { movements } = await movedIn(service.current, parcel.id);
    expect(movements.filter(({ what }) => what === 'stake_returned')).toMatchObject([
      { to: at(cast.couriers, 0).pubkey, lamports: STAKE_LAMPORTS },
    ]);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });
});

describe('of a package without terms a replica sees the settlement first', () => {
  test('and mirrors the confirmations before it, and what returned to the funder, as the audit says (S-51, M-9)', async () => {
    const wallets = new Wallets(service.current);
    const market = await twoLegs(service.current);
    const { parcel, shipper } = market;
    await hold(service.current, parcel.id);
    await service.current.stop();
    for (const index of [0, 1]) await wallets.confirm(market, index);
    await apply(await wallets.settle(shipper, parcel));
    await service.current.restart();
    await letGo(service.current, parcel.id);
    await untilQuiet(service.current);
    expect((await eventsOf(service.current, parcel.id)).slice(-3)).toEqual([
      'LEG_CONFIRMED',
      'LEG_CONFIRMED',
      'PACKAGE_DELIVERED',
    ]);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });
});

describe('two payouts of one listing in one transaction', () => {
  test('are told apart: what one leg leaves in the vault is not what the wallet of another could not receive (T-17)', async () => {
    const cast = await formed();
    const [first, second] = [at(cast.couriers, 0), at(cast.couriers, 1)];
    await move(service.current, cast, 0, first, 'accept');
    await move(service.current, cast, 1, second, 'accept');
    await service.current.stop();
    // The keeper would be faster.
    await service.current.advanceTime(CARRY_SEC + 1);
    const [leaving, eviction] = [
      await vacateInstruction(context.ledger, await legOf(cast, 1), second.signer),
      await vacateInstruction(context.ledger, await legOf(cast, 0), second.signer),
    ];
    await apply(await send(second, [leaving, eviction]));
    await service.current.restart();
    await untilQuiet(service.current);
    const vault = cast.parcel.onChainVault;
    expect(at(await movesOf(cast, 1), 1).movements).toMatchObject([{ what: 'stake_returned', to: second.pubkey }]);
    expect(at(await movesOf(cast, 0), 1).movements).toMatchObject([{ what: 'stake_forfeited', to: vault }]);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });
});
