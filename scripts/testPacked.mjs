// `npm run test:packed`: packs, installs the tarballs outside the project as a stranger does, and uses them there.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { ensureInstalled, orExplain, root } from './bootstrap.mjs';
import { folderBytes, install, playPrinted, runIn } from './packed/consumer.mjs';
import { testPython } from './packed/python.mjs';

const MB = 1024 * 1024;
/** Budgets of the SDK: with its dependencies on disk, and compressed in a page. */
const SDK_BYTES = 25 * MB;
const PAGE_BYTES = 146 * 1024;
const SDK = ['sdk', 'protocol', 'program-client', 'kit'].map((name) => `legwork-${name}-`);

const LEDGER = ['ledger', 'kit'].map((name) => `legwork-${name}-`);
const VITEST = 'vitest@4.1.12';

const packed = join(root, 'packed');
const scratch = await mkdtemp(join(tmpdir(), 'legwork-packed-'));
const say = (line) => process.stdout.write(`${line}\n`);

/** What npm would say when each is published. */
async function publishes(tarballs) {
  for (const tarball of tarballs) {
    const { output } = await runIn(scratch, 'npm', ['publish', '--dry-run', tarball]);
    const warnings = output.split('\n').filter((line) => /npm (warn|error)/i.test(line) && !/logged in/.test(line));
    assert.deepEqual(warnings, [], `npm publish ${tarball}`);
  }
  say(`ok  ${tarballs.length} tarballs can be published`);
}

/** The SDK by itself: its size, its types under two compilers, its weight in a page. */
async function testSdk(tarballs) {
  const folder = join(scratch, 'sdk');
  await install(
    folder,
    tarballs.filter((path) => SDK.some((name) => path.includes(name))),
  );
  const bytes = await folderBytes(join(folder, 'node_modules'));
  assert.ok(bytes <= SDK_BYTES, `the SDK takes ${bytes} bytes`);
  say(`ok  the SDK with its dependencies: ${(bytes / MB).toFixed(1)} MB`);
  await weighPage(folder);
  await install(folder, ['typescript@5.9.3', '@types/node@20.19.43']);
  await compile(folder);
  return folder;
}

/** The SDK from one address, with what it needs of ours inside. */
async function testAlone() {
  const folder = join(scratch, 'alone');
  const [tarball = ''] = await readdir(join(packed, 'alone'));
  await install(folder, [join(packed, 'alone', tarball)]);
  const use =
    "const { formatSol, createLegworkClient } = await import('@legwork/sdk'); console.log(formatSol(1n), typeof createLegworkClient)";
  const { output } = await runIn(folder, process.execPath, ['--input-type=module', '-e', use]);
  assert.equal(output.trim(), '0.000000001 function');
  say(`ok  ${tarball} installs alone`);
}

async function weighPage(folder) {
  const { rolldown } = await import('rolldown');
  await cp(join(root, 'scripts/packed/page.js'), join(folder, 'page.js'));
  const define = { 'process.env.NODE_ENV': '"production"' };
  const build = await rolldown({ cwd: folder, input: 'page.js', platform: 'browser', transform: { define } });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
  await build.close();
  await writeFile(join(folder, 'bundle.js'), output[0].code);
  // What a page over https has.
  globalThis.isSecureContext = true;
  const { formatSol, generateKeyPairSigner } = await import(join(folder, 'bundle.js'));
  assert.equal(formatSol(1n), '0.000000001');
  assert.match((await generateKeyPairSigner()).address, /^\w{32,44}$/);
  const bytes = gzipSync(output[0].code).length;
  assert.ok(bytes <= PAGE_BYTES, `the SDK takes ${bytes} bytes of a page`);
  say(`ok  the SDK in a page: ${(bytes / 1024).toFixed(1)} KB compressed`);
}

/** With the library's declarations checked as well; the second file with the kit of the project in place of a consumer's own. */
async function compile(folder) {
  for (const file of ['agent.ts', 'ownKit.ts']) await cp(join(root, 'scripts/packed', file), join(folder, file));
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    types: ['node'],
  };
  const kit = join(root, 'node_modules/@solana/kit/dist/types/index.d.ts');
  const configs = {
    'agent.json': { compilerOptions, files: ['agent.ts'] },
    'own-kit.json': {
      compilerOptions: { ...compilerOptions, skipLibCheck: true, paths: { '@solana/kit': [kit] } },
      files: ['ownKit.ts'],
    },
  };
  for (const compiler of [join(folder, 'node_modules'), join(root, 'node_modules')]) {
    const tsc = join(compiler, 'typescript/bin/tsc');
    const { output: version } = await runIn(folder, process.execPath, [tsc, '--version']);
    for (const [name, config] of Object.entries(configs)) {
      await writeFile(join(folder, name), JSON.stringify(config));
      const { code, output } = await runIn(folder, process.execPath, [tsc, '-p', name, '--noEmit']);
      assert.equal(code, 0, `tsc -p ${name}, ${version}${output}`);
    }
    say(`ok  an agent, and one with a kit of its own, compile with TypeScript ${version.trim()}`);
  }
  await runIn(folder, process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-p', 'agent.json']);
}

