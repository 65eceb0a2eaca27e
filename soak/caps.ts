import { formatSol, toLamports } from '@legwork/sdk';

/** Lamports that the services advance for one poster at most: more than any shipper needs by itself. */
const POSTER_LAMPORTS = toLamports(30_000_000_000n);
/** Lamports that they advance for one address at most: enough to use up what many others may have. */
export const SPONSORED_LAMPORTS = toLamports(300_000_000_000n);
/** Lamports that they spend on reputation accounts of agents from one address at most: sixteen, more than one story needs. */
export const NEWCOMERS_LAMPORTS = toLamports(20_000_000n);
/** Lamports of the largest budget that they fund: three of these use up the cap of a poster. */
export const TASK_LAMPORTS = toLamports(9_900_000_000n);

/** What the services take of one address, the same for all. */
export const CAPS = {
  LIMIT_BIDS_PER_ADDRESS: '600',
  SPONSOR_TASK_SOL: formatSol(TASK_LAMPORTS),
  SPONSOR_POSTER_SOL: formatSol(POSTER_LAMPORTS),
  SPONSOR_IP_SOL: formatSol(SPONSORED_LAMPORTS),
  NEWCOMER_IP_SOL: formatSol(NEWCOMERS_LAMPORTS),
};
