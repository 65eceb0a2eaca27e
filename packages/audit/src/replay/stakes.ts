import type { Terms } from '@legwork/program-client';
import type { Held, Movement, TermsLeg } from './legs.js';

/** A leg with terms that something is done to. */
export interface Moved extends Held {
  terms: Terms;
  leg: TermsLeg;
}

/** A stake comes from a wallet. */
export function postStake({ terms, leg }: Moved, from: string): Movement {
  return { what: 'stake', from, to: leg.address, lamports: terms.stake };
}

/**
 * Lamports of a leg go to a wallet, or to the vault if it cannot receive them. Rule T-17.
 *
 * @param lamports - the stake, unless told
 */
export function payStake(
  { listing, landing, terms, leg }: Moved,
  to: string,
  what: Movement['what'] = 'stake_returned',
  lamports: bigint = terms.stake,
): Movement {
  const { vault } = listing;
  const movement = { what, from: leg.address, to, lamports };
  const keep = () => {
    movement.to = vault;
    listing.gainedLamports += lamports;
  };
  landing.payOut({ vault, lamports, keep });
  return movement;
}

/** The stake of a leg goes to the vault, where that of a package pays replacements. Rule T-12. */
export function forfeitStake({ listing, landing, terms, leg }: Moved): Movement {
  const lamports = terms.stake;
  leg.turn.forfeitedLamports += lamports;
  listing.gainedLamports += lamports;
  landing.move(listing.vault, lamports);
  return { what: 'stake_forfeited', from: leg.address, to: listing.vault, lamports };
}
