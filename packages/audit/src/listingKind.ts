import type { Trx } from './database.js';
import type { ListingRow } from './listingRow.js';
import type { ListingFacts } from './facts.js';
import type { Findings } from './findings.js';
import type { MirroredEvent } from './mirroredEvents.js';

/** A row of the mirror with its event log. */
export interface Mirrored<Found> {
  /** The row with everything that hangs on it. */
  found: Found;
  /** In the order of their numbers. */
  events: readonly MirroredEvent[];
}

/** How packages, or digital tasks, are compared. */
export interface ListingKind<Item extends ListingFacts, Row extends ListingRow, Found extends { row: Row }> {
  name: Item['kind'];
  /** What the subjects of its events begin with. */
  topic: 'package' | 'task';
  /** All but the drafts, by id. */
  read: (trx: Trx) => AsyncIterable<Found>;
  addressOf: (row: Row) => string;
  countLegs: (found: Found) => number;
  compare: (mirrored: Mirrored<Found>, item: Item, findings: Findings) => void;
  /** The drafts at these addresses. */
  drafts: (trx: Trx, addresses: readonly string[]) => Promise<Row[]>;
  /** Whether a listing departs from the terms of its draft; such a listing is not taken in. */
  departs: (draft: Row, item: Item) => boolean;
  /** What the coordinator did for it, in words; undefined: nothing. */
  workDone: (item: Item) => string | undefined;
}
