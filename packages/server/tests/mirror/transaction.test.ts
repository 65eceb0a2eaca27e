import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deployProgram } from '@legwork/deploy';
import { AccountRole, type Address, generateKeyPairSigner, type Instruction } from '@solana/kit';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { draft, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { changesBetween, snapshot, untilQuiet } from '../support/snapshot.js';
import { cancellationOf, listingOf } from '../support/transactions.js';
import { eventsOf, twoLegs, Wallets } from './walletScene.js';
import { listPackage } from '../support/listed.js';
import { until } from '../support/until.js';

const CALL = 0;
const LOG = 1;

const failures: string[] = [];
const service = withService({
  settings: () => ({ LOG_LEVEL: 'error' }),
  logTo: { write: (line) => failures.push(line) },
});
const wallets = () => new Wallets(service.current);
let caller: Address;

beforeAll(async () => {
  const [{ signer: payer }, programKeypair] = await Promise.all([service.current.party(2), generateKeyPairSigner()]);
  const { rpcUrl } = service.current.ledger;
  const so = readFileSync(join(import.meta.dirname, 'relayCaller/relay_caller.so'));
  const { programAddress } = await deployProgram({ rpcUrl, payer, programKeypair, so, upgradeAuthority: payer });
  caller = programAddress;
});

/** The same instruction, by a program of a stranger that calls the relay. */
function called(instruction: Instruction): Instruction {
  return {
    programAddress: caller,
    accounts: [{ address: instruction.programAddress, role: AccountRole.READONLY }, ...(instruction.accounts ?? [])],
    data: Uint8Array.of(CALL, ...(instruction.data ?? [])),
  };
}

/** The accounts of the instruction, and its very bytes as a log, with nothing done. */
function onlyLogged(instruction: Instruction): Instruction {
  return { ...called(instruction), data: Uint8Array.of(LOG, ...(instruction.data ?? [])) };
}

async function statusOf(packageId: string): Promise<string | undefined> {
  const row = await service.current.db
    .selectFrom('packages')
    .select('status')
    .where('id', '=', packageId)
    .executeTakeFirst();
  return row?.status;
}

async function listed(): Promise<{ shipper: Party; id: string; instruction: Instruction }> {
  const shipper = await service.current.party();
  const parcel = await listPackage(shipper.client, shipper.signer, draft());
  return { shipper, id: parcel.id, instruction: await wallets().cancellation(shipper, parcel) };
}

/** The watcher's changes when it reads what the action put on the ledger. */
async function changesBy(act: () => Promise<unknown>): Promise<string[]> {
  await untilQuiet(service.current);
  const { tables: before } = await snapshot(service.current);
  await act();
  await untilQuiet(service.current);
  const { tables: after } = await snapshot(service.current);
  return changesBetween({ tables: before, accounts: {} }, { tables: after, accounts: {} });
}

describe('one transaction', () => {
  test('that lists and cancels is mirrored in that order (S-50)', async () => {
    const shipper = await service.current.party();
    const { packageId, transaction } = await wallets().listing(shipper);
    await wallets().send(shipper, [
      listingOf(service.current, shipper.signer, transaction),
      cancellationOf(service.current, shipper.signer, transaction),
    ]);
    await untilQuiet(service.current);
    expect(await eventsOf(service.current, packageId)).toEqual(['PACKAGE_LISTED', 'PACKAGE_FAILED']);
    expect(await statusOf(packageId)).toBe('failed');
  });

  test('in which a program calls the relay after the wallet did is mirrored in the order of its running (S-50)', async () => {
    const shipper = await service.current.party();
    const { packageId, transaction } = await wallets().listing(shipper);
    const [list, cancel] = [
      listingOf(service.current, shipper.signer, transaction),
      cancellationOf(service.current, shipper.signer, transaction),
    ];
    const other = await wallets().listing(shipper);
    const signature = await wallets().send(shipper, [called(list), called(cancel), other.instruction]);
    await untilQuiet(service.current);
    expect(await eventsOf(service.current, packageId)).toEqual(['PACKAGE_LISTED', 'PACKAGE_FAILED']);
    expect(await statusOf(other.packageId)).toBe('listed');
    const { instructions, subjects } = await service.current.db
      .selectFrom('ledger_transactions')
      .select(['instructions', 'subjects'])
      .where('signature', '=', signature)
      .executeTakeFirstOrThrow();
    expect(instructions).toEqual(['listPackage', 'cancelPackage', 'listPackage']);
    expect(subjects).toEqual([packageId, other.packageId].sort().map((id) => `package:${id}`));
  });

  test('in which a program confirms both legs is mirrored, and the coordinator settles (S-50)', async () => {
    const market = await twoLegs(service.current);
    const first = await wallets().confirmation(market, 0);
    const last = await wallets().confirmation(market, 1);
    await wallets().send(first.by, [called(first.instruction)]);
    await wallets().send(last.by, [called(last.instruction)]);
    const parcel = await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'delivered');
    expect(parcel.swarm?.completedLegs).toBe(2);
  });
});

