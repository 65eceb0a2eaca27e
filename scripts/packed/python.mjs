// The wheel in an empty environment outside the project: its types, and its agents on a service.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, run } from '../bootstrap.mjs';
import { findPython, makeEnvironment, NO_PYTHON } from '../pack/python.mjs';

const PACKED = join(root, 'packed');
const PROJECT = join(root, 'python');

const NO_FRAMEWORK = 'skipped: the example inside a framework of agents, which pip does not get';

/** What examples/agent.py runs in. @returns false where pip cannot get it; with CI=true it has to */
async function addFramework(programs, wheel) {
  const what = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `${wheel}[examples]`];
  const { code, output } = await run(join(programs, 'python'), what);
  assert.ok(code === 0 || process.env.CI !== 'true', output);
  return code === 0;
}

/**
 * @param scratch a folder outside the project
 * @param legwork the command that was installed from the tarballs
 * @param start starts a program that goes on
 */
export async function testPython(scratch, legwork, start) {
  const say = (line) => process.stdout.write(`${line}\n`);
  const python = await findPython();
  if (python === undefined) {
    say(NO_PYTHON);
    return;
  }
  const [wheel] = (await readdir(PACKED)).filter((name) => name.endsWith('.whl'));
  assert.ok(wheel, 'npm run pack made no wheel');
  const project = await readFile(join(PROJECT, 'pyproject.toml'), 'utf8');
  const [, list = ''] = /^dev = \[(.*)\]/m.exec(project) ?? [];
  const tools = [...list.matchAll(/"([^"]+)"/g)].map(([, tool]) => tool);
  const programs = await makeEnvironment(python, join(scratch, 'python'), [join(PACKED, wheel), ...tools]);
  if (!(await addFramework(programs, join(PACKED, wheel)))) say(NO_FRAMEWORK);
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const passes = async (cwd, ...args) => {
    const { code, output } = await run(join(programs, 'python'), ['-m', ...args], { cwd, env });
    assert.equal(code, 0, output);
    return output.trim().split('\n').at(-1);
  };
  // The tests are a consumer with types: of the wheel, by its py.typed.
  const typed = (...what) => passes(scratch, 'mypy', '--strict', '--cache-dir', join(scratch, 'mypy'), ...what);
  const lint = ['--no-cache', PROJECT];
  // Its agents all come from one address, and some of them have their fees paid.
  const service = start(legwork, ['start', '--ephemeral', '--port', '0', '--ledger-port', '0'], {
    env: { ...process.env, LIMIT_WRITES: '0', LIMIT_AIRDROPS: '0', LIMIT_DRAFTS: '0', FEES_IP_SOL: '1' },
  });
  try {
    const [, url] = await service.shows(/Service +(http\S+)/);
    env.LEGWORK_URL = url;
    const [told] = await Promise.all([
      passes(scratch, 'pytest', '-q', '-p', 'no:cacheprovider', join(PROJECT, 'tests')),
      typed('-p', 'legwork').then(() => typed(join(PROJECT, 'tests'))),
      passes(scratch, 'ruff', 'check', ...lint),
      passes(scratch, 'ruff', 'format', '--check', ...lint),
    ]);
    say(`ok  ${wheel}: ${told}; types and form are in order`);
  } finally {
    service.child.kill('SIGTERM');
    assert.equal(await service.ended, 0, service.output());
  }
}
