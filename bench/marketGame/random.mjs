/** Numbers from 0 to 1, the same in every run. */
export function randomOf(seed) {
  let state = seed;
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    chance: (probability) => next() < probability,
    between: (low, high) => low + (high - low) * next(),
    /** How many of many unlikely things happen, by their mean: Poisson's distribution. */
    count(mean) {
      let number = 0;
      for (let rest = next(); rest > Math.exp(-mean); rest *= next()) number += 1;
      return number;
    },
  };
}
