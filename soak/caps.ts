import { formatSol, toLamports } from '@agent-relay/sdk';

/** Lamports that the services advance for one poster, and for one address, at most: a stranger reaches it, no shipper does. */
export const SPONSORED_LAMPORTS = toLamports(40_000_000_000n);
/** Lamports that the services spend on reputation accounts of agents from one address at most. */
export const NEWCOMERS_LAMPORTS = toLamports(50_000_000n);

/** The settings of the services that say so. */
export const CAPS = {
  SPONSOR_POSTER_SOL: formatSol(SPONSORED_LAMPORTS),
  SPONSOR_IP_SOL: formatSol(SPONSORED_LAMPORTS),
  NEWCOMER_IP_SOL: formatSol(NEWCOMERS_LAMPORTS),
};
