import { RECEIVER_WORDS, receiverOfWords } from '@legwork/sdk';
import { wordlist } from '@scure/bip39/wordlists/english.js';

/**
 * Makes the words for who receives one package, and the key that they stand for.
 *
 * @param shipper whose package it is to be
 */
export async function newReceiver(shipper: string): Promise<{ readonly words: string; readonly pubkey: string }> {
  // 65,536 is a multiple of 2,048: no word is likelier than another.
  const drawn = crypto.getRandomValues(new Uint16Array(RECEIVER_WORDS));
  const words = Array.from(drawn, (number) => wordlist[number % wordlist.length]).join('-');
  const { address } = await receiverOfWords(words, shipper);
  return { words, pubkey: address };
}
