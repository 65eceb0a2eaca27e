import { createHash } from 'node:crypto';
import type { Bank } from '../bank/bank.js';
import { keyOf, toBase58, type Key } from '../bank/keys.js';
import { VOTE_PROGRAM } from '../bank/stakes/delegation.js';

const PROGRAM = toBase58(VOTE_PROGRAM);
const LOGS = [`Program ${PROGRAM} invoke [1]`, `Program ${PROGRAM} success`];

/** A vote of our node, as `voteSubscribe` tells it. */
export function voteNotification(slot: number, bank: Bank): object {
  return {
    hash: bank.blockhashAt(slot),
    signature: signatureOf(slot, bank),
    slots: [slot],
    timestamp: Math.floor(bank.clock.nowMs() / 1000),
    votePubkey: toBase58(bank.stakes.vote),
  };
}

/** The log of the vote that lands in a slot, which is on the one before. */
export function voteLog(slot: number, bank: Bank): object {
  return { context: { slot }, value: { signature: signatureOf(slot - 1, bank), err: null, logs: LOGS } };
}

/** Whom a vote names: a subscription to the logs of one of these gets the votes too. */
export function namedByVotes({ stakes }: Bank): Key[] {
  return [stakes.node, stakes.vote, VOTE_PROGRAM].map(keyOf);
}

/** Of each vote another, and the same whenever it is told. No transaction has it: votes are none here (L-87). */
function signatureOf(slot: number, bank: Bank): string {
  return toBase58(createHash('sha512').update('vote').update(bank.blockhashAt(slot)).digest());
}
