// A folder outside the project, in which our packages are installed as a stranger installs them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isHiccup } from '../bootstrap.mjs';

const TRIES = 3;
/** About the settings of this machine, not about what is installed. */
const OF_THE_MACHINE = /Unknown \w+ config/;

/** Runs a program to its end; with everything it printed. */
export function runIn(cwd, program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', reject);
    child.once('close', (code) => {
      const lines = output.split('\n').filter((line) => !OF_THE_MACHINE.test(line));
      resolve({ code, output: lines.join('\n') });
    });
  });
}

/** Installs packages into a folder, a new one if there is none; npm must have nothing to warn of. */
export async function install(folder, packages) {
  await mkdir(folder, { recursive: true });
  const manifest = { name: 'consumer', version: '1.0.0', private: true, type: 'module' };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest), { flag: 'wx' }).catch(() => undefined);
  for (let attempt = 1; ; attempt += 1) {
    const { code, output } = await runIn(folder, 'npm', [
      'install',
      '--loglevel=warn',
      '--no-audit',
      '--no-fund',
      ...packages,
    ]);
    if (code !== 0 && isHiccup(output) && attempt < TRIES) continue;
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /warn|deprecated/i);
    return;
  }
}

const SIGNING = /(?:npx )?legwork (?:move take|handoff) [\da-f-]{36}(?: --\S+ [^\s"\\]+)*/g;

/**
 * The commands by which a person signs for a parcel, run in the folder where they were printed, each once and as printed.
 *
 * @param printed everything that was printed so far
 * @param played those that were run already; new ones are added
 */
export async function playPrinted(folder, printed, played) {
  const commands = new Set(printed.match(SIGNING) ?? []);
  for (const command of commands) {
    if (played.has(command)) continue;
    played.add(command);
    const { code, output } = await runIn(folder, 'sh', ['-c', command]);
    assert.equal(code, 0, `${command}: ${output}`);
  }
}

/** What a folder takes on disk, in bytes, as `du` counts. */
export async function folderBytes(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries.map(async (entry) => (await lstat(join(entry.parentPath, entry.name))).blocks),
  );
  return sizes.reduce((sum, blocks) => sum + blocks * 512, 0);
}
