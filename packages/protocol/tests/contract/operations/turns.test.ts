import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  buildTurnTx,
  listTurns,
  MAX_EVIDENCE_BYTES,
  moveOpening,
  putEvidence,
  submitTurn,
  TURN_ACTIONS,
} from '../../../src/contract/operations/turns.js';

const KEY = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const LEG = '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b31';
const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

describe('a move', () => {
  const build = (change: object) => takes(buildTurnTx.body, { legId: LEG, action: 'accept', pubkey: KEY, ...change });

  it('[T-62] is one of nine words', () => {
    expect(TURN_ACTIONS).toHaveLength(9);
    expect(TURN_ACTIONS.map((action) => build({ action }))).toEqual(TURN_ACTIONS.map(() => true));
    expect(['evict', 'assign', 'reclaim', ''].map((action) => build({ action }))).toEqual([false, false, false, false]);
  });

  it('[T-63] names evidence by 64 lower-case hexadecimal digits', () => {
    const hashes = ['0f'.repeat(32), '0F'.repeat(32), '0f'.repeat(31), '0x'.padEnd(64, '0')];
    expect(hashes.map((hash) => build({ action: 'claim', hash }))).toEqual([true, false, false, false]);
  });

  it('[T-20] rules a whole percentage', () => {
    const percents = [-1, 0, 100, 101, 0.5].map((percent) => build({ action: 'rule', percent }));
    expect(percents).toEqual([false, true, true, false, false]);
  });

  it('[T-61] is handed in signed, or by the signature of what was sent', () => {
    const signature = '1'.repeat(64);
    expect(takes(submitTurn.body, { legId: LEG, signature })).toBe(true);
    expect(takes(submitTurn.body, { legId: LEG, transaction: 'AAAA' })).toBe(true);
    expect(takes(submitTurn.body, { legId: LEG, signature, transaction: 'AAAA' })).toBe(false);
    expect(takes(submitTurn.body, { signature })).toBe(false);
  });

  it('[T-61] is looked for by a key', () => {
    expect(takes(listTurns.query, { pubkey: KEY })).toBe(true);
    expect(takes(listTurns.query, {})).toBe(false);
  });
});

describe('evidence', () => {
  const taken = (text: string) => takes(putEvidence.body, { text });

  it('[T-63] is 1 byte to 256 KiB of well-formed text in UTF-8', () => {
    expect(MAX_EVIDENCE_BYTES).toBe(262_144);
    expect(['', 'x', 'x'.repeat(MAX_EVIDENCE_BYTES), 'x'.repeat(MAX_EVIDENCE_BYTES + 1)].map(taken)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(taken('é'.repeat(MAX_EVIDENCE_BYTES / 2))).toBe(true);
    expect(taken('é'.repeat(MAX_EVIDENCE_BYTES / 2 + 1))).toBe(false);
    expect(taken('half \uD83D')).toBe(false);
  });

  it('[T-63] fits the body, however its characters are escaped', () => {
    const escaped = JSON.stringify({ text: '' }).length + 6 * MAX_EVIDENCE_BYTES;
    expect(putEvidence.bodyLimit).toBeGreaterThanOrEqual(escaped);
  });

  it('[T-64] is stored and moved by signed calls only', () => {
    expect([putEvidence.auth, moveOpening.auth]).toEqual(['signed', 'signed']);
  });
});
