import { request } from 'node:http';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ARTIFACT_PART_BYTES } from '@legwork/protocol/contract';
import { createLegworkClient, downloadArtifact, uploadArtifact } from '@legwork/sdk';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { Service } from '../../../../cli/tests/support/service.js';
import { mayMount, ran } from '../../../../postgres/tests/mount.js';
import { TestService } from '../../support/service.js';
import { claim, handIn, legIdOf, postedTask, untilTask } from '../digitalTasks/scene.js';
import { claimedLeg, newBytes, partOf, partRequest, sendPart, sha256Of } from './scene.js';

const FILE = { name: 'a.bin', contentType: 'application/octet-stream' };
const SLOW = 180_000;

describe('(M-79) a service that is killed while a file is sent', () => {
  test('has every part that it answered, and takes the rest after it is back', { timeout: SLOW }, async () => {
    const service = await TestService.start();
    onTestFinished(() => service.close());
    const { task } = await postedTask(service);
    const party = await service.party(0);
    await claim(party, task, 0);
    await service.stop();
    const killed = await Service.start(service.environment());
    onTestFinished(async () => void (await killed.stop()));
    const leg = { taskId: task.id, legId: legIdOf(task, 0) };
    const agent = { ...party, client: createLegworkClient({ url: killed.url, signer: party.signer }) };
    const at = { server: { url: killed.url } } as TestService;
    const content = newBytes(3 * ARTIFACT_PART_BYTES + 5);
    const sha256 = sha256Of(content);
    const announced = { ...leg, sha256, bytes: content.length };
    await agent.client.startArtifact(announced);
    expect(await sendPart(at, agent, { ...leg, sha256, part: 0 }, partOf(content, 0))).toMatchObject({ status: 200 });

    // Half of the second part is on the disk when it dies.
    const { url, headers } = await partRequest(at, agent, { ...leg, sha256, part: 1 }, partOf(content, 1));
    const half = request(url, { method: 'PUT', headers: { ...headers, 'content-length': ARTIFACT_PART_BYTES } });
    half.on('error', () => undefined);
    half.write(content.slice(ARTIFACT_PART_BYTES, 1.5 * ARTIFACT_PART_BYTES));
    const uploads = join(service.files, 'uploads');
    await expect.poll(async () => (await readdir(uploads)).some((name) => name.includes('.'))).toBe(true);
    await killed.dieAndReturn();
    half.destroy();
    expect(await agent.client.startArtifact(announced)).toMatchObject({ receivedBytes: ARTIFACT_PART_BYTES });

    // It dies again and again under an upload that goes on by itself.
    let parts = 0;
    const deaths: Promise<void>[] = [];
    const onProgress = () => {
      parts += 1;
      if (parts <= 2) deaths.push(killed.dieAndReturn());
    };
    const artifact = await uploadArtifact(agent.client, { ...leg, content, ...FILE }, { onProgress });
    await Promise.all(deaths);
    await agent.client.completeDigitalLeg({ ...leg, agentPubkey: agent.pubkey, result: 'x', artifacts: [artifact] });
    const pieces: Uint8Array[] = [];
    for await (const piece of downloadArtifact(agent.client, { ...leg, sha256 })) pieces.push(piece);
    expect(sha256Of(Buffer.concat(pieces))).toBe(sha256);
  });
});

describe.skipIf(!mayMount)('[S-82] a disk for files that is full', () => {
  test('refuses them with 507, keeps what was answered, holds up no text, and goes on with space again', {
    timeout: SLOW,
  }, async () => {
    const folder = await mkdtemp(join(inject('scratch'), 'full-'));
    ran('mount', '-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder);
    const service = await TestService.start({ settings: (usual) => ({ ...usual, ARTIFACTS_DIR: folder }) });
    onTestFinished(async () => {
      await service.close();
      ran('umount', folder);
    });
    const { agent, leg } = await claimedLeg(service);
    const content = newBytes(ARTIFACT_PART_BYTES + 1000);
    const sha256 = sha256Of(content);
    const announced = { ...leg, sha256, bytes: content.length };
    await agent.client.startArtifact(announced);
    await sendPart(service, agent, { ...leg, sha256, part: 0 }, partOf(content, 0));
    const tooLarge = agent.client.startArtifact({ ...leg, sha256: 'a'.repeat(64), bytes: 100 * 1024 * 1024 });
    await expect(tooLarge).rejects.toMatchObject({ status: 507, code: 'storage_full' });

    const filling = join(folder, 'filling');
    await writeFile(filling, Buffer.alloc(24 * 1024 * 1024)).catch(() => undefined);
    const refused = await sendPart(service, agent, { ...leg, sha256, part: 1 }, partOf(content, 1));
    expect(refused).toMatchObject({ status: 507, body: { code: 'storage_full' } });
    const other = await claimedLeg(service);
    await handIn(other.agent, other.task, 0);
    await untilTask(service, other.task.id, ({ completedLegs }) => completedLegs === 1);

    await rm(filling);
    expect(await agent.client.startArtifact(announced)).toMatchObject({ receivedBytes: ARTIFACT_PART_BYTES });
    expect((await uploadArtifact(agent.client, { ...leg, content, ...FILE })).sha256).toBe(sha256);
    expect(await readdir(join(folder, 'uploads'))).toEqual([]);
  });
});
