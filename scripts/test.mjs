// `npm test`: the tests from a bare clone, but for the slow lane, which `npm run test:slow` runs. Arguments go to vitest:
// `npm test -- packages/ledger`.
import { ensureBuilt, ensureInstalled, orExplain } from './bootstrap.mjs';

/** A file that fails outside its tests (while loading, in a hook) and an error outside all files count as failures. */
function count(modules, errorsOutside) {
  const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
  const broken = modules.filter(
    (module) => module.state() === 'failed' && ![...module.children.allTests('failed')].length,
  );
  const of = (...wanted) => states.filter((state) => wanted.includes(state)).length;
  return {
    passed: of('passed'),
    failed: of('failed') + broken.length + errorsOutside,
    skipped: of('skipped', 'pending'),
  };
}

await orExplain(async () => {
  await ensureInstalled();
  await ensureBuilt();
  process.env.NODE_ENV ??= 'test';
  const { parseCLI, startVitest } = await import('vitest/node');
  const args = process.argv.slice(2);
  if (args[0] === '--slow') {
    args.shift();
    process.env.LEGWORK_TEST_LANE = 'slow';
  }
  const { filter, options } = parseCLI(['vitest', 'run', ...args]);
  const vitest = await startVitest('test', filter, options);
  await vitest.close();
  const { passed, failed, skipped } = count(vitest.state.getTestModules(), vitest.state.getUnhandledErrors().length);
  // An error before any test, such as no matching file, shows only in the exit code.
  const failures = failed === 0 && process.exitCode ? 1 : failed;
  process.stdout.write(`\n${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  process.exit(failures > 0 ? 1 : 0);
});
