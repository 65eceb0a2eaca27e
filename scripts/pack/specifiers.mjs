// Names of imports in compiled code and in declarations.

/** What `@legwork/kit` takes the place of, and under which of its doors. */
export const KIT_DOORS = new Map([
  ['@solana/kit', '@legwork/kit'],
  ['@solana/kit/program-client-core', '@legwork/kit/program-client-core'],
  ['@solana-program/system', '@legwork/kit/system'],
  ['@solana-program/compute-budget', '@legwork/kit/compute-budget'],
]);

const COMMENT = /\/\*[^]*?\*\//g;
const SPECIFIER = /((?:\bfrom|\bimport)\s*\(?\s*)(['"])([^'"\n]+)\2/g;

/** The text with each imported name replaced by what `rename` gives for it, without comments' examples being touched. */
export function renameImports(text, rename) {
  const comments = [...text.matchAll(COMMENT)].map(({ index, 0: { length } }) => [index, index + length]);
  const isComment = (at) => comments.some(([from, to]) => at > from && at < to);
  return text.replace(SPECIFIER, (whole, before, quote, name, at) =>
    isComment(at) ? whole : `${before}${quote}${rename(name)}${quote}`,
  );
}

/** The names that a text imports. */
export function importsOf(text) {
  const names = [];
  renameImports(text, (name) => {
    names.push(name);
    return name;
  });
  return names;
}
