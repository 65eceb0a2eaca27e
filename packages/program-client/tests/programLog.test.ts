import { programCalls, readProgramLog, unitsByProgram } from '@legwork/program-client/history';
import { describe, expect, test } from 'vitest';

const [A, B, SYSTEM] = ['A'.repeat(43), 'B'.repeat(43), '1'.repeat(32)];

const LOG = [
  `Program ${SYSTEM} invoke [1]`,
  `Program ${SYSTEM} success`,
  `Program ${A} invoke [1]`,
  `Program log: Program ${A} consumed 7 of 200000 compute units`,
  `Program ${B} invoke [2]`,
  `Program ${SYSTEM} invoke [3]`,
  `Program ${SYSTEM} success`,
  `Program ${B} consumed 300 of 199000 compute units`,
  `Program ${B} success`,
  `Program ${B} invoke [2]`,
  `Program ${B} consumed 50 of 198000 compute units`,
  `Program ${B} success`,
  `Program ${A} consumed 1000 of 200000 compute units`,
  `Program ${A} failed: custom program error: 0x1`,
];

describe('the log of a transaction', () => {
  test('[L-79] tells who called whom, and what each used with and without the others', () => {
    const calls = programCalls(readProgramLog(LOG), [SYSTEM, A]);
    expect(
      calls.map(({ program, depth, instruction, units, own }) => [program, depth, instruction, units, own]),
    ).toEqual([
      [SYSTEM, 0, 0, undefined, undefined],
      [A, 0, 1, 1000n, 650n],
      [B, 1, 1, 300n, 300n],
      [SYSTEM, 2, 1, undefined, undefined],
      [B, 1, 1, 50n, 50n],
    ]);
    expect(calls.map(({ failure }) => failure)).toEqual([
      undefined,
      'custom program error: 0x1',
      ...Array.from({ length: 3 }, () => undefined),
    ]);
    expect(unitsByProgram(calls)).toEqual([
      { program: A, units: 650n },
      { program: B, units: 350n },
    ]);
  });

  test('[L-79] what a program says is not taken for the word of the runtime', () => {
    expect(readProgramLog(LOG)[3]).toEqual({ kind: 'said', depth: 1, text: LOG[3] });
  });

  test('[L-79] an instruction that logs nothing is passed over; one that is not there has no place', () => {
    const log = [`Program ${B} invoke [1]`, `Program ${B} success`];
    expect(programCalls(readProgramLog(log), [A, B])[0]?.instruction).toBe(1);
    expect(programCalls(readProgramLog(log), [A])[0]?.instruction).toBeUndefined();
  });

  test('[L-79] a log that is cut off has calls without an end', () => {
    const calls = programCalls(readProgramLog([...LOG.slice(0, 5), 'Log truncated']), [SYSTEM, A]);
    expect(calls.map(({ hasEnd }) => hasEnd)).toEqual([true, false, false]);
    expect(programCalls(readProgramLog([`Program ${A} success`, '']), [A])).toEqual([]);
  });
});
