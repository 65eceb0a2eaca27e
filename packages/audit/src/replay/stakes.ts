import type { Terms } from '@legwork/program-client';
import type { Movement, TermsLeg } from './legs.js';
import type { Formed } from './packageFacts.js';

/** A leg with terms that something is done to. */
export interface Moved extends Formed {
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
  { parcel, landing, terms, leg }: Moved,
  to: string,
  what: Movement['what'] = 'stake_returned',
  lamports: bigint = terms.stake,
): Movement {
  const { vault } = parcel;
  const movement = { what, from: leg.address, to, lamports };
  const keep = () => {
    movement.to = vault;
    parcel.gainedLamports += lamports;
  };
  landing.payOut({ vault, lamports, keep });
  return movement;
}

/** The stake of a leg goes to the vault, where it pays replacements. Rule T-12. */
export function forfeitStake({ parcel, formation, landing, terms, leg }: Moved): Movement {
  const lamports = terms.stake;
  leg.turn.forfeitedLamports += lamports;
  formation.totalLamports += lamports;
  parcel.gainedLamports += lamports;
  landing.move(parcel.vault, lamports);
  return { what: 'stake_forfeited', from: leg.address, to: parcel.vault, lamports };
}
