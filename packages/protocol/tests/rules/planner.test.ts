import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildListDigitalTaskTx } from '../../src/contract/operations/digitalTasks.js';
import { MAX_TASK_LEGS } from '../../src/contract/resources/digitalTask.js';
import { structurePlanner } from '../../src/rules/planner.js';

const plan = (description: string) => structurePlanner.plan({ title: 'A goal', description });
const { description: descriptionRule, legs: legsRule } = buildListDigitalTaskTx.body.shape;

describe('a plan [M-51]', () => {
  it.each([
    [
      'a numbered list',
      '1. Group the notes\n2. Count them\n3. Report',
      ['1. Group the notes', '2. Count them', '3. Report'],
    ],
    ['numbers in parentheses', '(1) Read\r\n(2) Write', ['(1) Read', '(2) Write']],
    ['steps by name', 'Step 1: read\nSTEP 2: write', ['Step 1: read', 'STEP 2: write']],
    ['bullets', '- read\n- write', ['- read', '- write']],
    ['other bullets', '• read\n• write', ['• read', '• write']],
    [
      'what stands before a list and after it',
      'Work on the notes below.\n\n* group them\n  - by topic\n  - by age\n* count them\n\nAnswer in English.',
      ['Work on the notes below.\n\n* group them\n  - by topic\n  - by age', '* count them\n\nAnswer in English.'],
    ],
    ['bullets inside a numbered list', '1. read\n- a\n- b\n2. write', ['1. read\n- a\n- b', '2. write']],
    ['a list within an item', '1. read\n   1. a\n   2. b\n2. write', ['1. read\n   1. a\n   2. b', '2. write']],
    [
      'a list after a line that only looks like one',
      '  7. of May\n1. read\n2. write',
      ['7. of May\n1. read', '2. write'],
    ],
    [
      'a second list',
      '1. read\n2. write\nThe topics:\n1. birds\n2. bees',
      ['1. read', '2. write\nThe topics:\n1. birds\n2. bees'],
    ],
  ])('follows %s', async (_what, description, instructions) => {
    expect(await plan(description)).toEqual(instructions);
  });

  it.each([
    [
      'paragraphs',
      'Read the notes.\n\nCount the words.\n \n\nReport.',
      ['Read the notes.', 'Count the words.', 'Report.'],
    ],
    ['paragraphs before words of order', 'Read it, then count.\n\nReport.', ['Read it, then count.', 'Report.']],
    ['paragraphs of Windows', ' Read.\r\n\r\nWrite.\r\n', ['Read.', 'Write.']],
    ['paragraphs, up to what a colon announces', 'Read.\n\nSort these:\n\nb\n\na', ['Read.', 'Sort these:\n\nb\n\na']],
    [
      'words of order',
      'Read it. Be quick. Then count. Finally, report.',
      ['Read it. Be quick.', 'Then count.', 'Finally, report.'],
    ],
    [
      'words of order in a sentence',
      'Read it, then count and then report; afterwards rest.',
      ['Read it,', 'then count', 'and then report;', 'afterwards rest.'],
    ],
    [
      'words of order on lines of their own',
      'Read it\nNext count\nlast, report',
      ['Read it', 'Next count', 'last, report'],
    ],
  ])('follows %s where there is no list', async (_what, description, instructions) => {
    expect(await plan(description)).toEqual(instructions);
  });

  it.each([
    ['plain words', 'Summarise the notes in one page.'],
    ['lines', 'roses are red\nviolets are blue'],
    ['a list of one item', '1. Summarise the notes'],
    ['numbers that do not count from 1', '7. of May\n9. of May'],
    ['a condition', 'If a note is long, then shorten it.'],
    ['a condition with "and then"', 'Once a note is read and then counted, report it'],
    ['a comma inside a word', 'Use the tag a,then,b everywhere.'],
    ['next to something', 'Find the café, next to the station.'],
    ['material with words of order', 'Translate:\nHe came. Then he saw.\n\nThen he won.'],
    ['nothing but space', ' \n\n '],
  ])('is one leg for %s, whose instruction is the description', async (_what, description) => {
    expect(await plan(description)).toEqual([description]);
  });

  it('joins the shortest neighbours where there are more steps than a task has legs', async () => {
    const long = 'x'.repeat(40);
    const items = ['a', long, long, 'b', 'c', long].map((words, index) => `${index + 1}. ${words}`);
    const [first, second, third, fourth, fifth, sixth] = items;
    expect(await plan(items.join('\n'))).toEqual([`${first}\n${second}`, third, `${fourth}\n${fifth}`, sixth]);
    const even = Array.from({ length: 8 }, (_unused, index) => `${index + 1}. same`);
    expect((await plan(even.join('\n'))).map((leg) => leg.split('\n').length)).toEqual([2, 2, 2, 2]);
  });

  const marks = ['1. ', '2. ', '3) ', '- ', '* ', '\n', '\r\n', '\r', '\n\n', ' ', '\t', '.', ', ', ': ', ':\n', '; '];
  const turns = ['then ', 'Next ', 'finally, ', 'and then ', 'After that ', 'if '];
  const others = ['word ', '步骤 ', '👩‍🚀', '\u00a0', '\u2028', '\ufeff'];
  const pieces = fc.constantFrom(...marks, ...turns, ...others);
  const structured = fc.array(
    fc.oneof({ weight: 6, arbitrary: pieces }, fc.string({ unit: 'grapheme', maxLength: 12 })),
    {
      minLength: 1,
      maxLength: 120,
    },
  );
  const descriptions = fc
    .oneof(
      structured.map((parts) => parts.join('')),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
    )
    .filter((text) => descriptionRule.safeParse(text).success);
  const wordsOf = (texts: readonly string[]) =>
    texts.flatMap((text) => text.split(/\s+/u)).filter((word) => word !== '');

  it('keeps every word in its order, in legs that a poster could have given, and is the same each time', async () => {
    const counts = new Set<number>();
    await fc.assert(
      fc.asyncProperty(descriptions, async (description) => {
        const instructions = await plan(description);
        counts.add(instructions.length);
        expect(wordsOf(instructions)).toEqual(wordsOf([description]));
        expect(legsRule.safeParse(instructions.map((instruction) => ({ instruction })))).toMatchObject({
          success: true,
        });
        expect(await plan(description)).toEqual(instructions);
      }),
      {
        numRuns: 2000,
        examples: [['one'], ['one, then two'], ['one\n\ntwo\n\nthree'], ['1. a\n2. b\n3. c\n4. d\n5. e']],
      },
    );
    expect(counts).toEqual(new Set([1, 2, 3, 4]));
  });

  it.each([
    ['bullets', '- a\n'],
    ['paragraphs', 'a\n\n'],
    ['words of order', ', then'],
    ['line breaks', '\n'],
    ['full stops', '. '],
  ])('of the longest description comes at once, also where it is all %s', async (_what, unit) => {
    const description = unit.repeat(4000).slice(0, 4000);
    const instructions = await plan(description);
    expect(instructions.length).toBeLessThanOrEqual(MAX_TASK_LEGS);
    expect(wordsOf(instructions)).toEqual(wordsOf([description]));
  });
});
