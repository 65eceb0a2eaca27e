import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { withTestDatabase } from '../support/database.js';
import { migrateDatabase, startService } from './service.js';

const database = withTestDatabase(migrateDatabase);

/** Sends the beginning of a request and then nothing; gives back what is answered once the connection is closed. */
function hold(port: number, beginning: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(beginning));
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

test('[S-76] requests are cut while their headers or their body do not end', async () => {
  const service = await startService(database.connectionString, {});
  const headers = 'POST /agents HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  const held = [hold(service.port, headers), hold(service.port, `${headers}content-length: 100\r\n\r\n{`)];
  for (const answer of await Promise.all(held)) expect(answer).toMatch(/^HTTP\/1.1 400 .*longer than 30 seconds/s);
  await service.close();
});
