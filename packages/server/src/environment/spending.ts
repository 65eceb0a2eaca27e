import { parseSol } from '@legwork/protocol/contract';
import { z } from 'zod';

/** SOL in an environment variable, as lamports. */
const sol = z
  .string()
  .regex(/^\d{1,7}(\.\d{1,9})?$/, 'must be SOL in digits, such as 0.5')
  .transform((text) => parseSol(Number(text)));

/** How much the coordinator spends on others. */
export const spending = {
  SPONSOR_TASK_SOL: sol
    .prefault('1')
    .describe('Largest budget, in SOL, of a package that the coordinator funds; 0: it funds none.'),
  SPONSOR_POSTER_SOL: sol
    .prefault('2')
    .describe(
      'Most SOL it advances for one poster, rent and fees included: of the last 24 hours and what is outstanding from before. ' +
        'What the poster signed and what it did not sign count apart.',
    ),
  SPONSOR_IP_SOL: sol.prefault('5').describe('Most SOL it advances for one address, counted alike.'),
  SPONSOR_DAY_SOL: sol.prefault('50').describe('Most SOL it advances in 24 hours in all.'),
  SPONSOR_OUTSTANDING_SOL: sol.prefault('100').describe('Most SOL of it that are outstanding at a time, in all.'),
  COORDINATOR_RESERVE_SOL: sol
    .prefault('0.1')
    .describe(
      'SOL the coordinator keeps for settlements: below it, it forms no swarms and funds no packages; what has begun goes on.',
    ),
  NEWCOMER_IP_SOL: sol
    .prefault('0.1')
    .describe(
      'Most SOL it spends in 24 hours on reputation accounts of agents that bid from one address; 0: it takes on nobody without one. As much again is advanced at a time as rent for legs of tasks with terms that agents without a completed leg have not accepted.',
    ),
  NEWCOMER_DAY_SOL: sol
    .prefault('2')
    .describe(
      'Most SOL it spends on such accounts in 24 hours in all, and as much again advances at a time for such legs.',
    ),
  FEES_KEY_SOL: sol
    .prefault('0.01')
    .describe(
      'Most SOL it spends in 24 hours on fees and token accounts of transactions of one key that has no SOL; 0 for this or one of the next two: ' +
        'it pays for nobody.',
    ),
  FEES_IP_SOL: sol.prefault('0.05').describe('Most SOL it spends on such transactions from one address in 24 hours.'),
  FEES_DAY_SOL: sol.prefault('1').describe('Most SOL it spends on such transactions in 24 hours in all.'),
};
