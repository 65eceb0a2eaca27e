import { generateMnemonic, mnemonicToSeedWebcrypto, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { accountSeed } from './derivation.js';
import { t } from '../language.js';

const WORDS_OF = [12, 15, 18, 21, 24];

/** A new recovery phrase: twelve English words, which are 128 random bits and a checksum. */
export const newPhrase = (): string => generateMnemonic(wordlist);

/** A phrase as it is meant: small letters, one space between words. */
export const tidied = (typed: string): string => typed.trim().toLowerCase().split(/\s+/).join(' ');

/** What is wrong with a phrase, in words; undefined: nothing. */
export function faultOfPhrase(typed: string): string | undefined {
  const words = tidied(typed).split(' ');
  if (words[0] === '') return t('Type the words of the phrase, with a space between them.');
  const known = new Set(wordlist);
  const unknown = words.findIndex((word) => !known.has(word));
  // The word itself is not repeated: whoever looks over a shoulder reads messages first.
  if (unknown >= 0)
    return t('Word {number} is not one of the 2,048 words of recovery phrases. Check its spelling.', {
      number: unknown + 1,
    });
  if (!WORDS_OF.includes(words.length))
    return t('A phrase has 12 or 24 words; this one has {count}.', { count: words.length });
  if (!validateMnemonic(words.join(' '), wordlist))
    return t('Each word is valid, but the phrase is not: a word is wrong or in the wrong place.');
  return undefined;
}

/** The seed of the account that Phantom, Solflare and others open first with the phrase. Rule D-70. @throws {Error} when it is no phrase */
export async function seedOfPhrase(typed: string): Promise<Uint8Array> {
  const fault = faultOfPhrase(typed);
  if (fault !== undefined) throw new Error(fault);
  const master = await mnemonicToSeedWebcrypto(tidied(typed));
  return accountSeed(master);
}
