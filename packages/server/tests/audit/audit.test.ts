import { type PackageFacts } from '@legwork/program-client/facts';
import { getCreateAccountInstruction } from '@solana-program/system';
import { AccountRole, address, generateKeyPairSigner } from '@solana/kit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { AuditImpossibleError } from '../../../audit/src/errors.js';
import { MOVING } from '../../../audit/src/findings.js';
import { LyingNode } from '../support/lyingNode.js';
import { changesBetween, snapshot } from '../support/snapshot.js';
import { land, signed, transfer } from '../support/transactions.js';
import { type FactsChange, testAccounts, testTamperings, withAudited } from './audited.js';
import { auditOf, linesOf, listWithoutService, playScene, restoreMirror, type Scene } from './scene.js';
import { tamperings } from './tamperings.js';
import { transactionTamperings } from './transactionTamperings.js';

const audited = withAudited(playScene);

describe('an audit of a mirror that nobody touched', () => {
  test('finds no difference after listings, deliveries, a cancellation, a reclaim and a closing (S-45)', async () => {
    const { differences, notes, compared } = await auditOf(audited.service);
    expect(linesOf(differences)).toEqual([]);
    expect(linesOf(notes)).toEqual([]);
    // Listings, formations with two legs each, confirmations, settlements, and the three exits.
    expect(compared).toMatchObject({ packages: 6, legs: 8, reputations: 8, events: 6 + 4 + 8 + 6 + 4 });
    expect(compared.transactions).toBeGreaterThanOrEqual(6 + 4 + 6 + 2 + 3);
  });

  test('changes nothing (S-45)', async () => {
    const before = await snapshot(audited.service);
    await auditOf(audited.service);
    expect(changesBetween(before, await snapshot(audited.service))).toEqual([]);
  });

  test('passes over blank accounts that a stranger gave to the program', async () => {
    const stranger = await audited.service.party(1);
    for (const space of [0n, 183n]) {
      const given = await generateKeyPairSigner();
      const create = getCreateAccountInstruction({
        payer: stranger.signer,
        newAccount: given,
        lamports: 3_000_000n,
        space,
        programAddress: address(audited.service.server.programId),
      });
      await land(audited.service, await signed(audited.service, [stranger.signer, given], [create]));
    }
    const { differences, notes } = await auditOf(audited.service);
    expect(linesOf([...differences, ...notes])).toEqual([]);
  });

  test('notes a listing that was never posted through this service', async () => {
    const id = await listWithoutService(audited.service);
    const { differences, notes } = await auditOf(audited.service);
    expect(linesOf(differences)).toEqual([]);
    expect(linesOf(notes)).toEqual([
      expect.stringContaining(`package ${id}: was not posted through this service (tx `),
    ]);
  });
});

describe('an audit of a ledger with transactions that cannot be read', () => {
  let node: LyingNode;
  beforeAll(async () => {
    node = await LyingNode.start(audited.service.ledger.rpcUrl);
  });
  afterAll(() => node.close());

  const auditWithout = async (signature: string) => {
    await node.mend();
    await node.begin({ kind: 'unreadable', signatures: new Set([signature]) });
    const told: string[] = [];
    const report = await auditOf(audited.service, { rpcUrl: node.url, tell: (line) => told.push(line) });
    return { ...report, told };
  };

  test('names the one that only mentions the program, and goes on (S-101)', async () => {
    const [{ signer }, other] = await Promise.all([audited.service.party(1), audited.service.party(1)]);
    const { accounts = [], ...plain } = transfer(signer, other.signer);
    const mention = { address: address(audited.service.server.programId), role: AccountRole.READONLY };
    const mentioning = { ...plain, accounts: [...accounts, mention] };
    const signature = await land(audited.service, await signed(audited.service, [signer], [mentioning]));
    const { differences, notes, told } = await auditWithout(signature);
    const line = `transaction ${signature}`;
    expect(linesOf(differences)).toEqual([]);
    expect(linesOf(notes)).toContainEqual(expect.stringContaining(`${line}: cannot be read: its version is above`));
    expect(told).toEqual([expect.stringContaining(line)]);
  });

  test('finds what one did: a package in the ledger and here, which no readable transaction lists (S-101)', async () => {
    const { list_signature: signature, on_chain_package: account } = await audited.service.db
      .selectFrom('packages')
      .select(['list_signature', 'on_chain_package'])
      .where('id', '=', audited.scene.listed)
      .executeTakeFirstOrThrow();
    const { differences, notes } = await auditWithout(signature ?? '');
    expect(linesOf(notes)).toContainEqual(expect.stringContaining(`transaction ${signature}: cannot be read`));
    const told = linesOf(differences).join('\n');
    expect(told).toContain(audited.scene.listed);
    expect(told).toContain(account);
  });
});

describe('an audit of a mirror that was tampered with', () => {
  testTamperings(audited, [...tamperings, ...transactionTamperings]);
});

describe('an audit of transactions that are not final', () => {
  afterEach(() => restoreMirror(audited.service));

  test('finds nothing in those that have no place yet (S-112)', async () => {
    await sql`update ledger_transactions set position = null`.execute(audited.service.db);
    expect(linesOf((await auditOf(audited.service)).differences)).toEqual([]);
  });

  test('notes what was told as taken back and has come again (S-112)', async () => {
    await sql`insert into events (seq, type, subject, payload) select 1000000, 'LEDGER_REVERTED', 'package:' || id,
      jsonb_build_object('signature', list_signature) from packages where id = ${audited.scene.listed}`.execute(
      audited.service.db,
    );
    const { differences, notes } = await auditOf(audited.service);
    expect(linesOf(differences)).toEqual([]);
    const said = 'event LEDGER_REVERTED is here; the ledger has shown the transaction again (tx ';
    expect(linesOf(notes)).toContainEqual(expect.stringContaining(`package ${audited.scene.listed}: ${said}`));
  });
});

