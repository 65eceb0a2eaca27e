/** The material of an agent at work. */
export interface Assignment {
  readonly instruction: string;
  /** The instruction's text: it stands in quotation marks in the task's description. */
  readonly text: string;
  /** The result of the agent before; empty for the first leg. */
  readonly previous: string;
}

/** Something an agent can do. */
export interface Skill {
  readonly title: string;
  /** The wording of instructions that ask for it. */
  readonly wording: RegExp;
  /** Answers something for whatever it is given: other people's results are only text. */
  readonly work: (assignment: Assignment) => string;
}

const WORD = /\p{L}+(?:['’]\p{L}+)*/gu;

/** Counts what the instruction names: lines, words, letters. */
export const COUNT: Skill = {
  title: 'counts',
  wording: /\bcount the\b/i,
  work: (assignment) => {
    const material = materialOf(assignment);
    const counts: Readonly<Record<string, number>> = {
      lines: linesOf(material).length,
      words: wordsOf(material).length,
      letters: [...material.matchAll(/\p{L}/gu)].length,
    };
    const units = withoutQuotes(assignment.instruction).match(/\b(?:lines|words|letters)\b/g) ?? [];
    return units.map((unit) => `${counts[unit]} ${unit}`).join(', ');
  },
};

/** Lists the most frequent words with their counts; of equally frequent ones the first in the alphabet. */
export const FREQUENT: Skill = {
  title: 'finds frequent words',
  wording: /\bmost frequent words\b/i,
  work: (assignment) => {
    const wanted = Number(/(\d+) most frequent/i.exec(assignment.instruction)?.[1] ?? 1);
    return [...countsOf(materialOf(assignment))]
      .sort(([a, times], [b, others]) => others - times || a.localeCompare(b, 'en'))
      .slice(0, wanted)
      .map(([word, times]) => `${word} ${times}`)
      .join('\n');
  },
};

/** Checks lines such as "word 3" of the previous result against the text. */
export const CHECK: Skill = {
  title: 'checks',
  wording: /\bcheck each count\b/i,
  work: ({ text, previous }) => {
    const counts = countsOf(text);
    return linesOf(previous)
      .map((line) => {
        const [, word = '', times] = /^(\S+) (\d+)$/.exec(line) ?? [];
        return `${line} ${counts.get(word) === Number(times) ? 'right' : 'wrong'}`;
      })
      .join('\n');
  },
};

export const SORT: Skill = {
  title: 'sorts lines',
  wording: /\bsort the lines\b/i,
  work: (assignment) =>
    linesOf(materialOf(assignment))
      .sort((a, b) => a.localeCompare(b, 'en'))
      .join('\n'),
};

/** Writes in upper case or in title case. */
export const CASE: Skill = {
  title: 'changes case',
  wording: /\bin (?:upper|title) case\b/i,
  work: (assignment) => {
    const material = materialOf(assignment);
    if (/\bin upper case\b/i.test(assignment.instruction)) return material.toUpperCase();
    return material.replaceAll(WORD, ([first = '', ...rest]) => first.toUpperCase() + rest.join('').toLowerCase());
  },
};

/** The skill, of those an agent has, that an instruction asks for. */
export function skillFor(skills: readonly Skill[], instruction: string): Skill | undefined {
  const wish = withoutQuotes(instruction);
  return skills.find(({ wording }) => wording.test(wish));
}

/** The quotation in a description. */
export function quoted(description: string): string {
  return /“([^”]*)”/.exec(description)?.[1] ?? '';
}

/** An instruction on one line, without what it quotes: material is not what is asked for. */
export function withoutQuotes(instruction: string): string {
  return instruction.replaceAll(/“[^”]*”/g, '“…”').replaceAll(/\s+/g, ' ');
}

/** The material of the instruction: the result before, or the text. */
function materialOf({ instruction, text, previous }: Assignment): string {
  return /\bthe previous result\b/i.test(withoutQuotes(instruction)) ? previous : text;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text.toLowerCase())) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
