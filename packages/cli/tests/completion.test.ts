import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHere } from './support/line.js';

let folder = '';
const script = (shell: string) => join(folder, `legwork.${shell}`);
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'legwork-completion-'));
  writeFileSync(join(folder, 'a key.json'), '');
  for (const shell of ['bash', 'zsh', 'fish']) {
    // No service, no key, no settings: none are there.
    const { stdout } = await runHere(['completion', shell], { LEGWORK_URL: 'http://127.0.0.1:1' });
    writeFileSync(script(shell), stdout);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is typed, and what one press of Tab makes of it. */
const UNIQUE = [
  ['legwork handoff se', 'legwork handoff send'],
  ['legwork mcp conf', 'legwork mcp config'],
  ['legwork mcp config --host wind', 'legwork mcp config --host windsurf'],
  ['legwork post package --receiver-c', 'legwork post package --receiver-code'],
  ['legwork post package --budget 1 --terms gu', 'legwork post package --budget 1 --terms guarded'],
  ['legwork completion z', 'legwork completion zsh'],
  ['legwork ledger --testing t', 'legwork ledger --testing tx'],
  ['legwork wallet --key a', 'legwork wallet --key a\\ key.json'],
] as const;

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

/** What bash would offer, with its own splitting of words left to it. */
function inBash(line: string): string[] {
  const words = line.split(' ');
  const asked = `source ${script('bash')}; complete -p legwork >/dev/null
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _legwork
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', asked], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe.skipIf(!has('bash'))('bash', () => {
  test.each(UNIQUE.filter(([, whole]) => !whole.includes('\\')))('completes "%s" to "%s" (A-178)', (typed, whole) =>
    expect(inBash(typed)).toEqual([whole.split(' ').at(-1)]),
  );
  test('offers commands, never options nobody began, and leaves files to itself (A-178)', () => {
    expect(inBash('legwork ')).toEqual(expect.arrayContaining(['start', 'bid', 'mcp', 'watch']));
    expect(inBash('legwork ').filter((word) => word.startsWith('-'))).toEqual([]);
    expect(inBash('legwork bid --')).toEqual(expect.arrayContaining(['--cost', '--json', '--help']));
    expect(inBash('legwork wallet --key ')).toEqual([]);
  });
});

/** What a line of a terminal becomes by a press of Tab. */
function inZsh(line: string): string {
  const typed = `zmodload zsh/zpty; zpty z zsh -f -i
    zpty -w z 'unsetopt zle_bracketed_paste; PS1=; cd ${folder}; autoload -U compinit && compinit -u -D; source ${script('zsh')}'
    zpty -w z 'shown() { print -r -- "<<$BUFFER>>" }; zle -N shown; bindkey "^X" shown; print rea""dy'
    zpty -r -m z out '*ready*'
    zpty -w -n z $'${line}\\t\\x18'
    zpty -r -m z out '*<<*>>*'
    print -r -- "$out"`;
  const out = execFileSync('zsh', ['-f', '-c', typed], { encoding: 'utf8', timeout: 60_000 });
  return /<<(.*)>>/.exec(out)?.[1]?.trimEnd() ?? out;
}

describe.skipIf(!has('zsh'))('zsh', () => {
  test.each(UNIQUE.slice(-5))('completes "%s" to "%s" (A-178)', (typed, whole) => expect(inZsh(typed)).toBe(whole));
});

describe.skipIf(!has('fish'))('fish', () => {
  const inFish = (line: string) =>
    execFileSync('fish', ['--no-config', '-c', `cd ${folder}; source ${script('fish')}; complete -C '${line}'`], {
      encoding: 'utf8',
    })
      .split('\n')
      .filter(Boolean);
  test.each(UNIQUE)('completes "%s" to "%s" (A-178)', (typed, whole) => {
    const offered = inFish(typed).map((line) => line.split('\t')[0]);
    expect(offered).toEqual([whole.includes('\\') ? 'a key.json' : whole.split(' ').at(-1)]);
  });
  test('says what each command is for (A-178)', () => {
    expect(inFish('legwork withd')).toEqual(['withdraw\twithdraw a bid']);
  });
});
