/** Percent points taken from an agent's weight, for all alike: the service takes no credentials that could have expired. Rule M-14. */
export const TRUST_ADJUSTMENT_PERCENT = 0;
