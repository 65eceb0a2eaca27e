import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { relayGenesis, type RelayLedger } from '@legwork/deploy';
import { startLedger } from '@legwork/ledger';
import { inject } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../../../../program/dist/relay.so');

/** A ledger with the program, in a folder that goes with it. */
export interface TestLedger {
  readonly ledger: RelayLedger;
  close(): Promise<void>;
}

function startIn(dataDir: string): Promise<RelayLedger> {
  return startLedger({ dataDir, port: 0, genesis: relayGenesis(PROGRAM), testing: true, finality: 'immediate' });
}

let begun: Promise<string> | undefined;

/** A folder whose ledger has its genesis behind it; it goes with the run. */
async function begin(): Promise<string> {
  const folder = await mkdtemp(join(inject('scratch'), 'ledger-'));
  const ledger = await startIn(folder);
  await ledger.close();
  return folder;
}

/**
 * Starts a ledger of the test file's own. Genesis takes most of a start, so a worker goes through it once and copies what
 * came out: the genesis hash, the program and the keypairs of its ledgers are the same.
 */
export async function startTestLedger(): Promise<TestLedger> {
  begun ??= begin();
  const dataDir = await mkdtemp(join(tmpdir(), 'relay-ledger-'));
  await cp(await begun, dataDir, { recursive: true });
  const ledger = await startIn(dataDir);
  return {
    ledger,
    async close() {
      await ledger.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
