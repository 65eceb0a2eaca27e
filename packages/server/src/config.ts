import type { Lamports } from '@legwork/protocol/contract';
import type { ClaimWindow } from '@legwork/protocol/rules';
import type { z } from 'zod';
import type { S3Settings } from './artifacts/s3Store.js';
import { environment } from './environment.js';

type Environment = z.output<typeof environment>;

/** The settings of the service: validated, defaults filled in. */
export interface Config {
  host: string;
  port: number;
  publicUrl: string | undefined;
  /** Folder of the key and the certificate that the service speaks TLS with; undefined: it does not. */
  httpsFolder: string | undefined;
  databaseUrl: string;
  databasePool: number;
  /** How long a start waits for the database and the ledger, milliseconds. */
  startWaitMs: number;
  rpcUrl: string;
  rpcSubscriptionsUrl: string;
  cluster: Environment['SOLANA_CLUSTER'];
  programId: string;
  coordinatorKeypair: string;
  /** Tokens that listings can be paid in: their names here, and the numbers of their assets on the ledger. */
  assets: Environment['ASSETS'];
  /** Which listings are taken over from the ledger that the database does not have. */
  rebuild: Environment['REBUILD'];
  /** The default arbiter, where the terms of a package name none; undefined: they have to. */
  arbiterPubkey: string | undefined;
  /** Beside the authority of the program. */
  operators: readonly string[];
  /** True if anybody can read the state of the service. */
  operationsPublic: boolean;
  /** Folder of the keys of private parts; undefined: none are kept. */
  personalDataKeys: string | undefined;
  /** Days after the end of a listing until its personal data is erased; 0: never. */
  personalDataDays: number;
  logLevel: Environment['LOG_LEVEL'];
  /** Where spans go; undefined: nothing is traced. */
  tracing: { url: string; headers: Record<string, string>; serviceName: string; ratio: number } | undefined;
  /** Where `/metrics` is served; undefined: nowhere. */
  metrics: { host: string; port: number } | undefined;
  mcpPublicUrl: string | undefined;
  /** Addresses and ranges of proxies that are believed. */
  trustProxy: string[];
  /** Where a hole in the service is reported; undefined: nobody says. */
  securityContact: string | undefined;
  /** Origins whose pages may write. */
  corsOrigins: string[];
  /** Requests a minute, drafts an hour and airdrops a day; 0: no limit. */
  limits: Record<
    'toolCalls' | 'bids' | 'bidsPerAddress' | 'writes' | 'parts' | 'reads' | 'drafts' | 'airdrops',
    number
  >;
  /** Open at one replica; 0: no limit. */
  eventSocketsPerAddress: number;
  /** Where webhooks may lead, and how many one key and one address may have; 0: no limit. */
  webhooks: { targets: Environment['WEBHOOK_TARGETS']; perKey: number; perAddress: number };
  /** Where files of results are kept, and how many bytes of them are taken. */
  artifacts: {
    /** Undefined: in none. */
    s3: S3Settings | undefined;
    /** Used where there is no `s3`; undefined: not on a disk here either. */
    folder: string | undefined;
    /** Left free on that disk, bytes. */
    reserveBytes: number;
    /** Bytes; 0: no limit. `agent` and `address` in 24 hours. */
    limits: Record<'file' | 'task' | 'agent' | 'address', number>;
  };
  /** Which keys unsigned calls may bind. */
  unsignedCalls: 'newcomers' | 'all' | 'none';
  /** Empty: none is needed. */
  apiKeys: string[];
  /** The most that the coordinator advances. */
  sponsorCaps: { task: Lamports; poster: Lamports; ip: Lamports; day: Lamports; outstanding: Lamports };
  coordinatorReserve: Lamports;
  /** The most that the coordinator spends on reputation accounts in 24 hours. */
  newcomerBudgets: { address: Lamports; day: Lamports };
  /** The most that it spends in 24 hours on fees and token accounts of others; 0 for one of them: it pays for nobody. */
  feeBudgets: { key: Lamports; address: Lamports; day: Lamports };
  /** Legs with terms that an agent may have before it accepts one, whatever it completed; 0: no limit. */
  waitingLegs: number;
  newcomerPrior: number;
  optimizerTimeMs: number;
  airdrop: boolean;
  /** Undefined: nobody may do what is the operator's alone. */
  adminKey: string | undefined;
  /** When reward claims are taken. */
  claimWindow: ClaimWindow;
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

function claimWindow(opensAt: Date, closesAt: Date): ClaimWindow {
  if (opensAt <= closesAt) return { opensAt, closesAt };
  throw new ConfigError(
    `The configuration cannot be used. REWARD_WINDOW_CLOSES: must not be before REWARD_WINDOW_OPENS, ${opensAt.toISOString()}`,
  );
}

/** Real money is not advanced to anybody who asks. Rule S-17. */
function requireKeysForMoney({ SOLANA_CLUSTER, SPONSOR_TASK_SOL, API_KEYS }: Environment): void {
  if (SOLANA_CLUSTER !== 'mainnet-beta' || SPONSOR_TASK_SOL === 0n || API_KEYS !== undefined) return;
  throw new ConfigError(
    'The configuration cannot be used. API_KEYS is not set, so that anybody could have the coordinator spend real SOL on ' +
      'mainnet-beta: set API_KEYS, or SPONSOR_TASK_SOL=0 to fund nothing',
  );
}

/** @throws ConfigError naming every wrong variable */
function parseEnvironment(env: Record<string, string | undefined>): Environment {
  const parsed = environment.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path, message }) => {
    const name = path.join('.');
    return env[name] === undefined || env[name] === '' ? `${name} is not set` : `${name}: ${message}`;
  });
  throw new ConfigError(`The configuration cannot be used. ${lines.join('; ')}`);
}

