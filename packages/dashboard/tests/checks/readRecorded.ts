import { type LedgerTransaction, readLedgerTransaction } from '../../src/checks/ledgerTransaction.js';
import recorded from './recorded.json' with { type: 'json' };

const { programId, ...transactions } = recorded;
type Answer = Pick<(typeof transactions)['list']['answer'], 'slot' | 'blockTime'> & {
  meta: { fee: number; preBalances: number[]; postBalances: number[] };
};

/** Numbers as kit's RPC gives them. */
function asKit(answer: Answer): unknown {
  const { slot, blockTime, meta } = answer;
  const big = (numbers: number[]) => numbers.map(BigInt);
  const balances = { preBalances: big(meta.preBalances), postBalances: big(meta.postBalances) };
  return {
    ...answer,
    slot: BigInt(slot),
    blockTime: BigInt(blockTime),
    meta: { ...meta, fee: BigInt(meta.fee), ...balances },
  };
}

/** A transaction of a relay that really ran. */
export function readRecorded(name: keyof typeof transactions): LedgerTransaction {
  const { signature, answer } = transactions[name];
  return readLedgerTransaction(programId, signature, asKit(answer));
}

/** The instruction of the program that it holds. */
export const relayOf = ({ instructions }: LedgerTransaction) =>
  instructions.find(({ relay }) => relay !== undefined)?.relay;
