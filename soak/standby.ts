import { appendFile, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Keeper } from './keeper.js';

const CAUGHT_UP_MS = 60_000;
const SYNCHRONOUS = `alter system set synchronous_standby_names = '*'`;
const CAUGHT_UP = `select from pg_stat_replication where sync_state = 'sync' and flush_lsn >= pg_current_wal_flush_lsn()`;

/** Where a PostgreSQL listens. */
export interface Socket {
  readonly host: string;
  readonly port: number;
}

/** A streaming standby of the instance's PostgreSQL: it has whatever that one has acknowledged, and can take its place. */
export class Standby {
  /** Its data folder. */
  readonly folder: string;
  readonly keeper: Keeper;

  /** Copies what a server had that is stopped in order, and follows it once it runs again. */
  static async of(folder: string, primary: Socket, supervisor: string, lost: (what: string) => void): Promise<Standby> {
    const standby = new Standby(join(folder, 'standby'), supervisor, lost);
    const cluster = join(standby.folder, 'postgres', 'cluster');
    await cp(join(folder, 'postgres', 'cluster'), cluster, { recursive: true });
    await writeFile(join(cluster, 'standby.signal'), '');
    const settings =
      `primary_conninfo = 'host=${primary.host} port=${primary.port} user=postgres'\n` +
      `wal_retrieve_retry_interval = '100ms'\n`;
    await appendFile(join(cluster, 'postgresql.auto.conf'), settings);
    return standby;
  }

  private constructor(folder: string, supervisor: string, lost: (what: string) => void) {
    this.folder = folder;
    this.keeper = new Keeper({
      name: "the standby's supervisor",
      args: [supervisor, folder],
      ready: (printed) => printed.includes('ready postgresql:'),
      lost,
    });
  }

  /** Starts it, and has the primary acknowledge nothing that it does not have. */
  async follow(primary: Socket): Promise<void> {
    await this.keeper.up();
    await asSuperuser(primary, async (client) => {
      await client.query(SYNCHRONOUS);
      await client.query('select pg_reload_conf()');
      await untilCaughtUp(client);
    });
  }

  /** Takes the place of the primary. @param kill - ends that for good */
  async takeOver(primary: Socket, own: Socket, kill: () => Promise<void>): Promise<void> {
    await asSuperuser(primary, untilCaughtUp);
    await kill();
    await asSuperuser(own, async (client) => {
      const { rows } = await client.query<{ promoted: boolean }>('select pg_promote(true, 60) as promoted');
      if (!rows[0]?.promoted) throw new Error('the standby was not promoted');
    });
  }
}

async function untilCaughtUp(client: Client): Promise<void> {
  for (const until = Date.now() + CAUGHT_UP_MS; ; await sleep(20)) {
    if ((await client.query(CAUGHT_UP)).rowCount === 1) return;
    if (Date.now() > until) throw new Error('the standby does not catch up');
  }
}

async function asSuperuser(at: Socket, act: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ ...at, user: 'postgres', database: 'postgres', ssl: false });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await act(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The connection string that a supervisor of PostgreSQL prints. */
export const addressIn = (printed: string) => /^(?:ready )?(postgresql:\S+)$/m.exec(printed)?.[1];

/** Where that server listens. */
export function socketIn(printed: string): Socket {
  const { searchParams } = new URL((addressIn(printed) ?? '').replace('@/', '@localhost/'));
  return { host: searchParams.get('host') ?? '', port: Number(searchParams.get('port')) };
}
