// A supervisor of the bundled PostgreSQL in a process of its own, so that it can be killed: node postgres.mjs <folder>
import { startPostgres } from '@legwork/postgres';

const postgres = await startPostgres({
  dataDir: process.argv[2],
  log: (line) => process.stderr.write(`${line}\n`),
});
process.once('SIGTERM', () => void postgres.stop().then(() => process.exit(0)));
process.stdout.write(`ready ${postgres.connectionString}\n`);
