// Runs the shell blocks of our Markdown pages, in a folder and on an instance of their own: every `sh` and `bash` block, and what
// is typed after `$` in every `console` block. A block's needs stand after its language:
//   "```sh not run: needs devnet"   left out, for this reason
//   "```bash needs jq"              left out where that program is not installed
//   node scripts/docs/shell.mjs     exits 1 if a block fails; says what it left out and why
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyPairSigner } from '@solana/kit';
import { startInstance } from '../../examples/dist/demo/instance.js';
import { root } from '../bootstrap.mjs';
import { markdownFiles } from './pages.mjs';

const BLOCK = /^( *)```(sh|bash|console)\b *(.*)\n([^]*?)^ *```$/gm;
/** Ends what hangs, also on a busy machine. */
const BLOCK_MS = 180_000;

/** The shell blocks of a page: `{ at: 'README.md:42', language, mark, code }`. */
function blocksOf(page) {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(BLOCK)].map(({ index, 1: indent, 2: language, 3: mark, 4: lines }) => {
    const line = text.slice(0, index).split('\n').length;
    const code = lines.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    return { at: `${page}:${line}`, language, mark, code: language === 'console' ? typedIn(code) : code };
  });
}

/** The lines after `$`, and those that a backslash continues. */
function typedIn(session) {
  return [...session.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, command]) => command).join('\n');
}

/** Why a block does not run here; undefined: it does. */
function reasonAgainst({ at, mark }) {
  const [, reason] = mark.match(/^not run: (.+)$/) ?? [];
  const [, program] = mark.match(/^needs (\w+)$/) ?? [];
  if (mark !== '' && !reason && !program)
    throw new Error(`${at}: "${mark}" is neither "not run: why" nor "needs program"`);
  const isMissing = program && spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0;
  return isMissing ? `${program} is not installed` : reason;
}

/** A folder that looks like the clone and has data of its own, with `legwork` beside it. */
function makeClone() {
  const clone = mkdtempSync(join(tmpdir(), 'legwork-docs-'));
  for (const name of readdirSync(root)) {
    if (name !== '.data' && name !== '.git') symlinkSync(join(root, name), join(clone, name));
  }
  mkdirSync(join(clone, '.bin'));
  symlinkSync(join(root, 'packages/cli/bin/legwork.mjs'), join(clone, '.bin/legwork'));
  return clone;
}

/** The variables that the pages suppose: wallets, the command on the path, and a service and keys of its own. */
async function environmentOf(clone, url) {
  const address = async () => (await generateKeyPairSigner()).address;
  const wallets = { POSTER: await address(), ADA: await address(), BEN: await address() };
  const own = { LEGWORK_URL: url, XDG_CONFIG_HOME: join(clone, '.config') };
  return { ...process.env, ...wallets, ...own, PATH: `${join(clone, '.bin')}:${process.env.PATH}` };
}

/** Runs a block; gives what it printed if it failed. */
function run(code, language, options) {
  const [shell, strict] = language === 'bash' ? ['bash', ['-eu', '-o', 'pipefail']] : ['sh', ['-eu']];
  return new Promise((resolve) => {
    const child = spawn(shell, [...strict, '-c', code], { ...options, timeout: BLOCK_MS });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.on('close', (exit) => resolve(exit === 0 ? undefined : output.trim() || `ended with ${exit}`));
  });
}

const clone = makeClone();
const instance = await startInstance(join(clone, '.data'), { ledgerPort: 0 });
try {
  const { rpcUrl } = await (await fetch(`${instance.url}/config`)).json();
  const options = { cwd: clone, env: await environmentOf(clone, instance.url) };
  for (const block of markdownFiles('').flatMap(blocksOf)) {
    const reason = reasonAgainst(block);
    const code = block.code
      .replaceAll('http://127.0.0.1:8080', instance.url)
      .replaceAll('http://127.0.0.1:8899', rpcUrl);
    const failure = reason ? undefined : await run(code, block.language, options);
    const verdict = reason ? `left out (${reason})` : failure ? `FAILED\n${code.trim()}\n${failure}\n` : 'ok';
    process.stdout.write(`${block.at}: ${verdict}\n`);
    if (failure) process.exitCode = 1;
  }
} finally {
  await instance.stop();
  rmSync(clone, { recursive: true, force: true });
}
