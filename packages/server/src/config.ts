import { isAddress } from '@solana/kit';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);
const url = z.url();

/**
 * Every environment variable the service reads. The text of each is its documentation, and becomes
 * docs/operators/configuration.md. Unknown variables are ignored, an empty one counts as not set; a wrong value stops
 * the start with a sentence that names it.
 */
export const environment = z.object({
  HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on. 0.0.0.0 opens the service to the network.'),
  PORT: port.default(8080).describe('HTTP port; 0 takes any free one.'),
  PUBLIC_URL: url
    .optional()
    .describe('The address clients use, when it is not http://HOST:PORT. Signed requests name its host.'),
  DATABASE_URL: z
    .string()
    .min(1)
    .describe('PostgreSQL connection string. `agent-relay start` fills it in with the bundled one.'),
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(10).describe('Most connections to PostgreSQL.'),
  SOLANA_RPC_URL: url.describe(
    'JSON-RPC of the cluster. `GET /config` shows it to everybody, so it must not hold a key. ' +
      "`agent-relay start` fills it in with the embedded ledger's.",
  ),
  SOLANA_WS_URL: url
    .optional()
    .describe(
      'WebSocket of the cluster; without it: SOLANA_RPC_URL with ws and, where that names a port, the next one.',
    ),
  SOLANA_CLUSTER: z
    .enum(['embedded', 'localnet', 'devnet', 'testnet', 'mainnet-beta'])
    .default('localnet')
    .describe(
      'The name shown to clients and used for explorer links. `agent-relay start` says embedded where it starts the ledger.',
    ),
  RELAY_PROGRAM_ID: z
    .string()
    .refine(isAddress, 'must be the base58 address of a program')
    .describe("Address of the deployed program. `agent-relay start` fills it in with the embedded ledger's."),
  COORDINATOR_KEYPAIR: z
    .string()
    .min(1)
    .describe(
      'File with the hot key of the coordinator: 64 numbers, as solana-keygen writes. ' +
        "`agent-relay start` fills it in with the embedded ledger's.",
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('The least severe entries that are logged.'),
  METRICS_PORT: port
    .optional()
    .describe(
      'Port of `/metrics` for Prometheus, on 127.0.0.1 alone; 0 takes any free one, which the log names. Without it: none.',
    ),
  NEWCOMER_PRIOR: z.coerce
    .number()
    .int()
    .min(0)
    .max(100)
    .default(50)
    .describe('Score in percent assumed for an agent without history; never counts above 60.'),
  OPTIMIZER_TIME_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .default(1000)
    .describe('Longest search for the best chain of bids, in milliseconds.'),
  AIRDROP: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether registering asks the faucet of the cluster for 1 SOL. Meaningless on mainnet.'),
});

/** What the service runs with: validated, defaults filled in. */
export interface Config {
  host: string;
  port: number;
  publicUrl: string | undefined;
  databaseUrl: string;
  databasePool: number;
  rpcUrl: string;
  rpcSubscriptionsUrl: string;
  cluster: z.output<typeof environment>['SOLANA_CLUSTER'];
  programId: string;
  coordinatorKeypair: string;
  logLevel: z.output<typeof environment>['LOG_LEVEL'];
  /** Where `/metrics` is served on loopback; undefined: nowhere. */
  metricsPort: number | undefined;
  newcomerPrior: number;
  optimizerTimeMs: number;
  airdrop: boolean;
}

/** A setting that cannot be used; the message names the variable and what would be right. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

function subscriptionsUrl(rpcUrl: string): string {
  const derived = new URL(rpcUrl);
  derived.protocol = derived.protocol === 'https:' ? 'wss:' : 'ws:';
  if (derived.port !== '') derived.port = String(Number(derived.port) + 1);
  return derived.href;
}

/** Reads and checks the environment. @throws ConfigError naming every wrong variable. */
export function loadConfig(env: Record<string, string | undefined>): Config {
  const parsed = environment.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => {
      const name = path.join('.');
      return env[name] === undefined || env[name] === '' ? `${name} is not set` : `${name}: ${message}`;
    });
    throw new ConfigError(`The configuration cannot be used. ${lines.join('; ')}`);
  }
  const given = parsed.data;
  return {
    host: given.HOST,
    port: given.PORT,
    publicUrl: given.PUBLIC_URL?.replace(/\/$/, ''),
    databaseUrl: given.DATABASE_URL,
    databasePool: given.DATABASE_POOL,
    rpcUrl: given.SOLANA_RPC_URL,
    rpcSubscriptionsUrl: given.SOLANA_WS_URL ?? subscriptionsUrl(given.SOLANA_RPC_URL),
    cluster: given.SOLANA_CLUSTER,
    programId: given.RELAY_PROGRAM_ID,
    coordinatorKeypair: given.COORDINATOR_KEYPAIR,
    logLevel: given.LOG_LEVEL,
    metricsPort: given.METRICS_PORT,
    newcomerPrior: given.NEWCOMER_PRIOR,
    optimizerTimeMs: given.OPTIMIZER_TIME_MS,
    airdrop: given.AIRDROP === 'on',
  };
}