function limitsOf(given: Environment): Config['limits'] {
  return {
    toolCalls: given.LIMIT_TOOL_CALLS,
    bids: given.LIMIT_BIDS,
    bidsPerAddress: given.LIMIT_BIDS_PER_ADDRESS,
    writes: given.LIMIT_WRITES,
    parts: given.LIMIT_PARTS,
    reads: given.LIMIT_READS,
    drafts: given.LIMIT_DRAFTS,
    airdrops: given.LIMIT_AIRDROPS,
  };
}

function s3Of(given: Environment): S3Settings | undefined {
  const {
    S3_BUCKET: bucket,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = given;
  if (bucket === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new ConfigError(
      'The configuration cannot be used. S3_BUCKET needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY: set both',
    );
  }
  const endpoint = given.S3_ENDPOINT?.replace(/\/$/, '') ?? `https://s3.${region}.amazonaws.com`;
  return { endpoint, bucket, region, accessKeyId, secretAccessKey };
}

/** As OpenTelemetry has it: the address of everything, to which the path of traces is added, or that of traces as it is. */
function tracingOf(given: Environment): Config['tracing'] {
  const everything = given.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, '');
  const url = given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (everything && `${everything}/v1/traces`);
  if (url === undefined) return undefined;
  const { OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_SERVICE_NAME: serviceName, OTEL_TRACES_SAMPLER_ARG: ratio } = given;
  return { url, headers, serviceName, ratio };
}

const MIB = 1024 * 1024;

function artifactsOf(given: Environment): Config['artifacts'] {
  return {
    s3: s3Of(given),
    folder: given.ARTIFACTS_DIR,
    reserveBytes: given.ARTIFACTS_RESERVE_MIB * MIB,
    limits: {
      file: given.LIMIT_ARTIFACT_MIB * MIB,
      task: given.LIMIT_ARTIFACTS_TASK_MIB * MIB,
      agent: given.LIMIT_ARTIFACTS_AGENT_MIB * MIB,
      address: given.LIMIT_ARTIFACTS_ADDRESS_MIB * MIB,
    },
  };
}

