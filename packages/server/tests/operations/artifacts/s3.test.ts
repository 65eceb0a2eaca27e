import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { ARTIFACT_PART_BYTES } from '@legwork/protocol/contract';
import { createLegworkClient, downloadArtifact, uploadArtifact } from '@legwork/sdk';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { S3Store, type S3Settings } from '../../../src/artifacts/s3Store.js';
import { TestService } from '../../support/service.js';
import { handIn, untilTask } from '../digitalTasks/scene.js';
import { artifactUrl, claimedLeg, newBytes, partOf, partRequest, sendPart, sha256Of } from './scene.js';

const BUCKET = 'files';
const KEY = 'S3RVER';

let directory: string;
let store: { port: number; server: S3rver };
let service: TestService;
const lines: string[] = [];

async function startStore(port: number): Promise<typeof store> {
  const server = new S3rver({
    address: '127.0.0.1',
    port,
    directory,
    silent: true,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  return { port: (await server.run()).port, server };
}

const settings = (): S3Settings => ({
  endpoint: `http://127.0.0.1:${store.port}`,
  bucket: BUCKET,
  region: 'us-east-1',
  accessKeyId: KEY,
  secretAccessKey: KEY,
});

beforeAll(async () => {
  directory = await mkdtemp(join(inject('scratch'), 's3-'));
  store = await startStore(0);
  service = await TestService.start({
    logTo: { write: (line) => lines.push(line) },
    settings: (usual) => ({
      ...usual,
      LOG_LEVEL: 'trace',
      S3_ENDPOINT: settings().endpoint,
      S3_BUCKET: BUCKET,
      S3_ACCESS_KEY_ID: KEY,
      S3_SECRET_ACCESS_KEY: KEY,
    }),
  });
});
afterAll(async () => {
  await service.close();
  await store.server.close();
});

/** The store's bytes under a sha256; undefined: none. */
async function storedAs(sha256: string): Promise<string | undefined> {
  const own = new S3Store(settings());
  const content = await own.read(sha256, { first: 0, last: 1024 ** 3 }).catch(() => undefined);
  return content && sha256Of(Buffer.concat(await content.toArray()));
}

test('(M-83, M-79) a file of several parts is one object under its sha256, whole or in ranges, also after a restart in its middle', async () => {
  const { agent, task, leg } = await claimedLeg(service);
  const bytes = newBytes(2 * ARTIFACT_PART_BYTES + 100);
  const sha256 = sha256Of(bytes);
  await agent.client.startArtifact({ ...leg, sha256, bytes: bytes.length });
  expect(await sendPart(service, agent, { ...leg, sha256, part: 0 }, partOf(bytes, 0))).toMatchObject({ status: 200 });
  expect(await storedAs(sha256)).toBeUndefined();
  await service.stop();
  await service.restart();
  expect(await sendPart(service, agent, { ...leg, sha256, part: 1 }, partOf(bytes, 1))).toMatchObject({ status: 200 });
  const last = await sendPart(service, agent, { ...leg, sha256, part: 2 }, partOf(bytes, 2));
  expect(last).toMatchObject({ status: 200, body: { isStored: true } });
  expect(await storedAs(sha256)).toBe(sha256);

  // The store's answer to the last request got lost: it has the object, and the upload is gone.
  await service.db.updateTable('artifacts').set({ stored_at: null }).where('sha256', '=', sha256).execute();
  const client = createLegworkClient({ url: service.server.url, signer: agent.signer });
  expect(await client.startArtifact({ ...leg, sha256, bytes: bytes.length })).toMatchObject({ isStored: true });

  const artifact = { sha256, name: 'a.bin', contentType: 'application/octet-stream' };
  await client.completeDigitalLeg({ ...leg, agentPubkey: agent.pubkey, result: 'x', artifacts: [artifact] });
  await untilTask(service, task.id, ({ completedLegs }) => completedLegs === 1);
  const middle = await fetch(artifactUrl(service, leg, sha256), { headers: { range: 'bytes=5242879-5242882' } });
  expect(new Uint8Array(await middle.arrayBuffer())).toEqual(bytes.slice(5242879, 5242883));
  const pieces: Uint8Array[] = [];
  for await (const piece of downloadArtifact(client, { ...leg, sha256 })) pieces.push(piece);
  expect(sha256Of(Buffer.concat(pieces))).toBe(sha256);
});

test('(M-79) what is not what its sha256 says does not get there', async () => {
  const { agent, leg } = await claimedLeg(service);
  const bytes = newBytes(ARTIFACT_PART_BYTES + 9);
  const sha256 = sha256Of(newBytes(3));
  await agent.client.startArtifact({ ...leg, sha256, bytes: bytes.length });
  const flipped = partOf(bytes, 0);
  flipped[1000] = (flipped[1000] ?? 0) ^ 1;
  const damaged = await sendPart(service, agent, { ...leg, sha256, part: 0 }, partOf(bytes, 0), { sent: flipped });
  expect(damaged).toMatchObject({ status: 422, body: { code: 'wrong_artifact' } });
  await sendPart(service, agent, { ...leg, sha256, part: 0 }, partOf(bytes, 0));
  const last = await sendPart(service, agent, { ...leg, sha256, part: 1 }, partOf(bytes, 1));
  expect(last).toMatchObject({ status: 422, body: { code: 'wrong_artifact' } });
  expect(await storedAs(sha256)).toBeUndefined();
  expect(await agent.client.startArtifact({ ...leg, sha256, bytes: bytes.length })).toMatchObject({ receivedBytes: 0 });
});

test('a store that is down refuses files for a while, loses none, and holds up no text', async () => {
  const { agent, leg } = await claimedLeg(service);
  const content = newBytes(ARTIFACT_PART_BYTES + 1);
  const sha256 = sha256Of(content);
  await agent.client.startArtifact({ ...leg, sha256, bytes: content.length });
  await sendPart(service, agent, { ...leg, sha256, part: 0 }, partOf(content, 0));
  await store.server.close();
  const { url, headers } = await partRequest(service, agent, { ...leg, sha256, part: 1 }, partOf(content, 1));
  const refused = await fetch(url, { method: 'PUT', headers, body: partOf(content, 1) });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await refused.json()).toMatchObject({ code: 'storage_unavailable' });

  const other = await claimedLeg(service);
  await handIn(other.agent, other.task, 0);
  await untilTask(service, other.task.id, ({ completedLegs }) => completedLegs === 1);

  const progress: number[] = [];
  const onProgress = ({ bytes }: { bytes: number }) => progress.push(bytes);
  const uploading = uploadArtifact(
    agent.client,
    { ...leg, content, name: 'a.bin', contentType: 'application/octet-stream' },
    { onProgress },
  );
  store = await startStore(store.port);
  expect((await uploading).sha256).toBe(sha256);
  // It went on after the first part.
  expect(progress).toEqual([content.length]);
  expect(await storedAs(sha256)).toBe(sha256);
});

test('[S-8] the key of the store is in no log', () => {
  const log = lines.join('');
  expect(log).toContain('storage_unavailable');
  expect(log).not.toContain(KEY);
});
