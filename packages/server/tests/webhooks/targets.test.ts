import { createServer } from 'node:http';
import { createServer as createTcp, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isPublic, openTargets } from '../../src/webhooks/targets.js';
import { Receiver } from './receiver.js';

/** Listens on everything that this machine has, and counts who comes. */
let trap: Server;
let port: number;
let reached = 0;

beforeAll(async () => {
  trap = createTcp((socket) => {
    reached += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => trap.listen(0, '::', resolve));
  port = (trap.address() as AddressInfo).port;
});
beforeEach(() => {
  reached = 0;
});
afterAll(() => {
  trap.close();
});

const webhooks = { perKey: 20, perAddress: 100 };
const publicly = {
  webhooks: { ...webhooks, targets: 'public' as const },
  publicUrl: 'https://market.example',
  mcpPublicUrl: undefined,
};
const loosely = { ...publicly, webhooks: { ...webhooks, targets: 'any' as const } };
const message = { headers: {}, body: '{}' };

/** Ways to write an address that is nobody else's business. */
const HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.8.8.8',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '169.254.170.2',
  '[::ffff:169.254.169.254]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fc00::1]',
  '[fec0::1]',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '192.88.99.1',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '[5f00::1]',
  '[3fff::1]',
];

describe('an address that is not public', () => {
  test('[S-184] is reached by none of fifty ways to write it', async () => {
    const targets = openTargets(publicly, { anyPort: true });
    expect(HOSTS.length).toBeGreaterThanOrEqual(50);
    for (const host of HOSTS) {
      for (const url of [`http://${host}:${port}/`, `https://${host}:${port}/`]) {
        expect({ url, refusal: targets.refusal(url) }).toEqual({
          url,
          refusal: 'leads to an address that is not public',
        });
        expect(await targets.post(url, message)).toMatchObject({
          status: null,
          error: expect.stringContaining('not public'),
        });
      }
    }
    expect(reached).toBe(0);
  });

  test('[S-184] is reached by no name that leads there, alone or beside a public one', async () => {
    const found = HOSTS.map((host) => new URL(`http://${host}/`).hostname.replace(/[[\]]/g, ''));
    for (const address of found) {
      const here = { address, family: address.includes(':') ? 6 : 4 };
      for (const addresses of [[here], [{ address: '9.9.9.9', family: 4 }, here]]) {
        const targets = openTargets(publicly, { anyPort: true, resolve: () => Promise.resolve(addresses) });
        expect(targets.refusal(`http://agent.example:${port}/`)).toBeUndefined();
        expect(await targets.post(`http://agent.example:${port}/`, message)).toMatchObject({
          error: expect.stringContaining('not public'),
        });
      }
    }
    expect(reached).toBe(0);
  });

  test('[S-184] is ours, whichever of our own it is', async () => {
    const ours = Object.values(networkInterfaces()).flatMap((one) => one?.map(({ address }) => address) ?? []);
    expect(ours.filter((address) => isPublic(address.split('%', 1)[0] ?? ''))).toEqual([]);
  });
});

describe('a name that changes its address', () => {
  test('[S-184] between check and use reaches nobody: the one look-up is both', async () => {
    let looks = 0;
    const resolve = () => {
      looks += 1;
      return Promise.resolve([{ address: looks === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    };
    const receiver = await Receiver.start();
    const { port: at } = new URL(receiver.url);
    // Where every address may be reached, the connection goes to what the only look-up said.
    const loose = openTargets(loosely, { resolve });
    expect(await loose.post(`http://agent.example:${at}/`, message)).toMatchObject({ status: 401 });
    expect(looks).toBe(1);
    const strict = openTargets(publicly, { resolve, anyPort: true });
    for (let time = 0; time < 3; time += 1) {
      expect(await strict.post(`http://agent.example:${port}/`, message)).toMatchObject({ status: null });
    }
    expect([looks, reached]).toEqual([4, 0]);
    receiver.stop();
  });

  test('[S-184] is looked up for every delivery anew', async () => {
    const seen: string[] = [];
    const resolve = (name: string) => {
      seen.push(name);
      return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    };
    const receiver = await Receiver.start();
    const targets = openTargets(loosely, { resolve });
    for (let time = 0; time < 3; time += 1)
      await targets.post(receiver.url.replace('127.0.0.1', 'agent.example'), message);
    expect(seen).toEqual(['agent.example', 'agent.example', 'agent.example']);
    receiver.stop();
  });
});

describe('a receiver', () => {
  test('[S-184] that redirects leads nowhere else', async () => {
    let status = 300;
    const elsewhere = `http://127.0.0.1:${port}/`;
    const redirecting = createServer((_, response) => response.writeHead(status, { location: elsewhere }).end());
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/`;
    for (status of [300, 301, 302, 303, 307, 308]) {
      const answer = await openTargets(loosely).post(url, message);
      expect(answer).toMatchObject({ status, error: expect.stringContaining('which is not followed') });
    }
    expect(reached).toBe(0);
    redirecting.close();
  });

  test('[S-184] that answers without end is read no further than it takes', async () => {
    const receiver = await Receiver.start();
    receiver.stop();
    const endless = createTcp((socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const more = setInterval(() => socket.write('x'.repeat(65_536)), 1);
      socket.on('close', () => clearInterval(more));
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const answer = await openTargets(loosely).post(
      `http://127.0.0.1:${(endless.address() as AddressInfo).port}/`,
      message,
    );
    expect([answer.status, answer.error, answer.text.length]).toEqual([200, null, 65_536]);
    endless.close();
  });

  test.each([
    ['http://agent.example/', 'must be https on port 443'],
    ['https://agent.example:8443/', 'must be https on port 443'],
    ['https://me:secret@agent.example/', 'must hold no user name and no password'],
    ['https://market.example/events', 'is an address of this service itself'],
    ['https://market.example:443/', 'is an address of this service itself'],
  ])('[S-184] is not at %s', (url, refusal) => {
    expect(openTargets(publicly).refusal(url)).toBe(refusal);
  });

  test('[S-184] is nowhere where the operator wants none', () => {
    const none = openTargets({ ...publicly, webhooks: { ...webhooks, targets: 'none' } });
    expect(none.refusal('https://agent.example/')).toBe('cannot be taken: this service sends no webhooks');
  });
});
