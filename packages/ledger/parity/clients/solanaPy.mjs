// The integration tests of solana-py, as they are published in its source archive, run by pytest on a target.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cache.mjs';

const REQUIREMENTS = new URL('solanaPy.txt', import.meta.url);
const NAME = 'solana-0.41.0';
const SHA256 = 'a8f3b31789256c69c2c0e260f00a4d540627cc3e860f0c4462342ead3390eaf5';
const LONGEST_MS = 20 * 60_000;
const run = promisify(execFile);

/** @param solanaPy the folder of `installSolanaPy` @returns by test `{ result: 'passes' }`, or an error that says why not */
export async function answers({ rpcUrl, wsUrl, solanaPy: folder, atEnd }) {
  const out = mkdtempSync(join(tmpdir(), 'legwork-solana-py-'));
  atEnd(() => rmSync(out, { recursive: true, force: true }));
  const report = join(out, 'report.xml');
  // Without its own options, which measure coverage.
  const options = ['-o', 'addopts=', '-p', 'no:anyio', '-p', 'no:cacheprovider', '-q', `--junitxml=${report}`];
  const external = {
    SOLANA_VALIDATOR_EXTERNAL: '1',
    SOLANA_VALIDATOR_EXTERNAL_RPC_URL: rpcUrl,
    SOLANA_VALIDATOR_EXTERNAL_WS_URL: wsUrl,
  };
  await run(join(folder, 'packages', 'bin', 'python'), ['-B', '-m', 'pytest', 'tests/integration', ...options], {
    cwd: join(folder, NAME),
    env: { ...process.env, ...external },
    timeout: LONGEST_MS,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error) => {
    // Its exit code says that a test failed; the report says which.
    if (!existsSync(report)) throw error;
  });
  return answersIn(readFileSync(report, 'utf8'));
}

const CASE = /<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs;
const FAULT = /<(failure|error)(?: message="([^"]*)")?/;

/** @param report in JUnit's XML; tests that were skipped are left out */
export function answersIn(report) {
  const answers = {};
  for (const [, place, name, inside = ''] of report.matchAll(CASE)) {
    if (inside.includes('<skipped')) continue;
    const [, fault, message = ''] = FAULT.exec(inside) ?? [];
    const label = `${place.split('.').at(-1)}: ${name}`;
    answers[label] =
      fault === undefined ? { result: 'passes' } : { error: { code: 0, message: `fails: ${message.slice(0, 300)}` } };
  }
  return answers;
}

/** Puts its packages and its source into a cache folder, once for each list of packages. @param python one of 3.11 or newer */
export async function installSolanaPy(python) {
  const list = readFileSync(REQUIREMENTS);
  const folder = cacheFolder('parity-solana-py', list);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  copyFileSync(REQUIREMENTS, join(unfinished, 'requirements.txt'));
  const at = { cwd: unfinished };
  const pip = ['-B', '-m', 'pip', '--disable-pip-version-check', '--quiet'];
  await run(python, ['-m', 'venv', 'packages'], at);
  const inside = join(unfinished, 'packages', 'bin', 'python');
  // Built packages alone, and no others than those of the list: nothing of theirs runs at installation.
  await run(inside, [...pip, 'install', '--no-deps', '--only-binary', ':all:', '-r', 'requirements.txt'], at);
  const source = ['download', '--no-deps', '--no-build-isolation', '--no-binary', 'solana', NAME.replace('-', '==')];
  await run(inside, [...pip, ...source], at);
  const archive = readFileSync(join(unfinished, `${NAME}.tar.gz`));
  const found = createHash('sha256').update(archive).digest('hex');
  if (found !== SHA256) throw new Error(`${NAME}.tar.gz has the SHA-256 ${found}, expected ${SHA256}`);
  await run('tar', ['xzf', `${NAME}.tar.gz`], at);
  renameSync(unfinished, folder);
  return folder;
}