function sponsorCapsOf(given: Environment): Config['sponsorCaps'] {
  return {
    task: given.SPONSOR_TASK_SOL,
    poster: given.SPONSOR_POSTER_SOL,
    ip: given.SPONSOR_IP_SOL,
    day: given.SPONSOR_DAY_SOL,
    outstanding: given.SPONSOR_OUTSTANDING_SOL,
  };
}

/** Reads and checks the environment. @throws ConfigError naming every wrong variable. */
export function loadConfig(env: Record<string, string | undefined>): Config {
  const given = parseEnvironment(env);
  requireKeysForMoney(given);
  return {
    host: given.HOST,
    port: given.PORT,
    publicUrl: given.PUBLIC_URL?.replace(/\/$/, ''),
    httpsFolder: given.HTTPS_DIR,
    databaseUrl: given.DATABASE_URL,
    databasePool: given.DATABASE_POOL,
    startWaitMs: given.START_WAIT_SEC * 1000,
    rpcUrl: given.SOLANA_RPC_URL,
    rpcSubscriptionsUrl: given.SOLANA_WS_URL ?? subscriptionsUrl(given.SOLANA_RPC_URL),
    cluster: given.SOLANA_CLUSTER,
    programId: given.RELAY_PROGRAM_ID,
    coordinatorKeypair: given.COORDINATOR_KEYPAIR,
    assets: given.ASSETS,
    rebuild: given.REBUILD,
    arbiterPubkey: given.ARBITER_PUBKEY,
    operators: given.OPERATORS,
    operationsPublic: given.OPERATIONS_PUBLIC === 'on',
    personalDataKeys: given.PERSONAL_DATA_KEYS,
    personalDataDays: given.PERSONAL_DATA_DAYS,
    logLevel: given.LOG_LEVEL,
    tracing: tracingOf(given),
    metrics: given.METRICS_PORT === undefined ? undefined : { host: given.METRICS_HOST, port: given.METRICS_PORT },
    mcpPublicUrl: given.MCP_PUBLIC_URL?.replace(/\/$/, ''),
    trustProxy: given.TRUST_PROXY ?? [],
    securityContact: given.SECURITY_CONTACT,
    corsOrigins: (given.CORS_ORIGINS ?? []).map((origin) => new URL(origin).origin),
    limits: limitsOf(given),
    eventSocketsPerAddress: given.LIMIT_EVENT_SOCKETS,
    webhooks: {
      targets: given.WEBHOOK_TARGETS,
      perKey: given.LIMIT_WEBHOOKS,
      perAddress: given.LIMIT_WEBHOOKS_PER_ADDRESS,
    },
    artifacts: artifactsOf(given),
    unsignedCalls: given.UNSIGNED_CALLS ?? (given.SOLANA_CLUSTER === 'mainnet-beta' ? 'none' : 'newcomers'),
    apiKeys: given.API_KEYS ?? [],
    sponsorCaps: sponsorCapsOf(given),
    coordinatorReserve: given.COORDINATOR_RESERVE_SOL,
    newcomerBudgets: { address: given.NEWCOMER_IP_SOL, day: given.NEWCOMER_DAY_SOL },
    feeBudgets: { key: given.FEES_KEY_SOL, address: given.FEES_IP_SOL, day: given.FEES_DAY_SOL },
    waitingLegs: given.LIMIT_WAITING_LEGS,
    newcomerPrior: given.NEWCOMER_PRIOR,
    optimizerTimeMs: given.OPTIMIZER_TIME_MS,
    airdrop: given.AIRDROP === 'on',
    adminKey: given.ADMIN_KEY,
    claimWindow: claimWindow(given.REWARD_WINDOW_OPENS, given.REWARD_WINDOW_CLOSES),
  };
}
