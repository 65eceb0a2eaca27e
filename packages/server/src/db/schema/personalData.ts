import type { PrivatePartName, PrivateReader } from '@legwork/protocol/contract';
import type { Generated, Selectable } from 'kysely';

/** Exact addresses and contacts of a package, encrypted. */
export interface PrivatePartsTable {
  package_id: string;
  /** The month of the key, as `2026-11`. */
  key: string;
  sealed: Buffer;
}

/** Who read which private part of a package, a row a part and key. */
export interface PrivateReadingsTable {
  package_id: string;
  part: PrivatePartName;
  reader_pubkey: string;
  read_as: PrivateReader;
  times: Generated<number>;
  first_at: Generated<Date>;
  last_at: Generated<Date>;
}

/** Which couriers have read private parts of which packages, of the last 30 days: it outlives what they read. */
export interface CourierReadingsTable {
  reader_pubkey: string;
  package_id: string;
  first_at: Generated<Date>;
}

export type PrivateReadingRow = Selectable<PrivateReadingsTable>;

/** What is known of places and people, and who has seen it. */
export interface PersonalDataTables {
  private_parts: PrivatePartsTable;
  private_readings: PrivateReadingsTable;
  courier_readings: CourierReadingsTable;
}
