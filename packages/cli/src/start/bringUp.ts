import { loadOrCreateKeypair } from '@legwork/ledger';
import { createSolanaRpc, lamports } from '@solana/kit';
import { arbiterKeyFile, personalDataKeysFolder } from '../paths.js';
import { LedgerProcess } from './ledgerProcess.js';
import { join } from 'node:path';
import { type Postgres, startPostgres } from '@legwork/postgres';
import { isLoopback, loadConfig, openLog, type RunningServer, startServer } from '@legwork/server';
import { type Logger, pino } from 'pino';
import type { Closers } from '../closers.js';
import { openDataFolder } from './dataFolder.js';
import { chooseHttpPort, requireFreePort } from './httpPort.js';
import { type Instance, removeInstance, writeInstance } from './instanceFile.js';

/** The funds that the key gets to pay fees with. */
const FUNDS = lamports(1_000_000_000n);

/**
 * The arbiter of disputes on a ledger of this machine: a key in the data folder, made
 * where there is none, that `legwork arbiter` signs with. The service gets its address.
 *
 * @returns the service's setting; none where the ledger is elsewhere, or the environment names somebody
 */
async function arbiterOf(ledger: LedgerProcess | undefined, dataDir: string): Promise<Record<string, string>> {
  if (!ledger || process.env['ARBITER_PUBKEY']) return {};
  const { address } = await loadOrCreateKeypair(arbiterKeyFile(dataDir));
  const rpc = createSolanaRpc(ledger.facts.rpcUrl);
  const { value } = await rpc.getBalance(address, { commitment: 'confirmed' }).send();
  if (value === 0n) await rpc.requestAirdrop(address, FUNDS, { commitment: 'confirmed' }).send();
  return { ARBITER_PUBKEY: address };
}

/** Solana's own for JSON-RPC. */
export const USUAL_LEDGER_PORT = 8899;

/** The options of `legwork start`. */
export interface StartOptions {
  readonly ephemeral: boolean;
  readonly port?: number;
  readonly data?: string;
  readonly ledgerPort?: number;
  readonly testing: boolean;
  /** True if it speaks TLS, on every network of this machine. */
  readonly https: boolean;
  /** Whether where it is is told as one line of JSON, and nothing else is. */
  readonly json: boolean;
}

/** The parts that run after a start. */
export interface Running {
  readonly instance: Instance;
  /** `undefined` when SOLANA_RPC_URL names a cluster. */
  readonly ledger: LedgerProcess | undefined;
  readonly log: Logger;
  /** Where others on the network reach it by TLS. */
  readonly secure: RunningServer['secure'];
}

/**
 * Starts what the environment does not provide, each part after those it needs.
 *
 * @param closers - gets everything that was opened, also when the start fails
 * @param tell - called with a line for the screen at each step
 * @param signal - stops the start
 */
export async function bringUp(
  options: StartOptions,
  closers: Closers,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<Running> {
  const host = process.env['HOST'] ?? (options.https ? '0.0.0.0' : '127.0.0.1');
  const port = chooseHttpPort(options.port, options.ephemeral);
  const dataDir = await openDataFolder(options.ephemeral ? undefined : (options.data ?? '.data'), closers);
  await requireFreePort(host, port);
  await removeInstance(dataDir);
  const logFile = openLog(join(dataDir, 'service.log'));
  const log = pino({ base: null }, logFile);
  const { postgres, ledger } = await startKeepers(options, dataDir, log, closers, tell);
  signal.throwIfAborted();
  tell('Starting the service ...');
  const here = { ...(await arbiterOf(ledger, dataDir)), ...derived(postgres, ledger), HOST: host, PORT: String(port) };
  const usual = {
    PERSONAL_DATA_KEYS: personalDataKeysFolder(dataDir),
    ARTIFACTS_DIR: join(dataDir, 'artifacts'),
    // Demos, agents and browsers of one machine have one address.
    ...(isLoopback(host) && { LIMIT_READS: '6000' }),
  };
  const secured = options.https ? { HTTPS_DIR: join(dataDir, 'https') } : {};
  const config = loadConfig({ ...usual, ...secured, ...process.env, ...here });
  const server = await startServer(config, { logTo: logFile, tell, signal });
  closers.add('The service', () => server.close());
  const { url, mcpUrl, wsUrl, programId, coordinatorPubkey } = server;
  const { rpcUrl, rpcSubscriptionsUrl, arbiterPubkey = null } = config;
  const where = { url, mcpUrl, wsUrl, rpcUrl, rpcSubscriptionsUrl, programId, coordinatorPubkey, arbiterPubkey };
  const instance = { ...where, dataDir, pid: process.pid };
  await writeInstance(instance);
  closers.add('instance.json', () => removeInstance(dataDir));
  return { instance, ledger, log, secure: server.secure };
}

/** PostgreSQL and the ledger do not need each other, so they start in parallel. */
async function startKeepers(
  options: StartOptions,
  dataDir: string,
  log: Logger,
  closers: Closers,
  tell: (line: string) => void,
): Promise<{ postgres: Postgres | undefined; ledger: LedgerProcess | undefined }> {
  const needPostgres = !process.env['DATABASE_URL'];
  const needLedger = !process.env['SOLANA_RPC_URL'];
  if (needPostgres) tell('Starting PostgreSQL ...');
  if (needLedger) tell('Starting the ledger ...');
  const [postgres, ledger] = await Promise.allSettled([
    needPostgres ? startPostgres({ dataDir, log: (line) => log.info(line) }) : undefined,
    needLedger ? startLedger(options, dataDir, log) : undefined,
  ]);
  if (postgres.status === 'fulfilled') {
    const { value } = postgres;
    closers.add(
      'PostgreSQL',
      () => value?.stop(),
      () => value?.kill(),
    );
  }
  if (ledger.status === 'fulfilled') {
    const { value } = ledger;
    closers.add(
      'The ledger',
      () => value?.close(),
      () => value?.kill(),
    );
  }
  if (postgres.status === 'rejected') throw postgres.reason;
  if (ledger.status === 'rejected') throw ledger.reason;
  return { postgres: postgres.value, ledger: ledger.value };
}

function startLedger(options: StartOptions, dataDir: string, log: Logger): Promise<LedgerProcess> {
  return LedgerProcess.start({
    dataDir,
    port: options.ledgerPort ?? (options.ephemeral ? 0 : USUAL_LEDGER_PORT),
    portFallback: options.ledgerPort === undefined,
    testing: options.testing,
    log,
  });
}

/** Settings for the service, from what was started here. */
function derived(postgres: Postgres | undefined, ledger: LedgerProcess | undefined): Record<string, string> {
  const settings: Record<string, string> = {};
  if (postgres) settings['DATABASE_URL'] = postgres.connectionString;
  if (!ledger) return settings;
  const { rpcUrl, wsUrl, programAddress, coordinatorKeypairPath } = ledger.facts;
  settings['SOLANA_RPC_URL'] = rpcUrl;
  settings['SOLANA_WS_URL'] = wsUrl;
  settings['SOLANA_CLUSTER'] = 'embedded';
  settings['RELAY_PROGRAM_ID'] = programAddress;
  settings['COORDINATOR_KEYPAIR'] = coordinatorKeypairPath;
  return settings;
}
