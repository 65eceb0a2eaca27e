/** A line of a log, and how deep the program that wrote it was called. */
export interface FoldedLine {
  readonly depth: number;
  readonly text: string;
}

const INVOKE = /^Program (\w{32,44}) invoke \[\d+\]$/;
const CONSUMED = /^Program (\w{32,44}) consumed (\d+) of \d+ compute units$/;
const ENDED = /^Program (\w{32,44}) (success|failed: .*)$/;
const SAID = /^Program (log|data|return): /;

/** A transaction's log by calls: each begins with its program's name and ends with how it went and what it used. */
export function foldLogs(logs: readonly string[], nameOf: (program: string) => string): FoldedLine[] {
  const lines: FoldedLine[] = [];
  let depth = 0;
  let used: string | undefined;
  for (const log of logs) {
    const [, invoked] = INVOKE.exec(log) ?? [];
    const [, , units] = CONSUMED.exec(log) ?? [];
    const [, , end] = ENDED.exec(log) ?? [];
    if (invoked !== undefined) {
      lines.push({ depth, text: nameOf(invoked) });
      depth += 1;
    } else if (units !== undefined) {
      used = units;
    } else if (end !== undefined) {
      lines.push({ depth, text: used === undefined ? end : `${end}, ${Number(used).toLocaleString('en')} units` });
      depth = Math.max(0, depth - 1);
      used = undefined;
    } else {
      lines.push({ depth, text: log.replace(SAID, (_, kind: string) => (kind === 'log' ? '' : `${kind}: `)) });
    }
  }
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
