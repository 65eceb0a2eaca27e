import type { NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Keeper } from './keeper.js';
import { CAPS } from './people.js';
import type { WIRES } from './troubles.js';
import { Wire } from './wire.js';

/** The command of a checkout that is built, as a path there. */
const BIN = 'packages/cli/bin/legwork.mjs';
export const COMMAND = fileURLToPath(new URL(`../${BIN}`, import.meta.url));
const CLOCK = new URL('clock.mjs', import.meta.url).href;
/** More than a soak posts. */
const SPONSORED_SOL = '100000';

/** The network of a service, by what it leads to. */
export type Wires = Readonly<Record<(typeof WIRES)[number], Wire>>;

/** @param port - of the service; @param database - where PostgreSQL listens */
export async function layWires(port: number, nodePort: number, database: () => NetConnectOpts): Promise<Wires> {
  const host = '127.0.0.1';
  return {
    database: await Wire.start(database),
    node: await Wire.start(() => ({ host, port: nodePort })),
    clients: await Wire.start(() => ({ host, port })),
  };
}

/** What a service is told. */
interface ServiceOptions {
  readonly port: number;
  /** As clients reach it. */
  readonly url: string;
  readonly wires: Wires;
  /** Its name, as the path of a connection string. */
  readonly database: string;
  /** Of the ledger, with the coordinator's key. */
  readonly folder: string;
  readonly program: string;
  /** The number of the token that it lists in beside SOL. */
  readonly asset: number;
  /** How far its clock is ahead; less than 0: behind. */
  readonly clockMs: number;
  /** The checkout that it is started from; undefined: this one. */
  readonly former: string | undefined;
}

/** A service, which is not started yet. @param lost - hears of an end that nobody asked for */
export function newService(
  { port, url, wires, database, folder, program, asset, clockMs, former }: ServiceOptions,
  lost: (what: string) => void,
): Keeper {
  return new Keeper({
    name: `the service at port ${port}`,
    args: ['--import', CLOCK, former === undefined ? COMMAND : join(former, BIN), 'serve'],
    env: {
      SOAK_CLOCK_MS: String(clockMs),
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: url,
      DATABASE_URL: `postgresql://relay@127.0.0.1:${wires.database.port}${database}?sslmode=disable`,
      SOLANA_RPC_URL: `http://127.0.0.1:${wires.node.port}`,
      SOLANA_WS_URL: `ws://127.0.0.1:${wires.node.port}`,
      SOLANA_CLUSTER: 'embedded',
      RELAY_PROGRAM_ID: program,
      ASSETS: `usdc:${asset}`,
      COORDINATOR_KEYPAIR: join(folder, 'ledger', 'coordinator-keypair.json'),
      LOG_LEVEL: 'warn',
      WEBHOOK_TARGETS: 'any',
      // Everybody comes from an address of their own, as if through a proxy.
      TRUST_PROXY: '127.0.0.1',
      // The soak's agents never rest.
      LIMIT_TOOL_CALLS: '0',
      LIMIT_BIDS: '0',
      LIMIT_WRITES: '0',
      LIMIT_DRAFTS: '0',
      LIMIT_READS: '0',
      LIMIT_AIRDROPS: '0',
      ...CAPS,
      SPONSOR_DAY_SOL: SPONSORED_SOL,
      SPONSOR_OUTSTANDING_SOL: SPONSORED_SOL,
    },
    ready: () => isReady(`http://127.0.0.1:${port}`),
    lost,
  });
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
