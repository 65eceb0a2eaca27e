// What stays different from Agave 4.2, and why. A difference is one of the sentences of compare.mjs; `method`, `call` and
// `difference` are texts or patterns, and one that is left out fits everything.
export const DECLARED = [];
