import fc from 'fast-check';
import { expect, test } from 'vitest';
import { harmless, minuteOf, table, toJson } from '../src/agent/output.js';

/** Any text that a stranger may have written. */
const words = fc.string({ unit: 'binary', maxLength: 200 });
const HEAD = ['WHAT', 'WHO'];

test('whatever others wrote, a table has a line for each row, and nothing that moves a cursor (A-92)', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 5 }), (rows) => {
      const shown = table(HEAD, rows, 'none');
      expect(shown.split('\n')).toHaveLength(rows.length + 1);
      expect(shown).not.toMatch(/[^\P{C}\n]/u);
      expect(harmless(shown)).toBe(shown);
    }),
  );
});

test('a table keeps its columns under each other, and says that it is empty', () => {
  expect(
    table(
      HEAD,
      [
        ['carry', 'Ada'],
        ['a box of books', 'Ben'],
      ],
      'none',
    ),
  ).toBe('WHAT            WHO\ncarry           Ada\na box of books  Ben');
  expect(table(HEAD, [], 'none')).toBe('none');
});

test('programs get amounts in lamports and instants as the wire has them (A-92)', () => {
  const at = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
  expect(toJson({ lamports: 1_500_000_000n, at, none: null })).toBe(
    '{"lamports":1500000000,"at":"2026-01-02T03:04:05.000Z","none":null}',
  );
  expect(minuteOf(at)).toBe('2026-01-02 03:04 UTC');
});
