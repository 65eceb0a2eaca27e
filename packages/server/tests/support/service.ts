import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { RelayLedger } from '@legwork/deploy';
import { createLegworkClient, type LegworkClient } from '@legwork/sdk';
import {
  createSolanaRpc,
  devnet,
  generateKeyPairSigner,
  lamports,
  type KeyPairSigner,
  type Rpc,
  type SolanaRpcApi,
} from '@solana/kit';
import { type DestinationStream, pino } from 'pino';
import { afterAll, beforeAll, inject } from 'vitest';
import { loadConfig } from '../../src/config.js';
import type { AppContext } from '../../src/context.js';
import { createContext } from '../../src/createContext.js';
import { connect, type Db, KeyRing } from '../../src/db/connect.js';
import { migrate } from '../../src/db/migrate.js';
import { type RunningServer, startServer } from '../../src/startServer.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { startTestLedger, type TestLedger } from './ledger.js';
import { LyingNode } from './lyingNode.js';

/** Brings a database to the service's schema. */
export async function migrateAt(connectionString: string): Promise<void> {
  const db = connect(connectionString, 2, () => undefined);
  await migrate(db);
  await db.destroy();
}

type Environment = Record<string, string>;

/** How a service departs from the usual one of tests. */
export interface Departures {
  /** Environment variables, given the usual ones. */
  settings?: (usual: Environment) => Environment;
  /** Where its log goes. */
  logTo?: DestinationStream;
  /** When what happens on its ledger is final; `immediate` unless told. */
  finality?: 'delayed' | 'immediate';
  /** It reaches its ledger through a node that may lie; tests and their wallets do not. */
  lying?: true;
}

/** The environment of a service on this ledger and database, on any free port. */
function environmentOf({
  ledger: { ledger },
  database,
  keys,
  files,
  node,
}: Omit<Parts, 'node' | 'keyRing'> & Partial<Pick<Parts, 'node'>>): Environment {
  return {
    PORT: '0',
    DATABASE_URL: database.connectionString,
    SOLANA_RPC_URL: node?.url ?? ledger.rpcUrl,
    SOLANA_WS_URL: node?.wsUrl ?? ledger.wsUrl,
    RELAY_PROGRAM_ID: ledger.keypairs.program.signer.address,
    COORDINATOR_KEYPAIR: ledger.keypairs.coordinator.path,
    ARTIFACTS_DIR: files,
    PERSONAL_DATA_KEYS: keys,
    // Tests ask for more than a client may; those about limits set their own.
    LIMIT_TOOL_CALLS: '0',
    LIMIT_BIDS: '0',
    LIMIT_BIDS_PER_ADDRESS: '0',
    LIMIT_WRITES: '0',
    LIMIT_PARTS: '0',
    ARTIFACTS_RESERVE_MIB: '0',
    LIMIT_READS: '0',
    LIMIT_DRAFTS: '0',
    LIMIT_AIRDROPS: '0',
    SPONSOR_IP_SOL: '50',
  };
}

/** A wallet with a client that signs for it. */
export interface Party {
  signer: KeyPairSigner;
  pubkey: string;
  client: LegworkClient;
}

/** The parts that a service runs on. */
interface Parts {
  ledger: TestLedger;
  database: TestDatabase;
  /** Folder of the keys of what is personal. */
  keys: string;
  keyRing: KeyRing;
  node: LyingNode | undefined;
  /** The folder of its artifacts. */
  files: string;
}

/** A service on a ledger and a database of its own. */
export class TestService {
  db: Db;
  readonly rpc: Rpc<SolanaRpcApi>;
  readonly testLedger: TestLedger;
  readonly #parts: Parts;
  readonly #departures: Departures;
  #server: RunningServer | undefined;

  private constructor(parts: Parts, departures: Departures) {
    this.testLedger = parts.ledger;
    this.#parts = parts;
    this.#departures = departures;
    this.db = connect(parts.database.connectionString, 4, () => undefined, { keyRing: parts.keyRing });
    this.rpc = createSolanaRpc(devnet(this.ledger.rpcUrl));
  }

