import { type ExportedClaim, parseClaimsCsv } from '@legwork/protocol/rules';
import { address } from '@solana/kit';
import { type Finding, Findings } from '../findings.js';
import { createLedgerRpc } from '@legwork/program-client/history';
import { type Payment, readPayments } from './ledgerPayments.js';

export interface ClaimsCheckOptions {
  /** The export. */
  csv: string;
  rpcUrl: string;
  programId: string;
}

export interface ClaimsCheck {
  /** Empty: every figure is what the ledger says. */
  differences: Finding[];
  /** Claims whose keys were paid more afterwards: where each stops is the service's word. */
  notes: Finding[];
  claims: number;
  transactions: number;
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

function noteLater(subject: string, later: readonly Payment[], findings: Findings): void {
  const [next] = later;
  if (next === undefined) return;
  findings.note(
    subject,
    `${sum(later)} lamports paid later are not counted, the first of them by tx ${next.signature}`,
  );
}

/** A key has one claim. Rule M-67. */
function checkKeys(claims: readonly ExportedClaim[], findings: Findings): void {
  const seen = new Set<string>();
  for (const { devnetPubkey } of claims) {
    if (seen.has(devnetPubkey)) findings.differ(`claim of ${devnetPubkey}`, 'is there more than once');
    seen.add(devnetPubkey);
  }
}

/**
 * Works out every figure of an export of reward claims again, from the ledger alone: no database, no service, no key.
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
  const { differences, notes } = findings;
  return { differences, notes, claims: claims.length, transactions: payments.transactions };
}
