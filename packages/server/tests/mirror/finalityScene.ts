import {
  createSolanaRpc,
  devnet,
  generateKeyPairSigner,
  getBase64Encoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  lamports,
  signature as toSignature,
} from '@solana/kit';
import { signaturePages } from '@legwork/program-client/history';
import { sql } from 'kysely';
import { pino } from 'pino';
import { loadConfig } from '../../src/config.js';
import type { AppContext } from '../../src/context.js';
import { createContext } from '../../src/createContext.js';
import { FinalityWatch } from '../../src/mirror/finality.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startTestLedger, type TestLedger } from '../support/ledger.js';
import { LyingNode } from '../support/lyingNode.js';
import { confirmAll, formedPackage, untilPackage } from '../support/market.js';
import { insertPackages, packageRow } from '../support/packageRows.js';
import { migrateAt, type TestService } from '../support/service.js';
import { land, signed, transfer } from '../support/transactions.js';

interface Logged {
  level: number;
  msg: string;
}

/** A transaction of a wallet's, signed and not sent unless told. */
export interface Signed {
  signature: string;
  base64: string;
  bytes: Buffer;
  slot: bigint;
  lastValidBlockHeight: bigint;
}

/** A listing, in the database alone, whose account is the wallet of `payee`. */
export interface Listing {
  id: string;
  subject: string;
  payee: KeyPairSigner;
}

/** The differences of a row from that of a transaction which went missing long ago. */
export interface RowChanges {
  /** Slots from its signing to the slot it was applied in. */
  later?: bigint;
  subjects?: string[];
  kept?: 'ours' | 'wallets';
  /** Seconds since a node first did not know it. */
  missingSec?: number | undefined;
}

/** A watch over a ledger through a node that may lie, and no service: rows are written by the tests. */
export class FinalityScene {
  readonly context: AppContext;
  readonly node: LyingNode;
  readonly logged: Logged[];
  /** The ledger's own word. */
  readonly rpc;
  readonly #ledger: TestLedger;
  readonly #database: TestDatabase;

