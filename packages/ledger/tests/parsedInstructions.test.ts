import { readFileSync } from 'node:fs';
import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { decodeJson, encodeJson } from '../src/json.js';
import { showInstruction } from '../src/rpc/parsed/instructions/index.js';

/** Instructions as a validator of Agave 4.2.0 showed them, one of each kind. `parsed` is null when it could not read one. */
type Vector = {
  readonly kind: string;
  readonly programId: string;
  readonly accounts: readonly string[];
  /** hex */
  readonly data: string;
  readonly parsed: unknown;
};

const vectors = readFileSync(new URL('support/parsedInstructions.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => decodeJson(line) as Vector);

function show(programId: string, accounts: readonly string[], bytes: Uint8Array): Record<string, unknown> {
  const text = (): string => getBase58Decoder().decode(bytes);
  const shown = showInstruction({ programId, accounts, data: { bytes: () => bytes, text }, stackHeight: 1 });
  // As a client gets it: fields without a value are left out.
  return decodeJson(encodeJson(shown)) as Record<string, unknown>;
}

describe('an instruction in jsonParsed', () => {
  test.each(vectors)('[L-50] is shown as a cluster shows it: $kind', ({ kind, programId, accounts, data, parsed }) => {
    const bytes = Buffer.from(data, 'hex');
    const [program] = kind.split('.');
    const unread = { accounts, data: getBase58Decoder().decode(bytes), programId, stackHeight: 1 };
    const read = { parsed, program, programId, stackHeight: 1 };
    expect(show(programId, accounts, bytes)).toEqual(parsed === null ? unread : read);
  });

  test('[L-50] of a program without parser is shown with its accounts and data', () => {
    const programId = 'ComputeBudget111111111111111111111111111111';
    const bytes = getBase58Encoder().encode('3DTZbgwsozUF');
    expect(show(programId, [], Uint8Array.from(bytes))).toEqual({
      accounts: [],
      data: '3DTZbgwsozUF',
      programId,
      stackHeight: 1,
    });
  });

  test('[L-50] is shown one way or the other whatever bytes it has', () => {
    const programs = [...new Set(vectors.map((one) => one.programId))];
    const random = randomNumbers(50);
    for (let round = 0; round < 20_000; round += 1) {
      const programId = programs[random(programs.length)] ?? '';
      const accounts = Array.from({ length: random(10) }, () => programId);
      const bytes = Uint8Array.from({ length: random(90) }, (_, index) => (index < 2 ? random(60) : random(256)));
      const shown = show(programId, accounts, bytes);
      expect('parsed' in shown || 'data' in shown).toBe(true);
    }
  });

  test('[L-50] is read without regard to how long a list it claims to hold', () => {
    // An extension of a lookup table by 2^64 - 1 addresses, of which one is there.
    const bytes = Buffer.concat([Buffer.from('02000000ffffffffffffffff', 'hex'), Buffer.alloc(32)]);
    const table = 'AddressLookupTab1e1111111111111111111111111';
    expect(show(table, [table, table], bytes)).toMatchObject({ programId: table, accounts: [table, table] });
  });
});

/** Repeatable numbers below a bound. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
