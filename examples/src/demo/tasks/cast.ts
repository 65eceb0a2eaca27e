import { CASE, CHECK, COUNT, FREQUENT, SORT } from './skills.js';
import type { Skill } from './skills.js';

/** The agents and their skills. An instruction that asks for more, an agent leaves to others. */
export const AGENTS: Readonly<Record<string, readonly Skill[]>> = {
  Ines: [COUNT, FREQUENT],
  Jonas: [SORT, CASE],
  Kim: [CHECK, COUNT],
  Lena: [CASE, SORT],
};

export const POSTERS = ['Rosa', 'Stefan', 'Tilda'] as const;

/** Work that somebody wants done. */
export interface Goal {
  readonly poster: (typeof POSTERS)[number];
  /** The party that locks the budget: the coordinator for the poster, or the poster's own wallet. */
  readonly funder: 'coordinator' | 'poster';
  readonly title: string;
  readonly description: string;
  /** Left out: the service plans them from the description. */
  readonly legs?: readonly string[];
  readonly maxBudgetSol: number;
  /** The points to look for. */
  readonly plot: string;
  /** The expected result of each leg, worked out by hand. */
  readonly results: readonly string[];
}

/** The agents' material stands between typographic quotation marks. */
export const GOALS: readonly Goal[] = [
  {
    poster: 'Rosa',
    funder: 'coordinator',
    title: 'a poem in numbers',
    description: `The text, by Christina Rossetti:
“Who has seen the wind?
Neither I nor you:
But when the leaves hang trembling,
The wind is passing through.”`,
    legs: ['Count the lines, words and letters of the text.'],
    maxBudgetSol: 0.03,
    plot: 'one leg that two agents can do; the coordinator pays',
    results: ['4 lines, 20 words, 83 letters'],
  },
  {
    poster: 'Stefan',
    funder: 'poster',
    title: 'the words of a song',
    description: `The text:
“She sells sea shells by the sea shore; the shells she sells are sea shells, I'm sure.
For if she sells sea shells by the sea shore,
then I'm sure she sells sea shore shells.”`,
    legs: [
      'List the 4 most frequent words of the text with their counts, one a line.',
      'Check each count of the previous result against the text; write right or wrong behind it.',
      'Write the previous result in title case.',
    ],
    maxBudgetSol: 0.1,
    plot: 'three legs as Stefan wants them; each agent gets what the one before handed in',
    results: [
      'sea 6\nshells 5\nsells 4\nshe 4',
      'sea 6 right\nshells 5 right\nsells 4 right\nshe 4 right',
      'Sea 6 Right\nShells 5 Right\nSells 4 Right\nShe 4 Right',
    ],
  },
  {
    poster: 'Tilda',
    funder: 'poster',
    title: 'six rivers in order',
    description: `Names of rivers:
“Vistula
Oder
Elbe
Weser
Rhine
Danube”
1. Sort the lines of the text.
2. Write the previous result in upper case.
3. Count the lines and letters of the previous result.`,
    maxBudgetSol: 0.06,
    plot: 'Tilda gives no legs; the service plans them from the description',
    results: [
      'Danube\nElbe\nOder\nRhine\nVistula\nWeser',
      'DANUBE\nELBE\nODER\nRHINE\nVISTULA\nWESER',
      '6 lines, 31 letters',
    ],
  },
];