describe('what changes nothing in the mirror', () => {
  test('is a transaction that failed (S-50)', async () => {
    const { id, instruction } = await listed();
    const stranger = await service.current.party(1);
    const [, ...accounts] = instruction.accounts ?? [];
    const signer = { address: stranger.signer.address, role: AccountRole.READONLY_SIGNER };
    const theirs = { ...instruction, accounts: [signer, ...accounts] };
    expect(await changesBy(() => wallets().send(stranger, [theirs]))).toEqual([]);
    expect(await statusOf(id)).toBe('listed');
  });

  test("is another program's log with the relay's accounts and bytes (S-50)", async () => {
    const { shipper, id, instruction } = await listed();
    expect(await changesBy(() => wallets().send(shipper, [onlyLogged(instruction)]))).toEqual([]);
    expect(await statusOf(id)).toBe('listed');
    // The same bytes do cancel when they reach the relay.
    expect(await changesBy(() => wallets().send(shipper, [called(instruction)]))).toEqual(['events', 'packages']);
  });

  test('is a listing with other terms than its draft, and what becomes of it (S-50)', async () => {
    const shipper = await service.current.party();
    const { packageId, transaction } = await wallets().listing(shipper);
    const cheaper = listingOf(service.current, shipper.signer, transaction, { maxBudget: 1_000_000n });
    const changes = await changesBy(async () => {
      await wallets().send(shipper, [cheaper]);
      await wallets().send(shipper, [cancellationOf(service.current, shipper.signer, transaction)]);
    });
    expect(changes).toEqual([]);
    expect(await statusOf(packageId)).toBe('draft');
  });

  test('is the listing of a package without a draft (S-54)', async () => {
    const shipper = await service.current.party();
    const { packageId, instruction } = await wallets().listing(shipper);
    await service.current.db.deleteFrom('packages').where('id', '=', packageId).execute();
    expect(await changesBy(() => wallets().send(shipper, [instruction]))).toEqual([]);
  });
});

describe('an instruction that cannot be projected', () => {
  test('stops the mirror, which goes on with it once it can be, and skips nothing (S-52)', async () => {
    const { shipper, id, instruction } = await listed();
    const { db } = service.current;
    await sql`alter table packages add constraint broken check (failure_reason is null) not valid`.execute(db);
    await wallets().send(shipper, [instruction]);
    const other = await wallets().listing(shipper);
    await wallets().send(shipper, [other.instruction]);
    // It has tried more than once, and has not passed it.
    await until('the failures show', async () => failures.length > 1);
    expect([await statusOf(id), await statusOf(other.packageId)]).toEqual(['listed', 'draft']);
    await sql`alter table packages drop constraint broken`.execute(db);
    await untilQuiet(service.current);
    expect([await statusOf(id), await statusOf(other.packageId)]).toEqual(['failed', 'listed']);
    expect(await eventsOf(service.current, id)).toEqual(['PACKAGE_LISTED', 'PACKAGE_FAILED']);
  });
});