describe('an audit of rows that are about to change', () => {
  afterAll(() => restoreMirror(audited.service));

  test('does not count what has been put right when it is read again', async () => {
    await sql`update packages set formation = 9`.execute(audited.service.db);
    const pause = () => restoreMirror(audited.service);
    const { differences, notes } = await auditOf(audited.service, { pause });
    expect(linesOf(differences)).toEqual([]);
    expect(notes.map(({ text }) => text)).not.toContain(MOVING);
  });

  test('notes what differs in another way each time, and tells what stays', async () => {
    await sql`update packages set formation = 9, settle_signature = 'x' where id = ${audited.scene.listed}`.execute(
      audited.service.db,
    );
    await sql`update packages set formation = 9 where id = ${audited.scene.inTransit}`.execute(audited.service.db);
    let formation = 9;
    const pause = async () => {
      formation -= 1;
      await sql`update packages set formation = ${formation}`.execute(audited.service.db);
    };
    const { differences, notes } = await auditOf(audited.service, { pause });
    expect(linesOf(differences)).toEqual([
      `package ${audited.scene.listed}: settle signature is x here, nothing on the ledger`,
    ]);
    expect(notes).toContainEqual({ subject: `package ${audited.scene.inTransit}`, text: MOVING });
    expect(notes).not.toContainEqual({ subject: `package ${audited.scene.listed}`, text: MOVING });
  });
});

function unconfirm({ formation }: PackageFacts): void {
  for (const leg of formation?.legs ?? []) leg.confirmSignature = null;
}

describe("an audit of the ledger's accounts", () => {
  /** The facts of one of the scene's packages, changed. */
  function ofPackage(name: keyof Scene, change: (parcel: PackageFacts) => unknown): FactsChange {
    return ({ packages }) => {
      const parcel = [...packages.values()].find(({ id }) => id === audited.scene[name]);
      if (!parcel) throw new Error(`the ledger lists the package that is ${name}`);
      change(parcel);
    };
  }

  testAccounts(audited, [
    [
      'another status',
      ofPackage('listed', (parcel) => (parcel.status = 'cancelled')),
      /status is Listed .*, Cancelled by/,
    ],
    [
      'another budget',
      ofPackage('delivered', (parcel) => (parcel.budgetLamports += 1n)),
      /budget in lamports is \d+ in/,
    ],
    ['another sum', ofPackage('delivered', (parcel) => (parcel.paidLamports += 1n)), /paid lamports is \d+ in/],
    [
      'a vault that holds too little',
      ofPackage('inTransit', (parcel) => (parcel.paidLamports -= 1n)),
      /its vault holds \d+/,
    ],
    ['a leg not confirmed', ofPackage('inTransit', unconfirm), /leg 0's status is Completed in .*, Pending by/],
    [
      'a swarm that has ended',
      ofPackage('inTransit', (parcel) => (parcel.status = 'reclaimed')),
      /^account \S+: is on the/m,
    ],
    [
      'no closing',
      ofPackage('closed', (parcel) => (parcel.closeSignature = null)),
      /package account \S+ is not on the/,
    ],
    ['a closing', ofPackage('cancelled', (parcel) => (parcel.closeSignature = 'x')), /size is \d+ in the .*, 0 by/],
    [
      'no listing',
      ({ packages }) => packages.clear(),
      /^account \S+: is on the ledger, and no transaction explains it$/m,
    ],
    [
      'another reputation',
      ({ reputations }) => reputations.forEach((one) => (one.accepted += 1n)),
      /accepted is 1 .*, 2 by/,
    ],
    ['no reputation', ({ reputations }) => reputations.clear(), /^account \S+: is on the ledger, and no transaction/m],
  ]);
});

describe('an audit of what cannot be compared', () => {
  test('refuses a database of another ledger', async () => {
    const genesisHash = await audited.service.rpc.getGenesisHash().send();
    await sql`update meta set value = 'another' where key = 'genesis_hash'`.execute(audited.service.db);
    await expect(auditOf(audited.service)).rejects.toThrow('The database belongs to the ledger');
    await sql`update meta set value = ${genesisHash} where key = 'genesis_hash'`.execute(audited.service.db);
  });

  test('refuses a ledger that does not answer, and a database', async () => {
    const rpcUrl = 'http://127.0.0.1:9';
    await expect(auditOf(audited.service, { rpcUrl })).rejects.toThrow(
      'The ledger that SOLANA_RPC_URL names cannot be used',
    );
    const databaseUrl = 'postgresql://nobody@127.0.0.1:9/none';
    await expect(auditOf(audited.service, { databaseUrl })).rejects.toThrow(/database that DATABASE_URL names/);
  });

  test('refuses a database whose schema is another one', async () => {
    await sql`alter table reputations rename to elsewhere`.execute(audited.service.db);
    await expect(auditOf(audited.service)).rejects.toThrow(/^The database that DATABASE_URL names cannot be used: /);
    await sql`alter table elsewhere rename to reputations`.execute(audited.service.db);
  });

  test('refuses a program whose beginning the ledger does not show', async () => {
    const { address: programId } = await generateKeyPairSigner();
    await sql`update meta set value = ${programId} where key = 'program_id'`.execute(audited.service.db);
    await expect(auditOf(audited.service, { programId })).rejects.toThrow(AuditImpossibleError);
    await sql`update meta set value = ${audited.service.ledger.keypairs.program.signer.address} where key = 'program_id'`.execute(
      audited.service.db,
    );
  });
});
