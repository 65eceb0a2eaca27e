/** A line of a transaction's log: a program is called, or ends, or something is said meanwhile. */
export type LogLine =
  | { readonly kind: 'call'; readonly depth: number; readonly program: string }
  | {
      readonly kind: 'end';
      readonly depth: number;
      readonly program: string;
      /** Compute units that the program used, with those that it called; undefined: the log does not tell, as of built-in ones. */
      readonly units: bigint | undefined;
      /** Why it failed; undefined: it did not. */
      readonly failure: string | undefined;
    }
  | { readonly kind: 'said'; readonly depth: number; readonly text: string };

const INVOKE = /^Program (\w{32,44}) invoke \[\d+\]$/;
const CONSUMED = /^Program (\w{32,44}) consumed (\d{1,15}) of \d+ compute units$/;
const ENDED = /^Program (\w{32,44}) (?:success|failed: (.*))$/;

/** Reads the log of a transaction. What a program says cannot be taken for these lines: its own begin with `Program log: `. */
export function readProgramLog(logs: readonly string[]): LogLine[] {
  const lines: LogLine[] = [];
  let depth = 0;
  let units: bigint | undefined;
  for (const text of logs) {
    const [, program] = INVOKE.exec(text) ?? [];
    const [, , consumed] = CONSUMED.exec(text) ?? [];
    const [, ended, failure] = ENDED.exec(text) ?? [];
    if (program !== undefined) {
      lines.push({ kind: 'call', depth, program });
      depth += 1;
    } else if (consumed !== undefined) {
      units = BigInt(consumed);
    } else if (ended !== undefined) {
      lines.push({ kind: 'end', depth, program: ended, units, failure });
      depth = Math.max(0, depth - 1);
      units = undefined;
    } else {
      lines.push({ kind: 'said', depth, text });
    }
  }
  return lines;
}

/** A call of a program, as the log tells it. */
export interface ProgramCall {
  readonly program: string;
  /** 0: an instruction of the transaction. */
  readonly depth: number;
  /** The place of the instruction in the transaction; undefined: the log does not fit the instructions. */
  readonly instruction: number | undefined;
  /** With those that it called; undefined: not told. */
  readonly units: bigint | undefined;
  /** Without those that it called, as far as they tell; undefined: not told. */
  readonly own: bigint | undefined;
  readonly failure: string | undefined;
  /** The log goes on to its end. */
  readonly hasEnd: boolean;
}

/**
 * The calls of a transaction's programs in the order they began.
 *
 * @param instructions the programs of the transaction's instructions in their order; some, such as checks of signatures, log nothing
 */
export function programCalls(lines: readonly LogLine[], instructions: readonly string[]): ProgramCall[] {
  type Open = { -readonly [Field in keyof ProgramCall]: ProgramCall[Field] };
  const calls: Open[] = [];
  const open: { readonly call: Open; below: bigint }[] = [];
  let next = 0;
  let instruction: number | undefined;
  for (const line of lines) {
    if (line.kind === 'call') {
      if (line.depth === 0) {
        const found = instructions.indexOf(line.program, next);
        instruction = found === -1 ? undefined : found;
        next = found === -1 ? instructions.length : found + 1;
      }
      const { program, depth } = line;
      const none = { units: undefined, own: undefined, failure: undefined };
      const call: Open = { program, depth, instruction, ...none, hasEnd: false };
      calls.push(call);
      open.push({ call, below: 0n });
    } else if (line.kind === 'end') {
      const ended = open.pop();
      if (ended === undefined) continue;
      const { call, below } = ended;
      const { units, failure } = line;
      Object.assign(call, { units, failure, hasEnd: true, own: units === undefined ? undefined : units - below });
      const caller = open.at(-1);
      if (caller !== undefined) caller.below += units ?? below;
    }
  }
  return calls;
}

/** Units by program, each without those that it called; the most first. Of built-in programs that were called, their caller's. */
export function unitsByProgram(calls: readonly ProgramCall[]): { readonly program: string; readonly units: bigint }[] {
  const sums = new Map<string, bigint>();
  for (const { program, own } of calls) if (own !== undefined) sums.set(program, (sums.get(program) ?? 0n) + own);
  return [...sums].map(([program, units]) => ({ program, units })).sort((a, b) => (a.units < b.units ? 1 : -1));
}
