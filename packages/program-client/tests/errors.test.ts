import { relayErrorFromCode } from '@legwork/program-client';
import { describe, expect, test } from 'vitest';

describe('relayErrorFromCode', () => {
  test('names the errors of the program in their order', () => {
    expect(relayErrorFromCode(6000)).toMatchObject({ code: 6000, name: 'LegOutOfOrder' });
    expect(relayErrorFromCode(6004)).toMatchObject({ name: 'InsufficientVault' });
    expect(relayErrorFromCode(6014)?.name).toBe('SelfDealing');
    const ofTasks = [6032, 6033, 6034, 6035].map((code) => relayErrorFromCode(code)?.name);
    expect(ofTasks).toEqual(['LegAlreadyAssigned', 'LegNotAssigned', 'DuplicateAgent', 'InvalidAgent']);
  });

  test('knows nothing of other codes', () => {
    for (const code of [0, 1, 5999, 6054, Number.NaN, -1]) expect(relayErrorFromCode(code)).toBeUndefined();
  });
});
