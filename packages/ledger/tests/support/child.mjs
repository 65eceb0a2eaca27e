// Runs a ledger of the built package in a process of its own, for tests that kill it. It tells its URLs on standard output.
import { startLedger } from '../../dist/index.js';

const options = JSON.parse(process.argv[2]);
const ledger = await startLedger({ port: 0, testing: true, ...options });
process.stdout.write(
  `${JSON.stringify({ rpcUrl: ledger.rpcUrl, wsUrl: ledger.wsUrl, genesisHash: ledger.genesisHash })}\n`,
);
