// Names of imports in compiled code and in declarations.

/** What `@legwork/kit` takes the place of, and under which of its doors. */
export const KIT_DOORS = new Map([
  ['@solana/kit', '@legwork/kit'],
  ['@solana/kit/program-client-core', '@legwork/kit/program-client-core'],
  ['@solana/rpc-spec-types', '@legwork/kit/rpc-spec-types'],
  ['@solana-program/system', '@legwork/kit/system'],
  ['@solana-program/compute-budget', '@legwork/kit/compute-budget'],
]);

const SPECIFIER = /((?:\bfrom|\bimport)\s*\(?\s*)(['"])([^'"\n]+)\2/g;

/** The text with what `rename` gives for each imported name. */
export function renameImports(text, rename) {
  return text.replace(SPECIFIER, (_whole, before, quote, name) => `${before}${quote}${rename(name)}${quote}`);
}
