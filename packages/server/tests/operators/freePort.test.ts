import { expect, test } from 'vitest';
import { PortInUseError } from '../../src/errors.js';
import { onFreePort } from '../../src/startServer.js';

const HOST = '127.0.0.1';

test('a port that another program took a moment later is passed over for the next', async () => {
  const tried: number[] = [];
  const used = await onFreePort(HOST, async (port) => {
    tried.push(port);
    if (tried.length < 3) throw new PortInUseError(HOST, port);
    return port;
  });
  expect(tried).toHaveLength(3);
  expect(used).toBe(tried[2]);
});

test.each([
  [
    'another port, which no other attempt would free',
    (port: number) => new PortInUseError(HOST, port - 1, 'METRICS_PORT'),
  ],
  ['whatever else is wrong', () => new Error('the database is away')],
])('what is told at once: %s', async (_, fault) => {
  let tries = 0;
  const starting = onFreePort(HOST, async (port) => {
    tries += 1;
    throw fault(port);
  });
  await expect(starting).rejects.toThrow(/in use|away/);
  expect(tries).toBe(1);
});

test('ports that are all taken are told in the end', async () => {
  const starting = onFreePort(HOST, (port) => Promise.reject(new PortInUseError(HOST, port)));
  await expect(starting).rejects.toBeInstanceOf(PortInUseError);
});
