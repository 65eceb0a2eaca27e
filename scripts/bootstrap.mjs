// Makes a bare clone runnable: checks Node, installs what package-lock.json asks for, compiles. It uses nothing but
// Node, and does nothing that is already done. Syntax and imports stay within what an outdated Node can still parse.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const OLDEST_NODE = [20, 19];
const INSTALL_TRIES = 3;

/** The builds, each skipped if nothing of it changed: the fingerprint of its last build is kept beside the packages. */
const BUILDS = [
  {
    stamp: join(root, 'node_modules', '.legwork-build'),
    commands: [['node_modules/typescript/bin/tsc', '-b'], ['scripts/bundle.mjs']],
    results: () => [...projects().map((folder) => join(folder, 'dist')), join(root, 'packages/cli/bundle/runCli.js')],
    fingerprint: sourceFingerprint,
  },
  {
    stamp: join(root, 'node_modules', '.legwork-dashboard'),
    commands: [['node_modules/vite/bin/vite.js', 'build', 'packages/dashboard', '--logLevel', 'warn']],
    results: () => [join(root, 'packages/dashboard/dist')],
    fingerprint: dashboardFingerprint,
  },
];

/** A sentence for the person at the screen; a stack trace would not help them. */
export class BootstrapError extends Error {}

/** @throws BootstrapError when this Node is too old to run the project. */
export function checkNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new BootstrapError(
    `Legwork needs Node ${OLDEST_NODE.join('.')} or newer, and this is Node ${version}. Install a newer one and try again.`,
  );
}

/** Installs the packages of package-lock.json with `npm ci`, unless exactly those are installed. */
export async function ensureInstalled() {
  checkNode();
  if (isInstalled()) return;
  say('Installing packages (only needed once; a minute or two) ...');
  // One that was stopped half-way leaves folders that npm itself cleans up.
  for (let attempt = 1; ; attempt += 1) {
    const { code, output } = await run(...npm(['ci', '--loglevel=error', '--include=dev', '--include=optional']));
    if (code === 0) return;
    if (attempt === INSTALL_TRIES || !isHiccup(output)) {
      throw new BootstrapError(`${output.trim()}\n\nnpm could not install the packages (see above).`);
    }
    say(`The package registry did not answer properly; trying again (${attempt + 1} of ${INSTALL_TRIES}) ...`);
    await new Promise((resolve) => setTimeout(resolve, attempt * 3000));
  }
}

/** Compiles the packages, bundles the command and builds the dashboard, unless nothing changed since the last time. */
export async function ensureBuilt() {
  const due = BUILDS.map((build) => ({ ...build, found: build.fingerprint() })).filter((build) => !isBuilt(build));
  if (due.length === 0) return;
  say('Building ...');
  const built = await Promise.all(
    due.map(async ({ commands, stamp, found }) => {
      for (const [script, ...args] of commands) {
        const { code, output } = await run(process.execPath, [join(root, script), ...args]);
        if (code !== 0) return { code, output };
      }
      writeFileSync(stamp, found);
      return { code: 0, output: '' };
    }),
  );
  const failed = built.filter(({ code }) => code !== 0).map(({ output }) => output.trim());
  if (failed.length > 0) throw new BootstrapError(`${failed.join('\n\n')}\n\nThe build failed (see above).`);
}

/** Runs `main`; a BootstrapError becomes its message on stderr and exit code 1. */
export async function orExplain(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof BootstrapError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Runs a program in a folder, the project's unless another one is named, to its end, with what it printed; on the screen too if `show`. */
export function run(program, args, { show = false, env = process.env, cwd = root } = {}) {
  return new Promise((resolve) => {
    const stdio = show ? 'inherit' : ['ignore', 'pipe', 'pipe'];
    const child = spawn(program, args, { cwd, env, stdio });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) stream.setEncoding('utf8').on('data', (text) => (output += text));
    }
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    child.on('close', (code, signal) => resolve({ code: code === null ? 1 : code, signal, output }));
  });
}

/**
 * npm records what it installed in node_modules/.package-lock.json, as its last step. Packages for other platforms are
 * optional and missing there.
 */
function isInstalled() {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const present = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    const installed = present[path];
    if (path === '' || (!installed && optional)) return true;
    return installed !== undefined && installed.version === version && existsSync(join(root, path));
  });
}

function packagesOf(lockfile) {
  try {
    return JSON.parse(readFileSync(lockfile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function isBuilt({ stamp, results, found }) {
  try {
    return readFileSync(stamp, 'utf8') === found && results().every((path) => existsSync(path));
  } catch {
    return false;
  }
}

/** The folders that `tsc -b` compiles. */
function projects() {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  return references.map(({ path }) => join(root, path));
}

/** Changes whenever a source, a compiler setting or an installed package does. */
function sourceFingerprint() {
  const hash = createHash('sha256');
  for (const name of ['tsconfig.json', 'tsconfig.base.json', 'package-lock.json', 'scripts/bundle.mjs'])
    hashFile(hash, join(root, name));
  for (const folder of projects()) {
    hashFile(hash, join(folder, 'tsconfig.json'));
    hashFile(hash, join(folder, 'package.json'));
    hashFolder(hash, join(folder, 'src'));
  }
  return hash.digest('hex');
}

/** As above, of the dashboard and the packages that it is bundled from. */
function dashboardFingerprint() {
  const hash = createHash('sha256');
  const folder = join(root, 'packages/dashboard');
  hashFile(hash, join(root, 'package-lock.json'));
  // Every page's shell and whatever builds it lie in the folder itself.
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()))
    hashFile(hash, join(folder, name));
  for (const name of ['basemap', 'worker']) hashFolder(hash, join(folder, name));
  hashFile(hash, join(root, 'examples/src/courier.ts'));
  for (const name of ['dashboard', 'protocol', 'program-client', 'sdk'])
    hashFolder(hash, join(root, 'packages', name, 'src'));
  return hash.digest('hex');
}

function hashFolder(hash, folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) hashFolder(hash, path);
    else hashFile(hash, path);
  }
}

function hashFile(hash, path) {
  const { size, mtimeMs } = statSync(path);
  hash.update(`${path}\0${size}\0${mtimeMs}\n`);
}

/** npm itself, the one that runs us where there is one. */
function npm(args) {
  const script = process.env.npm_execpath;
  return script && script.endsWith('.js') ? [process.execPath, [script, ...args]] : ['npm', args];
}

/** Worth another try: the network or the registry, not the lockfile. */
export function isHiccup(output) {
  return /\b(ECONN\w+|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EINTEGRITY|ERR_SOCKET_TIMEOUT|E429|E50\d|socket hang up)\b/.test(
    output,
  );
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
