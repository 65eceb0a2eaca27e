/** The output of a command: for programs and for people. */
export interface Shown {
  /** In code form; amounts and instants become the wire's. Undefined: for people only. */
  readonly data: unknown;
  /** Lines, the last one without an end. */
  readonly text: string;
  /** How the command ends, where it did what was asked and what it found did not go well. */
  readonly exit?: 1;
}

/** One line of JSON: amounts as numbers of lamports, instants as ISO 8601, what went wrong in words. */
export function toJson(data: unknown): string {
  return JSON.stringify(data, (_, value: unknown) => {
    if (value instanceof Error) return value.message;
    return typeof value === 'bigint' ? Number(value) : value;
  });
}

/** A table with its columns under each other; `empty` stands for one without rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  if (rows.length === 0) return empty;
  const lines = [head, ...rows.map((row) => row.map(oneLine))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Without what moves a terminal's cursor or turns its text around: what others wrote must not pass for ours. */
export function harmless(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, ' ');
}

const WIDEST = 60;

function oneLine(cell: string): string {
  const line = harmless(cell).replace(/\s+/g, ' ');
  return line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line;
}

/** `2026-01-02 03:04 UTC`. */
export function minuteOf(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
