// Writes the worked examples beside this file from the built package: `node generate.mjs`, after a build.
// `node generate.mjs --check` writes nothing and fails when a file differs.
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { resultHashes, taskTermsHashes, termsHashes } from './documents.mjs';
import { credentials, didDocuments, rewardClaims, signedRequests } from './identity.mjs';
import { moves, terms } from './ledger.mjs';
import { payments, routes } from './rules.mjs';

const generators = {
  'signed-request.json': signedRequests,
  'terms-hash.json': termsHashes,
  'terms.json': terms,
  'moves.json': moves,
  'task-terms-hash.json': taskTermsHashes,
  'result-hash.json': resultHashes,
  'payments.json': payments,
  'routes.json': routes,
  'credentials.json': credentials,
  'did-documents.json': didDocuments,
  'reward-claims.json': rewardClaims,
};

/** In the repository's own format, so that formatting everything leaves these files as they are. */
function format(file, json) {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const options = { input: json, encoding: 'utf8', cwd: fileURLToPath(new URL('../../..', import.meta.url)) };
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${fileURLToPath(file)}`], options);
}

async function main() {
  const isCheck = process.argv.includes('--check');
  const stale = [];
  for (const [name, generate] of Object.entries(generators)) {
    const file = new URL(name, import.meta.url);
    const text = format(file, JSON.stringify(await generate()));
    if (!isCheck) {
      await writeFile(file, text);
    } else if ((await readFile(file, 'utf8')) !== text) {
      stale.push(name);
    }
  }
  if (stale.length > 0) {
    process.stderr.write(`vectors differ from the code: ${stale.join(', ')}; build, then run vectors/generate.mjs\n`);
    process.exitCode = 1;
  }
}

await main();
