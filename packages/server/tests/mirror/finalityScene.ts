import {
  getBase64Encoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  generateKeyPairSigner,
  type KeyPairSigner,
  lamports,
} from '@solana/kit';
import { sql } from 'kysely';
import { pino } from 'pino';
import { loadConfig } from '../../src/config.js';
import { type AppContext, createContext } from '../../src/context.js';
import { FinalityWatch } from '../../src/mirror/finality.js';
import { insertPackages, packageRow } from '../support/packageRows.js';
import { TestService } from '../support/service.js';
import { land, signed, transfer } from '../support/transactions.js';

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

/** What of a row departs from that of a transaction which went missing long ago. */
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
  readonly service: TestService;
  readonly context: AppContext;
  readonly logged: { level: number; msg: string }[];

  static async start(): Promise<FinalityScene> {
    const service = await TestService.start({ lying: true, finality: 'delayed' });
    const logged: FinalityScene['logged'] = [];
    const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as FinalityScene['logged'][0]) });
    const config = loadConfig({ ...service.environment(), SOLANA_RPC_URL: service.node.url });
    const context = await createContext(config, service.server.url, log);
    await service.stop();
    return new FinalityScene(service, context, logged);
  }

  private constructor(service: TestService, context: AppContext, logged: FinalityScene['logged']) {
    this.service = service;
    this.context = context;
    this.logged = logged;
  }

  async close(): Promise<void> {
    await this.context.db.destroy();
    await this.service.close();
  }

  /** Another watch over the same, which has looked at nothing yet. */
  watch(): FinalityWatch {
    return new FinalityWatch(this.context);
  }

  /** Looks at everything once. */
  look(): Promise<void> {
    return this.watch().round();
  }

  /** Moves the ledger forward. */
  async pass(slots: number): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'relay_advanceTime', params: [{ slots }] });
    await fetch(this.service.ledger.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  }

  async listing(): Promise<Listing> {
    const payee = await generateKeyPairSigner();
    const row = packageRow({ on_chain_package: payee.address });
    await insertPackages(this.service.db, [row]);
    return { id: row.id, subject: `package:${row.id}`, payee };
  }

  /** Signs a transfer to the listing's account. */
  async sign(to: Pick<Listing, 'payee'>, { failing = false } = {}): Promise<Signed> {
    const { rpc } = this.service;
    const payer = await generateKeyPairSigner();
    await rpc.requestAirdrop(payer.address, lamports(failing ? 900_000n : 1_000_000_000n)).send();
    const slot = await rpc.getSlot({ commitment: 'confirmed' }).send();
    const base64 = await signed(this.service, [payer], [transfer(payer, to.payee)]);
    const bytes = Buffer.from(base64, 'base64');
    const signature = getSignatureFromTransaction(getTransactionDecoder().decode(getBase64Encoder().encode(base64)));
    return { signature, base64, bytes, slot, lastValidBlockHeight: slot + 150n };
  }

  /** Sends it to the ledger, as if nobody lied. */
  async send({ base64 }: Signed): Promise<void> {
    await land(this.service, base64);
  }

  /** Whether the ledger has it, succeeded or failed. */
  async hasLanded({ signature }: Signed): Promise<boolean> {
    const { value } = await this.service.rpc
      .getSignatureStatuses([signature as Parameters<typeof this.service.rpc.getSignatureStatuses>[0][0]], {
        searchTransactionHistory: true,
      })
      .send();
    return value[0] !== null;
  }

  /** Writes that the transaction was applied. */
  async applied(transaction: Signed, listing: Listing, changes: RowChanges = {}): Promise<void> {
    const { signature, bytes, lastValidBlockHeight } = transaction;
    const { later = 0n, subjects = [listing.subject], kept, missingSec } = changes;
    await this.service.db
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
    return this.service.db
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
      on conflict (key) do update set value = excluded.value`.execute(this.service.db);
  }

  /** The events about the listing. */
  async eventsOf({ subject }: Pick<Listing, 'subject'>): Promise<{ type: string; payload: unknown }[]> {
    return this.service.db
      .selectFrom('events')
      .select(['type', 'payload'])
      .where('subject', '=', subject)
      .orderBy('id')
      .execute();
  }

  /** Forgets every row and the cursor. */
  async clear(): Promise<void> {
    await this.service.node.mend();
    await this.service.db.deleteFrom('ledger_transactions').execute();
    await this.service.db.deleteFrom('meta').where('key', '=', 'watcher_cursor').execute();
    this.logged.length = 0;
  }
}
