import { describe, expect, it } from 'vitest';
import type { Requirements } from '../../src/contract/terms.js';
import { missedRequirement, type Qualified } from '../../src/rules/requirements.js';

const agent: Qualified = {
  agentPubkey: 'ada',
  reliabilityScore: 80,
  legsCompleted: 12,
  capabilities: ['cargo bike', 'cooled'],
};

describe('what an agent misses of what is required', () => {
  it.each<[string, Requirements | null]>([
    ['where nothing is required', null],
    ['with just the score', { minScore: 80 }],
    ['with just as many legs', { minCompleted: 12 }],
    ['with all that it can do', { capabilities: ['cooled', 'cargo bike'] }],
    ['where others are refused', { blocked: ['ben', 'cem'] }],
    ['with everything', { minScore: 1, minCompleted: 1, capabilities: ['cooled'], blocked: ['ben'] }],
  ])('[T-53] is nothing %s', (_when, required) => {
    expect(missedRequirement(required, agent)).toBeUndefined();
  });

  it.each<[string, Requirements]>([
    ['its reliability score is 80; at least 81 is required', { minScore: 81 }],
    ['it has completed 12 legs; at least 13 are required', { minCompleted: 13 }],
    ['its registration does not name "Cooled", which is required', { capabilities: ['cargo bike', 'Cooled'] }],
    ['who listed it takes no bids of this agent', { minScore: 100, blocked: ['ben', 'ada'] }],
  ])('[T-53] is said in words: %s', (words, required) => {
    expect(missedRequirement(required, agent)).toBe(words);
  });
});
