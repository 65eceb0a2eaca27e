/**
 * What Codama renders is adapted to this repository's compiler settings (relative imports with the `.js` extension,
 * types imported as types), and the program's address becomes a required argument: the program has no address of its own, so
 * any default would be wrong. A parsed instruction is told by its name, which is what databases and metrics keep, instead of
 * a number.
 */
const REPLACEMENTS = [
  [/^import \{ RELAY_PROGRAM_ADDRESS \} from ['"]\.\.\/programs['"];\n/gm, ''],
  [/TProgramAddress extends Address = typeof RELAY_PROGRAM_ADDRESS/g, 'TProgramAddress extends Address = Address'],
  [/TProgram extends string = typeof RELAY_PROGRAM_ADDRESS/g, 'TProgram extends string = string'],
  [/config\?: \{\s*programAddress\?: TProgramAddress;?\s*\}/g, 'config: { programAddress: TProgramAddress }'],
  [/config\?\.programAddress \?\? RELAY_PROGRAM_ADDRESS/g, 'config.programAddress'],
  [/accountMeta\.address === RELAY_PROGRAM_ADDRESS/g, 'accountMeta.address === instruction.programAddress'],
  [/config: \{\s*programAddress\?: Address \| undefined;?\s*\} = \{\}/g, 'config: { programAddress: Address }'],
  [
    /const \{\s*programAddress = ['"]1{32}['"] as Address<['"]1{32}['"]>,?\s*\} = config;/g,
    'const { programAddress } = config;',
  ],
  [/(import \{ (?:find\w+Pda, )?)(\w+Seeds\b)/g, '$1type $2'],
  [/^ *\/\/ TODO: Coded error\.\n/gm, ''],
  [/^export const RELAY_PROGRAM_ADDRESS =\n.*;\n\n/m, ''],
  [/TProgram extends string = ['"]1{32}['"]/, 'TProgram extends string = string'],
  [/instructionType: RelayInstruction\.(\w)(\w*)/g, (_, first, rest) => `name: "${first.toLowerCase()}${rest}"`],
  [/FetchAccountConfig & \{ programAddress\?: Address \} = \{\}/g, 'FetchAccountConfig & { programAddress: Address }'],
];

const LEFT_OUT = /^errors\//;
const RELATIVE_IMPORT = /(from ['"])(\.\.?\/[^'"]+?)(['"])/g;

/** @param {Map<string, string>} files rendered text by path; `index.ts` files are folders' exports */
export function adaptRendered(files) {
  const used = new Set();
  const adapted = new Map();
  for (const [path, text] of files) {
    if (!LEFT_OUT.test(path)) adapted.set(path, adapt(path, text, used));
  }
  const unused = REPLACEMENTS.filter((replacement) => !used.has(replacement));
  if (unused.length > 0) {
    throw new Error(`The renderer's output changed, nothing matches ${unused.map(([pattern]) => pattern).join(', ')}`);
  }
  return adapted;

  function adapt(path, text, seen) {
    let result = text;
    for (const replacement of REPLACEMENTS) {
      const [pattern, substitute] = replacement;
      const next = result.replace(pattern, substitute);
      if (next !== result) seen.add(replacement);
      result = next;
    }
    if (path === 'index.ts') result = rootIndex(result);
    if (/RELAY_PROGRAM_ADDRESS|programAddress\?|['"]1{32}['"] as Address<['"]1{32}['"]>,\n/.test(result)) {
      throw new Error(`${path} still has a default program address`);
    }
    return result.replace(RELATIVE_IMPORT, (_, before, specifier, after) => {
      const target = join(path, specifier);
      const isFolder = !LEFT_OUT.test(`${target}/`) && files.has(`${target}/index.ts`);
      return `${before}${specifier}${isFolder ? '/index.js' : '.js'}${after}`;
    });
  }
}

/** The parser's enums stay inside: `RelayInstruction` is the type of a decoded one. */
function rootIndex(text) {
  return text.replace(/^export \* from ['"]\.\/programs['"];\n/m, '');
}

/** Resolves a relative specifier against the file that imports it, both with forward slashes. */
function join(path, specifier) {
  const url = new URL(specifier, `file:///${path}`);
  return url.pathname.slice(1);
}
