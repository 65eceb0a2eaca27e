import { createHash } from 'node:crypto';
import { LegworkError } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import type { KeyRing } from '../db/keyRing.js';

/** Words of a text as the database keeps them: hashes with a month's key, which say nothing once that is destroyed. */
export interface Marks {
  /** Empty: there are no keys. */
  marked_in: string;
  marks: string[];
}

/** Stemmers that come with PostgreSQL: one of them brings the forms of a word together, whatever language it is of. */
const LANGUAGES = ['dutch', 'english', 'french', 'german', 'italian', 'portuguese', 'russian', 'spanish'];
/** Letters that are no letter with a mark on it. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const WORD = /[\p{L}\p{N}]+/gu;
/** Scripts that put no space between words. */
const UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+$/u;

/** The words of a text, each once, in lower case and without accents; of scripts without spaces every two neighbouring characters. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => PLAIN[letter] ?? letter);
  return [...new Set((plain.match(WORD) ?? []).flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : word)))];
}

function pairsOf(word: string): string[] {
  const letters = Array.from(word);
  return letters.length === 1 ? letters : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}

/** Most words of a question: each is looked up for every month that has a key. */
const MOST_ASKED = 16;

/** A word with its stems. */
interface Formed {
  forms: string[];
  /** A word like "the", which says nothing. */
  isStop: boolean;
}

/** The words with their stems in every language, in their order. */
async function formsOf(db: Db | Trx, words: readonly string[]): Promise<Formed[]> {
  if (words.length === 0) return [];
  const stems = LANGUAGES.map((language) => sql`ts_lexize(${sql.lit(`${language}_stem`)}, word)`);
  const { rows } = await sql<{ forms: (string | null)[]; isStop: boolean }>`
    select array_agg(distinct form) as forms, bool_or(form is null) as "isStop"
    from unnest(${words}::text[]) with ordinality as asked (word, place)
      cross join lateral (select word as form union all
        select stems[1] from (values (${sql.join(stems, sql`), (`)})) as stemmed (stems) where stems is not null) formed
    group by place order by place`.execute(db);
  return rows.map(({ forms, isStop }) => ({ isStop, forms: forms.filter((form) => form !== null) }));
}

/** A hash of 64 bits, as PostgreSQL reads an int8; none when the month's key is gone. */
function marksIn(keyRing: KeyRing | undefined, month: string, forms: readonly string[]): string[] {
  return forms.flatMap((form) => {
    const hash = keyRing ? keyRing.hash(form, month) : createHash('sha256').update(form).digest();
    return hash?.readBigInt64BE().toString() ?? [];
  });
}

/** The marks that find a listing by the words of these texts. */
export async function marksOf(
  { db, keyRing }: { db: Db | Trx; keyRing: KeyRing | undefined },
  texts: readonly string[],
  now: Date,
): Promise<Marks> {
  const month = keyRing?.currentMonth(now) ?? '';
  const formed = await formsOf(db, wordsOf(texts.join('\n')));
  const marks = new Set(formed.flatMap(({ forms }) => marksIn(keyRing, month, forms)));
  return { marked_in: month, marks: [...marks] };
}

/**
 * For each word of the question the marks of which one has to be there; words that say nothing are left out unless all do. Rule M-87.
 *
 * @throws LegworkError `invalid_input`
 */
export async function askedMarks(
  { db, keyRing }: { db: Db | Trx; keyRing: KeyRing | undefined },
  question: string,
): Promise<string[][]> {
  const words = wordsOf(question);
  if (words.length > MOST_ASKED) {
    throw LegworkError.field('invalid_input', 'q', `has ${words.length} words; give at most ${MOST_ASKED}`);
  }
  const formed = await formsOf(db, words);
  const saying = formed.filter(({ isStop }) => !isStop);
  const months = (await keyRing?.months()) ?? [''];
  return (saying.length > 0 ? saying : formed).map(({ forms }) => [
    ...new Set(months.flatMap((month) => marksIn(keyRing, month, forms))),
  ]);
}
