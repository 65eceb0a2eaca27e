import type { Completed, Word } from './words.js';

/** Text as every one of the shells takes it: what ends a quotation is left out, which descriptions can do without. */
const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, '’').replaceAll('\n', ' ')}'`;

/** A pattern of `case` that takes any of these. */
const anyOf = (texts: readonly string[]) => texts.map(quoted).join('|');

const withValue = (commands: readonly Completed[], isWanted: (values: readonly string[]) => boolean) =>
  commands.flatMap(({ path, options }) =>
    options.flatMap(({ word, values }) =>
      values !== undefined && isWanted(values) ? [{ at: `${path} ${word}`, values }] : [],
    ),
  );

/** How bash or zsh is told what can be typed. */
interface Dialect {
  readonly list: (words: readonly Word[]) => string;
  readonly files: string;
}

/** What follows in `$at`, after the word `$before`; bash and zsh read it alike. */
function cases(commands: readonly Completed[], { list, files }: Dialect): string {
  const chosen = withValue(commands, ({ length }) => length > 0).map(
    ({ at, values }) => `    ${quoted(at)}) ${list(values.map((word) => ({ word, means: '' })))}; return ;;`,
  );
  const free = withValue(commands, ({ length }) => length === 0).map(({ at }) => at);
  const after = commands.map(
    ({ path, words, options }) =>
      `    ${quoted(path)}) if [[ $typed == -* ]]; then ${list(options)}; else ${words.length > 0 ? list(words) : files}; fi ;;`,
  );
  return [
    '  case "$at $before" in',
    ...chosen,
    `    ${anyOf(free)}) ${files}; return ;;`,
    '  esac',
    '  case "$at" in',
    ...after,
    '  esac',
  ].join('\n');
}

/** Goes down to the command that is typed. */
const descend = (commands: readonly Completed[], words: string) => `  for word in ${words}; do
    case "$at $word" in
      ${anyOf(commands.slice(1).map(({ path }) => path))}) at="$at $word" ;;
    esac
  done`;

const bash = (commands: readonly Completed[]) => `# legwork completion bash
_legwork() {
  local at=legwork word typed=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
${descend(commands, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"')}
${cases(commands, {
  list: (words) => `COMPREPLY=($(compgen -W ${quoted(words.map(({ word }) => word).join(' '))} -- "$typed"))`,
  // None: then bash completes names of files.
  files: 'COMPREPLY=()',
})}
}
complete -o default -F _legwork legwork
`;

const zsh = (commands: readonly Completed[]) => `#compdef legwork
# legwork completion zsh
_legwork() {
  local at=legwork word typed=$PREFIX before=$words[CURRENT-1]
  local -a found
${descend(commands, '"${(@)words[2,CURRENT-1]}"')}
${cases(commands, {
  list: (words) =>
    `found=(${words.map(({ word, means }) => quoted(means === '' ? word : `${word}:${means}`)).join(' ')}); _describe legwork found`,
  files: '_files',
})}
}
if [[ $funcstack[1] == _legwork ]]; then _legwork "$@"; else compdef _legwork legwork; fi
`;

function fish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ path, words, options }) => {
    const here = `complete -c legwork -n "__legwork_at ${quoted(path)}"`;
    return [
      ...words.map(({ word, means }) => `${here} -f -a ${quoted(word)} -d ${quoted(means)}`),
      ...options.map(({ word, means, values }) => {
        const value = values === undefined ? '' : values.length === 0 ? ' -r' : ` -x -a ${quoted(values.join(' '))}`;
        return `${here} -l ${word.slice(2)}${value} -d ${quoted(means)}`;
      }),
    ];
  });
  return `# legwork completion fish
set -g __legwork_commands ${commands
    .slice(1)
    .map(({ path }) => quoted(path))
    .join(' ')}
function __legwork_at
  set -l at legwork
  for word in (commandline -opc)[2..]
    contains -- "$at $word" $__legwork_commands; and set at "$at $word"
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

/** Scripts that complete what is typed after `legwork`, by the shell that reads them. */
export const SCRIPTS = { bash, zsh, fish };
