import type { LedgerFacts } from '@legwork/program-client/facts';
import type { Trx } from '../database.js';
import type { Findings } from '../findings.js';
import { compareChoices } from './choices.js';
import { compareOpenings } from './openings.js';
import { compareSignatures } from './signatures.js';
import { compareSponsorships } from './sponsorships.js';

/** How much of what the service decided was checked. */
export interface Decided {
  /** Choices of a chain of bids, or of another courier for a vacant leg, made again. */
  choices: number;
  /** Signatures of agents under what binds them. */
  signatures: number;
  /** Listings that the coordinator paid for. */
  sponsored: number;
}

/** Checks what the coordinator decided, what agents signed and what was advanced, as far as that takes no secret. Rule S-98. */
export async function compareDecisions(trx: Trx, facts: LedgerFacts, findings: Findings): Promise<Decided> {
  return {
    choices: (await compareChoices(trx, findings)) + (await compareOpenings(trx, findings)),
    signatures: await compareSignatures(trx, findings),
    sponsored: await compareSponsorships(trx, facts, findings),
  };
}
