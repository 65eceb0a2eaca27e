// `npm run parity`: how far the local ledger answers as Agave 4.2 does. Starts our ledger and a validator, plays the same scene on
// both and compares. Exits 1 on a difference that neither differences.mjs nor gaps.json knows. README.md beside it says more.
import { parseArgs } from 'node:util';
import { ensureBuilt, ensureInstalled, orExplain } from '../../../scripts/bootstrap.mjs';

const HELP = `npm run parity -- [options]
  --only PARTS     of methods,seeded,clients; all by default
  --clients NAMES  of kit,web3.js,anchor,spl-token,solana command,solana-py; all that are there by default
  --seed NUMBER    of the seeded calls; 1 by default
  --count NUMBER   of the seeded calls; 10000 by default
  --gaps           writes gaps.json and the table of the ledger's README: what is different today
  --record         writes recorded.json: what the validator answers
  --verbose        shows both answers under each difference
The validator is the program that RELAY_PARITY_VALIDATOR names, or the node at RELAY_TEST_RPC_URL; without either, answers are
compared with recorded.json. The command \`solana\` is the program that RELAY_PARITY_SOLANA names; solana-py's
own integration tests run with the Python (3.11 or newer) that RELAY_PARITY_PYTHON names.`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'methods,seeded,clients' },
    clients: { type: 'string' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '10000' },
    gaps: { type: 'boolean' },
    record: { type: 'boolean' },
    verbose: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
// Clients complain there about what their checks find out anyway, and about native parts that are left out.
console.warn = () => undefined;
console.error = () => undefined;
const say = (line) => process.stdout.write(`${line}\n`);

async function main() {
  await ensureInstalled();
  await ensureBuilt();
  // Only now: it imports what was just installed and built.
  const { compareTargets } = await import('./compareTargets.mjs');
  const { nodeAt, startOurs, startValidator } = await import('./targets.mjs');
  const { RELAY_PARITY_VALIDATOR: path, RELAY_TEST_RPC_URL: url, RELAY_TEST_WS_URL: wsUrl } = process.env;
  const node = path ? await startValidator(path) : url ? nodeAt(url, wsUrl) : undefined;
  const ours = await startOurs();
  try {
    say(
      node === undefined
        ? 'No validator: our answers against the recorded ones.'
        : `Our answers against those of ${node.rpcUrl}.`,
    );
    const parts = new Set(options.only.split(','));
    const wrong = await compareTargets({ ours, node, parts, options, say });
    process.exitCode = wrong === 0 ? 0 : 1;
  } finally {
    await ours.close();
    await node?.close();
  }
}

if (options.help) say(HELP);
else await orExplain(main);
// Clients may keep sockets and timers.
process.exit();
