import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { excerpt, flag, MAX_RESULT_BYTES, resultText } from '../../src/contract/schemas.js';

const isWellFormed = (text: string) => !/\p{Surrogate}/u.test(text);
const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

describe('a result', () => {
  it.each([
    ['one character', 'x', true],
    ['nothing', '', false],
    ['every kind of space and line break', ' \t\r\n\u2028\u00a0', true],
    ['control characters that are not NUL', '\u0001\u001b[0m\u007f', true],
    ['NUL', 'a\0b', false],
    ['half a surrogate pair', 'a\uD83D', false],
    ['the other half', '\uDE00a', false],
    ['a whole pair', '😀', true],
    ['all bytes in ASCII', 'x'.repeat(MAX_RESULT_BYTES), true],
    ['a byte more in ASCII', 'x'.repeat(MAX_RESULT_BYTES + 1), false],
    ['all bytes in four-byte characters', '😀'.repeat(MAX_RESULT_BYTES / 4), true],
    ['a byte more by the length of one character', `${'😀'.repeat(MAX_RESULT_BYTES / 4 - 1)}é${'x'.repeat(3)}`, false],
    ['few characters of many bytes', '漢'.repeat(Math.ceil(MAX_RESULT_BYTES / 3)), false],
  ])('[M-58] of %s is taken: %#', (_what, value, taken) => {
    expect(takes(resultText, value)).toBe(taken);
  });

  it('[M-58] comes out as it went in', () => {
    const whole = ' a\r\n\u0301😀 ';
    expect(resultText.parse(whole)).toBe(whole);
    expect(z.encode(resultText, whole)).toBe(whole);
  });
});

describe('an excerpt', () => {
  const short = excerpt(10);

  it('[S-56] is the whole of what is short enough', () => {
    expect(z.encode(short, 'x'.repeat(10))).toBe('x'.repeat(10));
    expect(z.encode(short, '')).toBe('');
  });

  it('[S-56] is the beginning of what is longer, and says so', () => {
    expect(z.encode(short, 'x'.repeat(11))).toBe(`${'x'.repeat(9)}…`);
    expect(z.encode(short, `${'x'.repeat(8)}😀yz`)).toBe(`${'x'.repeat(8)}…`);
    expect(z.encode(short, `${'x'.repeat(7)}😀yz`)).toBe(`${'x'.repeat(7)}😀…`);
  });

  it('[S-56] is never too long, never half a character, and the same when made of itself', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 30 }).filter(isWellFormed);
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), (whole, max) => {
        const shown = z.encode(excerpt(max), whole);
        expect(shown.length).toBeLessThanOrEqual(max);
        expect(isWellFormed(shown)).toBe(true);
        expect(whole.startsWith(shown.replace(/…$/, ''))).toBe(true);
        expect(z.encode(excerpt(max), shown)).toBe(shown);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a yes or no in a query', () => {
  it('[S-56] is true or false, as text or not, and nothing like them', () => {
    expect([flag.parse('true'), flag.parse('false'), flag.parse(true), flag.parse(false)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    for (const value of ['', '1', '0', 'True', 'yes', ' true', 1, 0, null, ['true']])
      expect(takes(flag, value)).toBe(false);
  });
});
