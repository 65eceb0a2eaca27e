import { formatSol } from '@legwork/sdk';
import type { LegworkClient } from '@legwork/sdk';
import type { Company } from './company.js';
import type { Ledger } from './ledger.js';
import type { RunFolder } from './runFolder.js';

/** How long a story waits for any one thing to happen. */
export const PATIENCE_MS = 90_000;

/** The things that the acts of a story have in common. */
export interface Stage {
  /** Address of the service. */
  readonly url: string;
  readonly client: LegworkClient;
  readonly ledger: Ledger;
  readonly company: Company;
  readonly folder: RunFolder;
  readonly say: (line: string) => void;
}

/** An amount as a story tells it: SOL with four decimals. */
export function sol(lamports: bigint): string {
  const [whole = '0', fraction = ''] = formatSol(lamports).split('.');
  return `${whole}.${fraction.padEnd(4, '0').slice(0, 4)}`;
}

/** Something the person at the screen can act on; shown as a sentence, without a stack. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}
