import type { WriteStream } from 'node:tty';
import { readProgramLog } from '@legwork/program-client/history';

const WIDTH = 80;
const SGR = { bold: 1, red: 31, green: 32 } as const;

/** Colours a text, or leaves it as it is. */
export type Paint = (style: keyof typeof SGR, text: string) => string;

/** Colour for a terminal that has some; none in a pipe or a file, or where `NO_COLOR` is set. */
export function paintFor(stream: Pick<WriteStream, 'isTTY'>, env: Readonly<Record<string, string | undefined>>): Paint {
  const plain = !stream.isTTY || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return (style, text) => (plain ? text : `\u001b[${SGR[style]}m${text}\u001b[0m`);
}

/** Characters that could move the cursor, change colours or turn the writing round: programs write into their logs what they like. */
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A text of somebody else, safe for a terminal. */
export function cleared(text: string): string {
  return text.replaceAll(UNSAFE, '·');
}

/** Rows of cells as lines of equal columns, indented. */
export function columns(rows: readonly (readonly string[])[], sides: readonly ('left' | 'right')[]): string[] {
  const clear = rows.map((row) => row.map(cleared));
  const widths = sides.map((_, at) => Math.max(0, ...clear.map((row) => row[at]?.length ?? 0)));
  return clear.map((row) => {
    const cells = row.map((cell, at) =>
      sides[at] === 'right' ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
    );
    return `  ${cells.join('  ')}`.trimEnd();
  });
}

/** A text as lines of at most 80 columns: the first one after `head`, the others as far in. */
export function wrapped(text: string, head: string): string[] {
  const room = Math.max(20, WIDTH - head.length);
  const pieces = cleared(text).match(new RegExp(`.{1,${room}}(?: |$)|.{1,${room}}`, 'gu')) ?? [''];
  return pieces.map((piece, at) => `${at === 0 ? head : ' '.repeat(head.length)}${piece}`.trimEnd());
}

/** A line of a log, and how deep the program that wrote it was called. */
interface FoldedLine {
  readonly depth: number;
  readonly text: string;
}

const SAID = /^Program (log|data|return): /;

/** A transaction's log by calls: each begins with its program's name and ends with how it went and what it used. */
export function foldLogs(logs: readonly string[], nameOf: (program: string) => string): FoldedLine[] {
  const lines = readProgramLog(logs).map((line): FoldedLine => {
    const { depth } = line;
    if (line.kind === 'call') return { depth, text: nameOf(line.program) };
    if (line.kind === 'said') {
      return { depth, text: line.text.replace(SAID, (_, kind: string) => (kind === 'log' ? '' : `${kind}: `)) };
    }
    const end = line.failure === undefined ? 'success' : `failed: ${line.failure}`;
    return { depth, text: line.units === undefined ? end : `${end}, ${line.units.toLocaleString('en')} units` };
  });
  return foldQuiet(lines);
}

/** A call that said nothing takes one line. */
function foldQuiet(lines: readonly FoldedLine[]): FoldedLine[] {
  const folded: FoldedLine[] = [];
  for (const line of lines) {
    const before = folded.at(-1);
    const isEnd = /^(success|failed: )/.test(line.text);
    if (isEnd && before !== undefined && before.depth === line.depth - 1) {
      folded[folded.length - 1] = { depth: before.depth, text: `${before.text}: ${line.text}` };
    } else {
      folded.push(line);
    }
  }
  return folded;
}
