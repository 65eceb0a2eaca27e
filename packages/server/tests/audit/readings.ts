import { type LedgerFacts, noFacts } from '@legwork/program-client/facts';
import type { ReadLedger } from '@legwork/program-client/history';
import { compareAccounts } from '../../../audit/src/accounts/compareAccounts.js';
import type { Trx } from '../../../audit/src/database.js';
import { compareDecisions } from '../../../audit/src/decisions/compareDecisions.js';
import { Findings } from '../../../audit/src/findings.js';
import { listHistory, readInto } from '../../../audit/src/history.js';
import { compareMirror } from '../../../audit/src/mirror/compareMirror.js';
import type { TestService } from '../support/service.js';
import { linesOf } from './scene.js';

function audited({ ledger, rpc }: TestService): ReadLedger {
  return { rpc, programAddress: ledger.keypairs.program.signer.address };
}

/** The facts of the service's ledger. */
export async function factsOf(service: TestService): Promise<LedgerFacts> {
  const facts = noFacts();
  const { succeeded } = await listHistory(audited(service), undefined);
  for await (const _ of readInto(facts, audited(service), succeeded));
  return facts;
}

/** The differences between the mirror and the facts, a line each, notes marked as such. */
export async function mirrorSays(trx: Trx, facts: LedgerFacts): Promise<string> {
  const findings = new Findings();
  await compareMirror(trx, facts, findings);
  const notes = linesOf(findings.notes).map((note) => `note: ${note}`);
  return [...notes, ...linesOf(findings.differences)].join('\n');
}

/** The differences between the service's decisions and the facts, a line each. */
export async function decisionsSay(trx: Trx, facts: LedgerFacts): Promise<string> {
  const findings = new Findings();
  await compareDecisions(trx, facts, findings);
  return linesOf(findings.differences).join('\n');
}

/** The differences between the ledger's accounts and the facts, a line each. */
export async function accountsSay(service: TestService, facts: LedgerFacts): Promise<string> {
  const findings = new Findings();
  await compareAccounts(audited(service), facts, findings);
  return linesOf(findings.differences).join('\n');
}
