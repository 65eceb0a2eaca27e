// The Python package as wheel and sdist, and a Python to make them with.
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BootstrapError, root, run } from '../bootstrap.mjs';

const SOURCE = join(root, 'python');
/** What a clone has beside it. */
const LEFT_OUT = /__pycache__|\.\w+_cache|python\/(tests|dist)$/;
const OLDEST = [3, 10];
/** The same bytes whenever they are made. */
const EPOCH = '1767225600';

/**
 * The Python of this machine that can run the package; undefined: there is none.
 *
 * @throws {BootstrapError} with CI=true, when there is one that is too old: its part would be left out in silence
 */
export async function findPython() {
  const says = 'import sys, venv, ensurepip; print(sys.version_info >= (%d, %d))'.replace('%d, %d', OLDEST.join(', '));
  let isThere = false;
  for (const name of ['python3', 'python']) {
    const { code, output } = await run(name, ['-c', says]);
    if (code === 0 && output.trim() === 'True') return name;
    isThere ||= code !== 127;
  }
  if (isThere && process.env.CI === 'true') {
    throw new BootstrapError(`The Python of this machine is older than ${OLDEST.join('.')}, or has no venv and pip.`);
  }
  return undefined;
}

/** What is said where {@link findPython} finds none. */
export const NO_PYTHON = `skipped: the Python package, which takes Python ${OLDEST.join('.')} or newer`;

/** An empty environment, with these packages. @returns the folder of its programs */
export async function makeEnvironment(python, folder, packages) {
  await must(python, ['-m', 'venv', folder]);
  const programs = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  await must(join(programs, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  return programs;
}

/** Makes wheel and sdist. @param stage an empty folder for what it takes */
export async function packPython(python, stage, destination) {
  const source = join(stage, 'python');
  await cp(SOURCE, source, { recursive: true, filter: (path) => !LEFT_OUT.test(path.replaceAll('\\', '/')) });
  await cp(join(root, 'LICENSE'), join(source, 'LICENSE'));
  // It uses what is installed, so it is loaded once that is.
  const { withoutRelativeLinks } = await import('./stage.mjs');
  const page = join(source, 'README.md');
  await writeFile(page, withoutRelativeLinks(await readFile(page, 'utf8')));
  const project = await readFile(join(source, 'pyproject.toml'), 'utf8');
  const [, backend] = /^requires = \["([^"]+)"\]/m.exec(project) ?? [];
  const programs = await makeEnvironment(python, join(stage, 'build'), [backend]);
  const env = { ...process.env, SOURCE_DATE_EPOCH: EPOCH };
  await must(join(programs, 'python'), ['-m', 'hatchling', 'build', '--directory', destination], { env, cwd: source });
  return (await readdir(destination)).filter((name) => name.startsWith('legwork_agents-'));
}

async function must(program, args, options = {}) {
  const { code, output } = await run(program, args, options);
  if (code !== 0) throw new BootstrapError(`${[program, ...args].join(' ')}\n${output.trim()}`);
}
