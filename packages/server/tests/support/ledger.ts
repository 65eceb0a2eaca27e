import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { relayGenesis, type RelayLedger } from '@legwork/deploy';
import { type LedgerOptions, startLedger } from '@legwork/ledger';
import { inject } from 'vitest';
import { copyLedger } from '../../../ledger/tests/support/copyLedger.js';

const PROGRAM = join(import.meta.dirname, '../../../../program/dist/relay.so');

type Finality = NonNullable<LedgerOptions['finality']>;

function startIn(dataDir: string, finality: Finality, ports: { port: number; wsPort?: number } = { port: 0 }) {
  return startLedger({ dataDir, ...ports, genesis: relayGenesis(PROGRAM), testing: true, finality });
}

const newFolder = () => mkdtemp(join(tmpdir(), 'relay-ledger-'));

/** A ledger with the program, in a folder that goes with it. */
export class TestLedger {
  ledger: RelayLedger;
  readonly #dataDir: string;
  readonly #finality: Finality;
  readonly #memories: string[] = [];

  static async start(dataDir: string, finality: Finality): Promise<TestLedger> {
    return new TestLedger(await startIn(dataDir, finality), dataDir, finality);
  }

  private constructor(ledger: RelayLedger, dataDir: string, finality: Finality) {
    this.ledger = ledger;
    this.#dataDir = dataDir;
    this.#finality = finality;
  }

  /** Another ledger, with everything that happened here so far; from now on the two know nothing of each other. */
  async fork(): Promise<TestLedger> {
    return TestLedger.start(await this.#copy(), this.#finality);
  }

  /** Returns a folder with the ledger as it is now. */
  async remember(): Promise<string> {
    const memory = await this.#copy();
    this.#memories.push(memory);
    return memory;
  }

  /** Stops the ledger, puts the remembered folder in the place of its own, and starts it again on the same ports. */
  async goBackTo(memory: string): Promise<void> {
    const [port = 0, wsPort = 0] = [this.ledger.rpcUrl, this.ledger.wsUrl].map((url) => Number(new URL(url).port));
    await this.ledger.close();
    await rm(this.#dataDir, { recursive: true });
    await cp(memory, this.#dataDir, { recursive: true });
    this.ledger = await startIn(this.#dataDir, this.#finality, { port, wsPort });
  }

  async close(): Promise<void> {
    await this.ledger.close();
    for (const folder of [this.#dataDir, ...this.#memories]) await rm(folder, { recursive: true, force: true });
  }

  async #copy(): Promise<string> {
    const folder = await newFolder();
    await copyLedger(this.#dataDir, folder);
    return folder;
  }
}

let begun: Promise<string> | undefined;

/** A folder whose ledger has its genesis behind it; it goes with the run. */
async function begin(): Promise<string> {
  const folder = await mkdtemp(join(inject('scratch'), 'ledger-'));
  const ledger = await startIn(folder, 'immediate');
  await ledger.close();
  return folder;
}

/**
 * Starts a ledger of the test file's own. Genesis takes most of a start, so a worker goes through it once and copies what
 * came out: the genesis hash, the program and the keypairs of its ledgers are the same.
 *
 * @param finality `immediate`, unless a test is about what is not final
 */
export async function startTestLedger(finality: Finality = 'immediate'): Promise<TestLedger> {
  begun ??= begin();
  const dataDir = await newFolder();
  await cp(await begun, dataDir, { recursive: true });
  return TestLedger.start(dataDir, finality);
}
