import { EVENT_TYPES } from '@legwork/protocol/contract';
import { formatSol } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { type Part, wordsOf as onPages } from '../../dashboard/src/data/eventWords.js';
import { t } from '../../dashboard/src/language.js';
import { anEvent } from '../../dashboard/tests/data/anEvent.js';
import { wordsOf } from '../src/agent/eventWords.js';

const textOf = (part: Part): string | number => {
  if (typeof part !== 'object') return part;
  if ('amount' in part) return `${formatSol(part.amount)} SOL`;
  return 'agent' in part ? part.agent : part.at.toISOString();
};

test.each(EVENT_TYPES)('%s is told in the words of the pages, with what it is about (A-176)', (type) => {
  const event = anEvent(type);
  const { say, parts } = onPages(event);
  const sentence = t(say, Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, textOf(part)])));
  const said = wordsOf(event, []);
  expect(said).toMatch(/^(package|task) [\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}[:,] /);
  expect(said).toContain(`: ${sentence}`);
});
