import { Client } from 'pg';
import { inject } from 'vitest';

/** The bytes of each name, as they stand in a file. */
export type Patterns = Readonly<Record<string, Buffer>>;

/** A number as a column of type float8 holds it. */
export function float8(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

/** A number with up to eight decimals as jsonb holds it: digits to the base of 10,000. */
export function jsonbNumber(value: number): Buffer {
  const [whole = '', decimals = ''] = value.toFixed(8).split('.');
  const digits = [whole, decimals.slice(0, 4), decimals.slice(4)].map(Number);
  while (digits.at(-1) === 0) digits.pop();
  const bytes = Buffer.alloc(2 * digits.length);
  for (const [index, digit] of digits.entries()) bytes.writeInt16LE(digit, 2 * index);
  return bytes;
}

/** The patterns that the files of the database hold, its statistics included; not those of the write-ahead log. */
export async function foundInFiles(database: string, patterns: Patterns): Promise<string[]> {
  const { host, port } = inject('postgres');
  // Only the superuser reads files.
  const admin = new Client({ host, port, user: 'postgres', database: 'postgres', ssl: false });
  await admin.connect();
  try {
    // Writes what is in memory first.
    await admin.query('checkpoint');
    const files = await admin.query<{ path: string }>(
      `select folder || '/' || file as path
        from (select 'base/' || oid as folder from pg_database where datname = $1) as of, pg_ls_dir(folder) as file`,
      [database],
    );
    const found = new Set<string>();
    for (const { path } of files.rows) {
      const { rows } = await admin.query<{ bytes: Buffer | null }>(
        // A file may be gone by then.
        'select pg_read_binary_file($1, true) as bytes',
        [path],
      );
      const bytes = rows[0]?.bytes ?? Buffer.alloc(0);
      for (const [what, pattern] of Object.entries(patterns)) if (bytes.includes(pattern)) found.add(what);
    }
    return [...found].sort();
  } finally {
    await admin.end();
  }
}
