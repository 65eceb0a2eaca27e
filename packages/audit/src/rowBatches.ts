export const ROWS_AT_ONCE = 500;

/**
 * Rows some at a time, so that a large table takes no more memory than a small one.
 *
 * @param read - the next rows after the given one, {@link ROWS_AT_ONCE} at most
 */
export async function* rowBatches<Row>(read: (after: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row[], void> {
  for (let last: Row | undefined; ; ) {
    const rows = await read(last);
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

/** What is read for some of the keys at a time, all together. */
export async function readFor<Key, Row>(
  keys: readonly Key[],
  read: (some: readonly Key[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < keys.length; from += ROWS_AT_ONCE) {
    rows.push(...(await read(keys.slice(from, from + ROWS_AT_ONCE))));
  }
  return rows;
}
