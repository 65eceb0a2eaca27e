import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { startServer } from '../../src/startServer.js';
import { withService } from '../support/service.js';

const service = withService();

/** The ledger behind the address, which stays silent on its first requests. */
async function slowAtFirst(address: string, silentOn: number): Promise<string> {
  let asked = 0;
  const node = createServer((request, reply) => {
    asked += 1;
    if (asked <= silentOn) return;
    void (async () => {
      const body = (await request.toArray()).map(String).join('');
      const answer = await fetch(address, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      reply.writeHead(answer.status).end(await answer.text());
    })();
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  onTestFinished(() => void node.close());
  return `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
}

test('a service that starts beside a slow ledger waits for it, and says what for (S-81)', async () => {
  const environment = service.current.environment();
  const lines: string[] = [];
  const settings = {
    ...environment,
    SOLANA_RPC_URL: await slowAtFirst(environment.SOLANA_RPC_URL ?? '', 2),
    LOG_LEVEL: 'warn',
  };
  const server = await startServer(loadConfig(settings), { logTo: { write: (line: string) => void lines.push(line) } });
  onTestFinished(() => server.close());
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(lines.filter((line) => line.includes('waiting for it up to a minute'))).toHaveLength(1);
});
