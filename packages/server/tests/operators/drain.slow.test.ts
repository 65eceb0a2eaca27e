import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLegworkClient, listPackage, LegworkNetworkError } from '@legwork/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningCommand, startCommand } from '../../../cli/tests/support/command.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';

const PACKAGES = 4;
/** A bound for a machine that is busy with other tests. */
const SLOW = 180_000;
const service = withService();

/** The address in the line that a started service logs. */
async function urlOf(command: RunningCommand): Promise<string> {
  await command.shows('"msg":"started"');
  const started =
    command
      .stdout()
      .split('\n')
      .find((line) => line.includes('"msg":"started"')) ?? '';
  return (JSON.parse(started) as { url: string }).url;
}

function at(url: string, { signer, pubkey }: Party): Party {
  return { signer, pubkey, client: createLegworkClient({ url, signer }) };
}

/** Bids again and again, a little cheaper each time, until the service is gone. @returns the bids that were accepted */
async function keepBidding(courier: Party, packageId: string): Promise<string[]> {
  const accepted: string[] = [];
  for (let round = 1; ; round += 1) {
    try {
      const costSol = Number((0.2 - round / 10_000).toFixed(4));
      const bid = bidInput(courier, packageId, 'zoo', 'hauptbahnhof', costSol);
      accepted.push((await courier.client.submitBid(bid)).id);
    } catch (error) {
      if (error instanceof LegworkNetworkError) return accepted;
      throw error;
    }
  }
}

function closeCode(url: string): { opened: Promise<void>; code: Promise<number> } {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  return {
    opened: new Promise((resolve) => socket.once('open', resolve)),
    code: new Promise((resolve) => socket.once('close', resolve)),
  };
}

describe('[S-44] SIGTERM', () => {
  test('under load ends the process in order and loses nothing', { timeout: SLOW }, async ({ annotate }) => {
    // The service that the other tests use would carry on what this one leaves.
    await service.current.stop();
    const command = startCommand(['serve'], service.current.environment());
    onTestFinished(() => void command.child.kill('SIGKILL'));
    const url = await urlOf(command);
    const shipper = at(url, await service.current.party(PACKAGES));
    const couriers = await Promise.all(Array.from({ length: PACKAGES }, () => service.current.party(0)));
    const list = async () => (await listPackage(shipper.client, shipper.signer, draft())).id;
    const contested = await list();
    const ids: string[] = [];
    while (ids.length < PACKAGES) ids.push(await list());
    const sockets = [closeCode(url), closeCode(url)];
    await Promise.all(sockets.map(({ opened }) => opened));

    // Bids that make no chain arrive all the time; then, at once, a bid on every other package that makes one.
    const load = couriers.map((courier) => keepBidding(at(url, courier), contested));
    const winner = at(url, await service.current.party(0));
    await Promise.all(ids.map((id) => winner.client.submitBid(bidInput(winner, id, 'zoo', 'ostkreuz', 0.01))));
    const asked = performance.now();
    command.child.kill('SIGTERM');
    const accepted = (await Promise.all(load)).flat();
    expect(await command.ended).toEqual({ code: 0, signal: null });
    await annotate(`drained in ${Math.round(performance.now() - asked)} ms with ${accepted.length} bids accepted`);

    expect(await Promise.all(sockets.map(({ code }) => code))).toEqual([1012, 1012]);
    const { db } = service.current;
    const leases = await db.selectFrom('outbox').select('id').where('lease_token', 'is not', null).execute();
    expect(leases).toEqual([]);
    const stored = await db.selectFrom('bids').select('id').where('id', 'in', accepted).execute();
    expect(stored).toHaveLength(accepted.length);

    // The next one finishes what it left, each formation once.
    await service.current.restart();
    for (const id of ids) await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    const swarms = await db.selectFrom('swarms').select(['package_id', 'status']).execute();
    expect(swarms).toHaveLength(PACKAGES);
    expect(new Map(swarms.map(({ package_id: id, status }) => [id, status]))).toEqual(
      new Map(ids.map((id) => [id, 'active'])),
    );
  });

  test('while the service waits for a database that never says anything ends the process at once', {
    timeout: SLOW,
  }, async () => {
    // Takes connections and never says anything.
    const held: Socket[] = [];
    const silent = createServer((socket) => held.push(socket)).listen(0, '127.0.0.1');
    onTestFinished(() => {
      for (const socket of held) socket.destroy();
      silent.close();
    });
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const command = startCommand(['serve'], {
      ...service.current.environment(),
      DATABASE_URL: `postgresql://relay:hunter2@127.0.0.1:${port}/relay?sslmode=disable`,
    });
    while (held.length === 0) await sleep(20);
    command.child.kill('SIGTERM');
    expect(await command.ended).toEqual({ code: 0, signal: null });
    expect(command.stderr()).not.toContain('did not stop properly');
    expect(command.stdout() + command.stderr()).not.toContain('hunter2');
  });
});
