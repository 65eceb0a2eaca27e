import { addTo, type LedgerFacts, type Transaction } from '@legwork/program-client/facts';
import { findLanded, type ReadLedger, signaturePages } from '@legwork/program-client/history';
import { AuditImpossibleError, gapBefore } from './errors.js';
import type { Finding } from './findings.js';
import { patiently } from './ledger.js';

/** A successful transaction that names the program; without instructions when it only mentions it, or cannot be read. */
export interface HistoryEntry extends Transaction {
  /** That it cannot be read; undefined: it can. */
  unreadable?: Finding;
}

/** Signatures, oldest first. */
interface History {
  succeeded: string[];
  /** The newest of all, failed ones included: what a later reading goes on after. Undefined: there is none. */
  newest: string | undefined;
}

/** Transactions that are asked for at the same time. */
const AT_ONCE = 16;

/** The transactions that name the program, from the first one or from after `since` on. */
export async function listHistory(ledger: ReadLedger, since: string | undefined): Promise<History> {
  const succeeded: string[] = [];
  let newest: string | undefined;
  for await (const page of signaturePages(ledger, ledger.programAddress, { until: since, request: patiently })) {
    newest ??= page[0]?.signature;
    for (const { signature, err } of page) if (err === null) succeeded.push(signature);
  }
  return { succeeded: succeeded.toReversed(), newest };
}

async function readEntry(ledger: ReadLedger, signature: string): Promise<HistoryEntry> {
  const landed = await patiently(() => findLanded(ledger, signature));
  if (landed?.kind === 'unreadable') {
    const unreadable = { subject: `transaction ${signature}`, text: `cannot be read: ${landed.reason}` };
    return { signature, instructions: [], at: null, gained: new Map(), unreadable };
  }
  if (landed?.error === null) {
    const { instructions, blockTime, gained, reasonHash } = landed;
    return { signature, instructions, at: blockTime, gained, reasonHash };
  }
  throw new AuditImpossibleError(
    `The ledger lists transaction ${signature} and does not show it: this node has not kept its whole history. ` +
      'Set SOLANA_RPC_URL to one that has.',
  );
}

/** Reads the transactions, several at a time, and hands them on one by one in the given order. */
export async function* readHistory(
  ledger: ReadLedger,
  signatures: readonly string[],
): AsyncGenerator<HistoryEntry, void> {
  const underWay: Promise<HistoryEntry>[] = [];
  for (let next = 0; next < signatures.length || underWay.length > 0; ) {
    const signature = signatures[next];
    if (signature !== undefined && underWay.length < AT_ONCE) {
      const entry = readEntry(ledger, signature);
      // One that fails is told in its turn, when it is awaited.
      entry.catch(() => undefined);
      underWay.push(entry);
      next += 1;
      continue;
    }
    const first = underWay.shift();
    if (first) yield await first;
  }
}

/** Reads the transactions as `readHistory` does, and adds each to the facts before it is handed on. */
export async function* readInto(
  facts: LedgerFacts,
  ledger: ReadLedger,
  signatures: readonly string[],
): AsyncGenerator<HistoryEntry, void> {
  for await (const entry of readHistory(ledger, signatures)) {
    const misfit = addTo(facts, entry);
    if (misfit !== undefined) throw gapBefore(misfit);
    yield entry;
  }
}