  static async start(departures: Departures = {}): Promise<TestService> {
    const [ledger, database, keys, files] = await Promise.all([
      startTestLedger(departures.finality),
      createTestDatabase(migrateAt, 'service'),
      mkdtemp(join(inject('scratch'), 'keys-')),
      mkdtemp(join(inject('scratch'), 'files-')),
    ]);
    const node = departures.lying && (await LyingNode.start(ledger.ledger.rpcUrl));
    const keyRing = await KeyRing.open(keys);
    const service = new TestService({ ledger, database, keys, keyRing, files, node }, departures);
    await service.restart();
    return service;
  }

  get ledger(): RelayLedger {
    return this.testLedger.ledger;
  }

  /** The folder of its artifacts. */
  get files(): string {
    return this.#parts.files;
  }

  /** Between a service that is started `lying` and its ledger. */
  get node(): LyingNode {
    if (!this.#parts.node) throw new Error('This service asks its ledger itself.');
    return this.#parts.node;
  }

  get server(): RunningServer {
    if (!this.#server) throw new Error('The service has not been started.');
    return this.#server;
  }

  set server(server: RunningServer) {
    this.#server = server;
  }

  /** Folder of the keys of what is personal. */
  get keys(): string {
    return this.#parts.keys;
  }

  /** Stops the service as an operator would. Ledger and database stay. */
  stop(): Promise<void> {
    return this.server.close();
  }

  /** Starts it again on the same ledger and database. */
  async restart(): Promise<void> {
    this.server = await this.replica();
  }

  /** Loses its database, with everything that only that knew, and starts on an empty one. */
  async loseDatabase(): Promise<void> {
    await this.stop();
    await this.db.destroy();
    await this.#parts.database.drop();
    this.#parts.database = await createTestDatabase(migrateAt, 'service');
    this.db = connect(this.#parts.database.connectionString, 4, () => undefined, { keyRing: this.#parts.keyRing });
    await this.restart();
  }

  /** Starts another server like it on the same ledger and database; the caller closes it. */
  replica(): Promise<RunningServer> {
    const { settings, logTo } = this.#departures;
    const usual = environmentOf(this.#parts);
    return startServer(loadConfig({ ...usual, LOG_LEVEL: 'silent', ...settings?.(usual) }), { logTo });
  }

  /** The settings for `legwork serve` on the same ledger and database, on any free port. */
  environment(): Environment {
    return environmentOf({ ...this.#parts, node: undefined });
  }

  /** The context of operations and workers, on the same ledger and database, with no worker running. */
  context(): Promise<AppContext> {
    const config = loadConfig({ ...this.environment(), LOG_LEVEL: 'silent' });
    return createContext(config, this.server.url, pino({ level: 'silent' }));
  }

  /** Moves the ledger's clock, slots and block height forward. */
  async advanceTime(seconds: number): Promise<void> {
    const response = await fetch(this.ledger.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'relay_advanceTime', params: [{ seconds }] }),
    });
    const { error } = (await response.json()) as { error?: { message: string } };
    if (error) throw new Error(error.message);
  }

  /** A wallet to which the ledger gave so many SOL. */
  /** The authority of the program, who is an operator of every service. */
  async operator(): Promise<Party> {
    const { signer } = this.ledger.keypairs.authority;
    return { signer, pubkey: signer.address, client: createLegworkClient({ url: this.server.url, signer }) };
  }

  async party(sol = 2): Promise<Party> {
    const signer = await generateKeyPairSigner();
    const client = createLegworkClient({ url: this.server.url, signer });
    if (sol > 0) await this.rpc.requestAirdrop(signer.address, lamports(BigInt(sol) * 1_000_000_000n)).send();
    return { signer, pubkey: signer.address, client };
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.db.destroy();
    await this.#parts.node?.close();
    await this.testLedger.close();
    await this.#parts.database.drop();
  }
}

/** A service for the tests of the current file; there once they run. */
export function withService(departures?: Departures): { readonly current: TestService } {
  let service: TestService | undefined;
  beforeAll(async () => {
    service = await TestService.start(departures);
  });
  afterAll(() => service?.close());
  return {
    get current() {
      if (!service) throw new Error('The service is there only while tests and hooks run.');
      return service;
    },
  };
}
