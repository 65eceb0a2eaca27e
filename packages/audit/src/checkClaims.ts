import { heldLegs, type LedgerFacts, noFacts } from '@legwork/program-client/facts';
import { createLedgerRpc, type ReadLedger } from '@legwork/program-client/history';
import { type Lamports, toLamports } from '@legwork/protocol/contract';
import { type ExportedClaim, parseClaimsCsv } from '@legwork/protocol/rules';
import { address } from '@solana/kit';
import { AuditImpossibleError } from './errors.js';
import { type Finding, Findings } from './findings.js';
import { type HistoryEntry, listHistory, readInto } from './history.js';

export interface ClaimsCheckOptions {
  /** The export's text. */
  csv: string;
  rpcUrl: string;
  programId: string;
}

export interface ClaimsCheck {
  /** Empty: every figure is what the ledger says. */
  differences: Finding[];
  /**
   * Claims whose keys were paid more afterwards: the service alone says where each claim stops. Transactions that cannot be read.
   */
  notes: Finding[];
  claims: number;
  transactions: number;
}

/**
 * Computes every figure of an export of reward claims again, from the ledger alone: no database, no service, no key.
 * Rule M-69.
 *
 * @throws ClaimsCsvError when the text is not an export
 * @throws AuditImpossibleError when the ledger cannot be read from its beginning
 */
export async function checkClaims({ csv, rpcUrl, programId }: ClaimsCheckOptions): Promise<ClaimsCheck> {
  const claims = parseClaimsCsv(csv);
  const keys = claims.map(({ devnetPubkey }) => devnetPubkey);
  const ledger = { rpc: createLedgerRpc(rpcUrl), programAddress: address(programId) };
  const payments = await readPayments(ledger, keys);
  const findings = new Findings();
  checkKeys(claims, findings);
  for (const claim of claims) checkClaim(claim, payments.of.get(claim.devnetPubkey) ?? [], findings);
  const { differences } = findings;
  const notes = [...payments.unreadable, ...findings.notes];
  return { differences, notes, claims: claims.length, transactions: payments.transactions };
}

/** A key has one claim. Rule M-67. */
function checkKeys(claims: readonly ExportedClaim[], findings: Findings): void {
  const seen = new Set<string>();
  for (const { devnetPubkey } of claims) {
    if (seen.has(devnetPubkey)) findings.differ(`claim of ${devnetPubkey}`, 'is there more than once');
    seen.add(devnetPubkey);
  }
}

function checkClaim(claim: ExportedClaim, payments: readonly Payment[], findings: Findings): void {
  const { lastConfirmSignature } = claim;
  const subject = `claim of ${claim.devnetPubkey}`;
  const counted = countedBy(claim, payments);
  if (counted === undefined) {
    findings.differ(subject, `its last transaction ${lastConfirmSignature} paid this key nothing on the ledger`);
    return;
  }
  const sponsored = sum(counted.filter(({ isSponsored }) => isSponsored));
  const posters = new Set(counted.map(({ poster }) => poster)).size;
  const same = (what: string, here: bigint | number, ledger: bigint | number) =>
    findings.same(subject, what, here, ledger, lastConfirmSignature);
  same('earnings', claim.devnetEarningsLamports, sum(counted));
  same('sponsored part', claim.sponsoredLamports, sponsored);
  same('self-funded part', claim.selfFundedLamports, sum(counted) - sponsored);
  same('number of legs', claim.legs, counted.length);
  same('number of posters', claim.posters, posters);
  noteLater(subject, payments.slice(counted.length), findings);
}

/** The payments that a claim counts; undefined: the ledger shows no payment of the key in the last of them. */
function countedBy(claim: ExportedClaim, payments: readonly Payment[]): readonly Payment[] | undefined {
  if (claim.lastConfirmSignature === null) return [];
  const last = payments.findLastIndex(({ signature }) => signature === claim.lastConfirmSignature);
  return last === -1 ? undefined : payments.slice(0, last + 1);
}

function sum(payments: readonly Payment[]): bigint {
  return payments.reduce((total, { lamports }) => total + lamports, 0n);
}

function noteLater(subject: string, later: readonly Payment[], findings: Findings): void {
  const [next] = later;
  if (next === undefined) return;
  findings.note(
    subject,
    `${sum(later)} lamports paid later are not counted, the first of them by tx ${next.signature}`,
  );
}

/** The payment of one completed digital leg. */
interface Payment {
  signature: string;
  lamports: Lamports;
  poster: string;
  /** True if another wallet than the poster's paid for the task. */
  isSponsored: boolean;
}

/** The keys' payments for digital legs, each in the ledger's order. */
interface LedgerPayments {
  of: ReadonlyMap<string, readonly Payment[]>;
  /** The number of transactions read. */
  transactions: number;
  /** The transactions that cannot be read: they may have paid something, too. */
  unreadable: Finding[];
}

/**
 * Reads the program's transactions from the first one on, and gathers what they paid these keys for digital legs.
 *
 * @throws AuditImpossibleError when the ledger does not answer, and when the node lacks part of the history
 */
async function readPayments(ledger: ReadLedger, keys: readonly string[]): Promise<LedgerPayments> {
  const payments = new Map(keys.map((key): [string, Payment[]] => [key, []]));
  const facts = noFacts();
  const unreadable: Finding[] = [];
  const { succeeded } = await listHistory(ledger, undefined);
  for await (const entry of readInto(facts, ledger, succeeded)) {
    if (entry.unreadable !== undefined) unreadable.push(entry.unreadable);
    collect(payments, facts, entry);
  }
  if (!facts.initialized) {
    throw new AuditImpossibleError(
      `The ledger does not show how the program ${ledger.programAddress} was initialised: this node has not kept its ` +
        'whole history, or the program is another one.',
    );
  }
  return { of: payments, transactions: succeeded.length, unreadable };
}

/** Adds the payments of one transaction, which the facts know already. */
function collect(
  payments: Map<string, Payment[]>,
  facts: LedgerFacts,
  { signature, instructions }: HistoryEntry,
): void {
  for (const instruction of instructions) {
    if (instruction.name !== 'confirmTaskLeg') continue;
    const task = facts.tasks.get(instruction.accounts.task.address);
    if (task === undefined) throw new Error(`${signature} was replayed and its task is not known`);
    // Base units of a token are no lamports, and nobody's earnings. Rules M-66, M-94.
    if (task.asset !== null) continue;
    const { agent, taskLeg } = instruction.accounts;
    const paid = heldLegs(task).find(({ address }) => address === taskLeg.address)?.paidLamports;
    if (paid == null) throw new Error(`${signature} was replayed and paid nobody`);
    payments.get(agent.address)?.push({
      signature,
      lamports: toLamports(paid),
      poster: task.poster,
      isSponsored: task.funder !== task.poster,
    });
  }
}