/** The ledger by itself: a suite of somebody else, and its own command in an empty folder. */
async function testLedger(tarballs) {
  const own = tarballs.filter((path) => LEDGER.some((name) => path.includes(name)));
  const suite = join(scratch, 'suite');
  await install(suite, [...own, VITEST]);
  await cp(join(root, 'scripts/packed/ledger.test.ts'), join(suite, 'ledger.test.ts'));
  const { code, output } = await runIn(suite, 'npx', ['vitest', 'run']);
  assert.equal(code, 0, output);
  assert.match(output, /2 passed/);
  say("ok  somebody else's suite runs on a ledger of its own");
  const folder = join(scratch, 'npx');
  await mkdir(folder);
  const packages = own.flatMap((tarball) => ['--package', tarball]);
  const ledger = start(folder, 'npx', ['--yes', ...packages, 'legwork-ledger', '--port', '0'], { detached: true });
  try {
    await ledger.shows(/RPC +(http\S+)/);
  } finally {
    // As Ctrl-C does: to npx and what it runs.
    if (ledger.child.pid !== undefined) process.kill(-ledger.child.pid, 'SIGINT');
    await ledger.ended;
  }
  assert.deepEqual(await readdir(folder), ['.ledger'], ledger.output());
  say('ok  npx @legwork/ledger starts in an empty folder');
}

/** The command: a service of its own, on which the agent carries what a new shipper ships. */
async function testCommand(tarballs, agent) {
  const folder = join(scratch, 'command');
  await install(folder, tarballs);
  const legwork = join(folder, 'node_modules/.bin/legwork');
  await cp(agent, join(folder, 'agent.js'));
  const started = performance.now();
  const service = start(folder, legwork, ['start', '--ephemeral', '--port', '0', '--ledger-port', '0']);
  try {
    const [, url] = await service.shows(/Service +(http\S+)/);
    say(`ok  legwork start: ready after ${((performance.now() - started) / 1000).toFixed(1)} s`);
    await testDashboard(url);
    await testProjects(folder, legwork, url);
    assert.doesNotMatch(service.output(), /warn/i);
  } finally {
    service.child.kill('SIGTERM');
    assert.equal(await service.ended, 0, service.output());
  }
  return legwork;
}

/** The shell with all that it names. */
async function testDashboard(url) {
  const shell = await (await fetch(url)).text();
  const assets = [...shell.matchAll(/(?:src|href)="(\.\/assets\/[^"]+)"/g)].map(([, path]) => path);
  assert.ok(assets.length >= 3, shell);
  for (const path of assets) {
    const { status, headers } = await fetch(new URL(path, `${url}/`));
    assert.equal(status, 200, path);
    if (path.endsWith('.js')) assert.match(headers.get('content-encoding') ?? 'none', /br|gzip/, path);
  }
  say('ok  the dashboard is served');
}

/** New projects, as they are: a shipper ships twice, first the agent carries, then a courier by its policy. */
async function testProjects(folder, legwork, url) {
  for (const kind of ['worker', 'courier', 'shipper']) {
    const { code, output } = await runIn(folder, legwork, ['init', kind, kind, '--url', url]);
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /warn/i);
  }
  const home = join(folder, 'shipper');
  const shipped = async (program, args) => {
    const shipper = start(home, program, args);
    const ended = shipper.ended.then(() => true);
    const played = new Set();
    while (!(await Promise.race([ended, pause(500)]))) await playPrinted(home, shipper.output(), played);
    assert.match(shipper.output(), /delivered; 0\.\d+ SOL came back/);
  };
  assert.equal((await runIn(home, 'npx', ['legwork', 'register'])).code, 0);
  const agent = start(folder, process.execPath, ['agent.js', url, 'worker/key.json']);
  await agent.shows(/looks for work/);
  const post = ['post', 'package', '--from', '52.52,13.39', '--to', '52.5,13.46', '--what', 'books', '--kg', '4'];
  await shipped('npx', ['legwork', ...post, '--litres', '20', '--budget', '0.3', '--terms', 'plain', '--wait']);
  assert.equal(await agent.ended, 0, agent.output());
  assert.match(agent.output(), /delivered; the wallet has 1\.\d+ SOL, 0\.\d+ of them earned/);
  say('ok  the agent carries what a new shipper ships, and is paid');
  const courier = start(join(folder, 'courier'), legwork, ['courier']);
  const taken = new Set();
  const taking = setInterval(() => void playPrinted(join(folder, 'courier'), courier.output(), taken), 500);
  await shipped('npm', ['start']);
  clearInterval(taking);
  courier.child.kill('SIGTERM');
  assert.equal(await courier.ended, 0, courier.output());
  say('ok  a new courier carries by its policy');
}

/** A program that goes on. */
function start(cwd, program, args, options = {}) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  const shows = (wanted) =>
    new Promise((resolve, reject) => {
      const look = () => wanted.test(output) && resolve(wanted.exec(output));
      child.stdout.on('data', look);
      look();
      void ended.then(() => reject(new Error(`${program} ${args.join(' ')} ended: ${output}`)), reject);
    });
  return { child, ended, shows, output: () => output };
}

await orExplain(async () => {
  await ensureInstalled();
  try {
    const { code, output } = await runIn(root, process.execPath, ['scripts/pack.mjs']);
    assert.equal(code, 0, output);
    const tarballs = (await readdir(packed)).filter((name) => name.endsWith('.tgz')).map((name) => join(packed, name));
    await publishes(tarballs);
    await testLedger(tarballs);
    const sdk = await testSdk(tarballs);
    await testAlone();
    const legwork = await testCommand(tarballs, join(sdk, 'agent.js'));
    await testPython(scratch, legwork, (...program) => start(scratch, ...program));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
});