  static async start(): Promise<FinalityScene> {
    const [ledger, database] = await Promise.all([
      startTestLedger('delayed'),
      createTestDatabase(migrateAt, 'service'),
    ]);
    const { rpcUrl, keypairs } = ledger.ledger;
    const node = await LyingNode.start(rpcUrl);
    const logged: Logged[] = [];
    const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as Logged) });
    const config = loadConfig({
      DATABASE_URL: database.connectionString,
      SOLANA_RPC_URL: node.url,
      SOLANA_WS_URL: node.wsUrl,
      RELAY_PROGRAM_ID: keypairs.program.signer.address,
      COORDINATOR_KEYPAIR: keypairs.coordinator.path,
    });
    return new FinalityScene({ ledger, database, node }, await createContext(config, 'http://localhost', log), logged);
  }

  private constructor(
    { ledger, database, node }: { ledger: TestLedger; database: TestDatabase; node: LyingNode },
    context: AppContext,
    logged: Logged[],
  ) {
    this.context = context;
    this.node = node;
    this.logged = logged;
    this.rpc = createSolanaRpc(devnet(ledger.ledger.rpcUrl));
    this.#ledger = ledger;
    this.#database = database;
  }

  get db() {
    return this.context.db;
  }

  async close(): Promise<void> {
    await this.context.db.destroy();
    await this.node.close();
    await this.#ledger.close();
    await this.#database.drop();
  }

  /** Another watch over the same, which has looked at nothing yet. */
  watch(): FinalityWatch {
    return new FinalityWatch(this.context);
  }

  /** Looks at everything once. */
  look(): Promise<void> {
    return this.watch().round();
  }

  /** Another ledger with everything so far, which goes on for itself. */
  fork(): Promise<TestLedger> {
    return this.#ledger.fork();
  }

  /** Moves the ledger forward, or another one. */
  async pass(slots: number, { ledger }: TestLedger = this.#ledger): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'relay_advanceTime', params: [{ slots }] });
    await fetch(ledger.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  }

  async listing(): Promise<Listing> {
    const payee = await generateKeyPairSigner();
    const row = packageRow({ on_chain_package: payee.address });
    await insertPackages(this.db, [row]);
    return { id: row.id, subject: `package:${row.id}`, payee };
  }

  /** Signs a transfer to the listing's account. */
  async sign(to: Pick<Listing, 'payee'>, { failing = false } = {}): Promise<Signed> {
    const payer = await generateKeyPairSigner();
    await this.rpc.requestAirdrop(payer.address, lamports(failing ? 900_000n : 1_000_000_000n)).send();
    const slot = await this.rpc.getSlot({ commitment: 'confirmed' }).send();
    const base64 = await signed(this, [payer], [transfer(payer, to.payee)]);
    const bytes = Buffer.from(base64, 'base64');
    const signature = getSignatureFromTransaction(getTransactionDecoder().decode(getBase64Encoder().encode(base64)));
    return { signature, base64, bytes, slot, lastValidBlockHeight: slot + 150n };
  }

  /** Sends it to the ledger, as if nobody lied. */
  async send({ base64 }: Signed): Promise<void> {
    await land(this, base64);
  }

  /** The slot in which the ledger has it, succeeded or failed. */
  async slotOf({ signature }: Signed): Promise<bigint | undefined> {
    const { value } = await this.rpc
      .getSignatureStatuses([toSignature(signature)], { searchTransactionHistory: true })
      .send();
    return value[0]?.slot;
  }

  /** Writes that the transaction was applied. */
  async applied(transaction: Signed, listing: Listing, changes: RowChanges = {}): Promise<void> {
    const { signature, bytes, lastValidBlockHeight } = transaction;
    const { later = 0n, subjects = [listing.subject], kept, missingSec } = changes;
    await this.db
      .insertInto('ledger_transactions')
      .values({
        signature,
        slot: transaction.slot + later,
        subjects,
        instructions: ['formSwarm', 'assignLeg', 'assignLeg'],
        bytes: kept === undefined ? null : bytes,
        last_valid_block_height: kept === 'ours' ? lastValidBlockHeight : null,
        missing_since: missingSec === undefined ? null : sql<Date>`now() - make_interval(secs => ${missingSec})`,
      })
      .execute();
  }

  /** A transaction that was applied and never was on the ledger, with all the evidence for that unless changed. */
  async vanished({ slots = 400, ...changes }: RowChanges & { slots?: number } = {}) {
    const listing = await this.listing();
    const transaction = await this.sign(listing);
    await this.pass(slots);
    await this.applied(transaction, listing, { missingSec: 31, ...changes });
    return { listing, ...transaction };
  }

  async row({ signature }: Pick<Signed, 'signature'>) {
    return this.db
      .selectFrom('ledger_transactions')
      .selectAll()
      .where('signature', '=', signature)
      .executeTakeFirstOrThrow();
  }

  async isReverted(transaction: Pick<Signed, 'signature'>): Promise<boolean> {
    return (await this.row(transaction)).reverted_at !== null;
  }

  /** Where the follower has got to. */
  async putCursor({ slot, signature }: Pick<Signed, 'slot' | 'signature'>): Promise<void> {
    const value = `${slot}:${signature}`;
    await sql`insert into meta (key, value) values ('watcher_cursor', ${value})
      on conflict (key) do update set value = excluded.value`.execute(this.db);
  }

  /** The events about the listing. */
  async eventsOf({ subject }: Pick<Listing, 'subject'>): Promise<{ type: string; payload: unknown }[]> {
    return this.db
      .selectFrom('events')
      .select(['type', 'payload'])
      .where('subject', '=', subject)
      .orderBy('id')
      .execute();
  }

  /** Ends every lie and forgets everything. */
  async clear(): Promise<void> {
    await this.node.mend();
    await sql`truncate ledger_transactions, packages, digital_tasks, outbox, sponsorships, events cascade`.execute(
      this.db,
    );
    await this.db.deleteFrom('meta').where('key', '=', 'watcher_cursor').execute();
    this.logged.length = 0;
  }
}

/** The state of what was applied about a listing, in order. */
export async function applied({ db }: Pick<TestService, 'db'>, subject: string) {
  const rows = await db
    .selectFrom('ledger_transactions')
    .selectAll()
    .where(sql<boolean>`${subject} = any (subjects)`)
    .orderBy('slot')
    .orderBy('applied_at')
    .execute();
  return rows.map(({ instructions, position, reverted_at: revertedAt }) => ({
    name: instructions[0],
    state: revertedAt === null ? (position === null ? 'confirmed' : 'final') : 'reverted',
  }));
}

/** Moves the instant that transactions went missing into the past. */
export async function ageMissing({ db }: Pick<TestService, 'db'>): Promise<void> {
  await db
    .updateTable('ledger_transactions')
    .set({ missing_since: sql<Date>`missing_since - interval '31 seconds'` })
    .where('missing_since', 'is not', null)
    .execute();
}

/** Moves the instant that transactions were taken back into the past. */
export async function ageReverted({ db }: Pick<TestService, 'db'>): Promise<void> {
  await db
    .updateTable('ledger_transactions')
    .set({ reverted_at: sql<Date>`reverted_at - interval '60 seconds'` })
    .where('reverted_at', 'is not', null)
    .execute();
}

/** How many transactions the ledger shows of an account. */
export async function countOf({ ledger }: AppContext, account: string): Promise<number> {
  let count = 0;
  for await (const page of signaturePages(ledger, account)) count += page.length;
  return count;
}

/** Lists, is carried by the courier and delivered: everything goes on. */
export async function deliver(service: TestService): Promise<void> {
  const market = await formedPackage(service, [['zoo', 'ostkreuz', 0.1]]);
  await confirmAll(service, market);
  await untilPackage(service, market.parcel.id, ({ status }) => status === 'delivered');
}
