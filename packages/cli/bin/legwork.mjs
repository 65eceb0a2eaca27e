#!/usr/bin/env node
import { readdirSync, statSync } from 'node:fs';

// Before anything is loaded that an older one cannot read.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `legwork needs Node 20.19 or newer, and this is ${process.versions.node}: get one at https://nodejs.org.`,
  );
  process.exit(2);
}

const at = (path) => new URL(path, import.meta.url);
const changed = (path) => statSync(at(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** A clone has the command in one piece as well, which starts sooner; it serves while nothing that it was made of is newer. */
function isBundled() {
  const bundled = changed('../bundle/runCli.js');
  if (bundled === 0) return false;
  const compiled = readdirSync(at('../..')).map((name) => `../../${name}/dist/.tsbuildinfo`);
  return ['../../../node_modules/.package-lock.json', ...compiled].every((path) => changed(path) < bundled);
}

const { runCli } = await import(isBundled() ? '../bundle/runCli.js' : '../dist/runCli.js');
await runCli(process.argv);
