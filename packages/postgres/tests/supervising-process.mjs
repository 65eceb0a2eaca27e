// A process that supervises a PostgreSQL until it is told to stop or killed. It runs the sources, like the tests.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const source = fileURLToPath(new URL('../src/index.ts', import.meta.url));
const [dataDir] = process.argv.slice(2);
// Ctrl-C is for the service to handle in its own time.
process.on('SIGINT', () => process.send('interrupted'));
const { module } = await runnerImport(source, { configFile: false, logLevel: 'error' });
process.send('starting');
const postgres = await module.startPostgres({ dataDir });
process.send({ connectionString: postgres.connectionString, adopted: postgres.adopted });
await once(process, 'message');
await postgres.stop();
process.disconnect();
