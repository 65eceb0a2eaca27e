// Runs the suites of clients on a target: each check in its order, each for itself passed or failed.
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cache.mjs';

const LONGEST_MS = 120_000;
const OWN = new URL('./', import.meta.url);
const FILES = ['package.json', 'package-lock.json', '.npmrc'];

/** The suites by name; those with `needs` run only where that is there. */
const SUITES = {
  kit: { file: './kit.mjs' },
  'web3.js': { file: './web3.mjs', needs: 'load' },
  anchor: { file: './anchor.mjs', needs: 'load' },
  'spl-token': { file: './splToken.mjs', needs: 'load' },
  'solana command': { file: './command.mjs', needs: 'solana' },
  'solana-py': { file: './solanaPy.mjs', needs: 'solanaPy' },
};

/**
 * @param tools `load`, which requires a package of the installed clients, `solana`, the path of the command, and `solanaPy`,
 *   the folder of its tests: all optional
 * @param only names of suites; all by default
 * @returns by suite and check `{ result: 'passes' }` or an error that says why not; the suites that could not run are left out
 */
export async function clientAnswers(target, tools, only = Object.keys(SUITES)) {
  const answers = {};
  for (const name of only) {
    const { file, needs } = SUITES[name];
    if (needs !== undefined && tools[needs] === undefined) continue;
    const suite = await import(file);
    const ends = [];
    const given = { ...target, ...tools, atEnd: (end) => ends.push(end) };
    // A suite that was published runs as a whole.
    answers[`client ${name}`] = suite.answers ? await suite.answers(given) : await runChecks(await suite.checks(given));
    for (const end of ends) end();
  }
  return answers;
}

async function runChecks(checks) {
  const answers = {};
  for (const [name, run] of Object.entries(checks)) answers[name] = await runCheck(run);
  return answers;
}

async function runCheck(run) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took more than ${LONGEST_MS / 1000} s`)), LONGEST_MS);
  });
  try {
    await Promise.race([run(), late]);
    return { result: 'passes' };
  } catch (error) {
    return {
      error: {
        code: 0,
        message: `fails: ${String(error?.message ?? error)
          .split('\n')
          .slice(0, 3)
          .join(' ')}`,
      },
    };
  } finally {
    clearTimeout(timer);
  }
}

/** Installs the clients in a cache folder, once for each lockfile. @returns a `require` that finds them */
export async function installClients() {
  const folder = cacheFolder('parity-clients', readFileSync(new URL('package-lock.json', OWN)));
  if (!existsSync(folder)) await install(folder);
  return createRequire(join(folder, 'package.json'));
}

/** In a folder beside it first, so that one that was interrupted is not taken for a whole one. */
async function install(folder) {
  const unfinished = `${folder}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  for (const file of FILES) copyFileSync(new URL(file, OWN), join(unfinished, file));
  // No program of theirs runs at installation.
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  await promisify(execFile)(npm[0], [...npm.slice(1), 'ci', '--ignore-scripts', '--loglevel=error'], {
    cwd: unfinished,
  });
  renameSync(unfinished, folder);
}
