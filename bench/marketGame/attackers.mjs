// An attacker's gain over honest work, in SOL a relay, in a market where a parcel is worth nothing to a thief. A
// leg pays PAYMENT, carrying it costs COST, legs share 0.8 of the budget, and the stake is a share of the budget.
const PAYMENT = 0.04;
const COST = 0.025;
const SHARE_OF_LEGS = 0.8;

/** How often a lister sleeps through a review, an arbiter rules wrong, or does not rule at all. */
export const USUAL = { asleep: 0.05, wrong: 0.05, silent: 0.05 };

/** The expected gain of claiming a leg that one did not carry, or of garbage as a result. */
export function falseClaim(stake, { asleep, wrong, silent }) {
  const ruled = wrong * (PAYMENT + stake / 2) - (1 - wrong) * stake;
  return asleep * PAYMENT + (1 - asleep) * ((1 - silent) * ruled + (silent * PAYMENT) / 2);
}

/** The gain of a lister who disputes a leg that was carried, or rejects a result that is good. */
export function falseDispute(stake, { wrong, silent }) {
  const ruled = wrong * (PAYMENT + stake / 2) - (1 - wrong) * stake;
  return (1 - silent) * ruled + silent * (PAYMENT / 2 - stake / 2);
}

/** The gain of each attacker over honest work. @param share - stake as a share of the budget */
export function attackers(legs, share, world = USUAL) {
  const stake = (share * legs * PAYMENT) / SHARE_OF_LEGS;
  const honest = PAYMENT - COST;
  const claimed = falseClaim(stake, world);
  return {
    'a false claim of one leg': claimed - honest,
    'all keys of one owner, nothing moved': (legs - 1) * PAYMENT + claimed - legs * honest,
    'a false dispute of one leg': falseDispute(stake, world),
    'no show after accepting': -stake,
  };
}

/** The least stake, as a share of the budget, at which no attacker gains. */
export function leastShare(legs, world = USUAL) {
  for (let share = 0; share < 2; share += 0.001) {
    if (Math.max(...Object.values(attackers(legs, share, world))) <= 0) return share;
  }
  return Infinity;
}

/** From which rate on something pays that does not pay usually, for a stake of so many payments. */
export function breakEvens(payments) {
  const stake = payments * PAYMENT;
  const rates = Array.from({ length: 1_001 }, (_, index) => index / 1_000);
  const from = (pays) => rates.find(pays) ?? Infinity;
  return {
    'a false dispute pays if the arbiter is wrong': from((wrong) => falseDispute(stake, { ...USUAL, wrong }) > 0),
    'a false dispute pays if the arbiter is silent': from((silent) => falseDispute(stake, { ...USUAL, silent }) > 0),
    'a false claim pays if the lister is asleep': from(
      (asleep) => falseClaim(stake, { ...USUAL, asleep }) > PAYMENT - COST,
    ),
  };
}
