// Runs a ledger with the relay program, of the built packages, in a process of its own, for tests that kill it.
import { startLedger } from '../../../ledger/dist/index.js';
import { relayGenesis } from '../../dist/index.js';

const genesis = relayGenesis(new URL('../../../../program/dist/relay.so', import.meta.url).pathname);
const { rpcUrl, wsUrl, genesisHash } = await startLedger({ port: 0, genesis, ...JSON.parse(process.argv[2]) });
process.stdout.write(`${JSON.stringify({ rpcUrl, wsUrl, genesisHash })}\n`);
