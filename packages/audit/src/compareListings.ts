import type { Trx } from './database.js';
import { type ListingFacts, subjectOf } from './facts.js';
import { by, type Findings } from './findings.js';
import type { ListingKind } from './listingKind.js';
import type { ListingRow } from './listingRow.js';
import type { MirroredEvents } from './mirroredEvents.js';

/** What a mirror is compared with, and what is read of it. */
export interface Comparison {
  trx: Trx;
  events: MirroredEvents;
  findings: Findings;
}

/** Compares every row of a kind, and what hangs on it, with what the ledger's transactions say. */
export async function compareListings<Item extends ListingFacts, Row extends ListingRow, Found extends { row: Row }>(
  { trx, events, findings }: Comparison,
  kind: ListingKind<Item, Row, Found>,
  items: ReadonlyMap<string, Item>,
): Promise<{ rows: number; legs: number }> {
  const compared = { rows: 0, legs: 0 };
  const unmirrored = new Map(items);
  for await (const found of kind.read(trx)) {
    const { row } = found;
    const at = kind.addressOf(row);
    const mirrored = { found, events: await events.of(`${kind.topic}:${row.id}`) };
    const item = items.get(at);
    unmirrored.delete(at);
    if (item) kind.compare(mirrored, item, findings);
    else {
      const said = `status is ${row.status} here, and no transaction of the ledger lists ${at}`;
      findings.differ(`${kind.name} ${row.id}`, said);
    }
    compared.rows += 1;
    compared.legs += kind.countLegs(found);
  }
  const drafts = await kind.drafts(trx, [...unmirrored.keys()]);
  const draftAt = new Map(drafts.map((draft) => [kind.addressOf(draft), draft]));
  for (const [at, item] of unmirrored) tellUnmirrored(kind, item, draftAt.get(at), findings);
  return compared;
}

/**
 * The ledger is open to everybody: a listing that was not posted through this service is none of its business. But the
 * coordinator works for packages and tasks of the service alone.
 */
function tellUnmirrored<Item extends ListingFacts, Row extends ListingRow, Found extends { row: Row }>(
  kind: ListingKind<Item, Row, Found>,
  item: Item,
  draft: Row | undefined,
  findings: Findings,
): void {
  const signed = by(item.listSignature);
  const done = kind.workDone(item);
  if (draft && !kind.departs(draft, item)) {
    findings.same(`${kind.name} ${draft.id}`, 'status', draft.status, item.status, item.statusSignature);
  } else if (done !== undefined) {
    findings.differ(subjectOf(item), `has no row here; the ledger ${done}${signed}`);
  } else if (draft) {
    findings.note(`${kind.name} ${draft.id}`, `was listed with other terms than its draft's${signed}`);
  } else {
    findings.note(subjectOf(item), `was not posted through this service${signed}`);
  }
}
