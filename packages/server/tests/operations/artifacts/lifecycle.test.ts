import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { taskLegAddress } from '@legwork/program-client';
import { ARTIFACT_PART_BYTES } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import { downloadArtifact, fetchRelayAccounts, uploadArtifact } from '@legwork/sdk';
import { address } from '@solana/kit';
import { expect, test } from 'vitest';
import { withService } from '../../support/service.js';
import { untilTask } from '../digitalTasks/scene.js';
import { artifactUrl, claimedLeg, newBytes, partOf, sendPart, sha256Of } from './scene.js';

const service = withService();

const TEXT = { name: 'summary.txt', contentType: 'text/plain; charset=utf-8' };

async function downloaded(
  client: Parameters<typeof downloadArtifact>[0],
  file: Parameters<typeof downloadArtifact>[1],
) {
  const pieces: Uint8Array[] = [];
  for await (const piece of downloadArtifact(client, file)) pieces.push(piece);
  return sha256Of(Buffer.concat(pieces));
}

test('(M-83, M-82) files of a result are stored under their sha256, covered by its hash on the ledger, and read by everybody', async () => {
  const { agent, task, leg } = await claimedLeg(service.current);
  const [small, large] = [new TextEncoder().encode('Two topics.\n'), newBytes(2 * ARTIFACT_PART_BYTES + 17)];
  const progress: number[] = [];
  const artifacts = [
    await uploadArtifact(agent.client, { ...leg, content: small, ...TEXT }),
    await uploadArtifact(
      agent.client,
      { ...leg, content: new Blob([large]), name: 'übersicht (2).bin', contentType: 'application/octet-stream' },
      { onProgress: ({ bytes }) => progress.push(bytes) },
    ),
  ];
  expect(progress).toEqual([ARTIFACT_PART_BYTES, 2 * ARTIFACT_PART_BYTES, large.length]);
  const stranger = await service.current.party(0);
  const [, file] = artifacts;
  if (file === undefined) throw new Error('no file');
  await expect(downloaded(stranger.client, { ...leg, sha256: file.sha256 })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await downloaded(agent.client, { ...leg, sha256: file.sha256 })).toBe(sha256Of(large));

  const result = 'See the files.';
  await agent.client.completeDigitalLeg({ ...leg, agentPubkey: agent.pubkey, result, artifacts });
  const shown = await untilTask(service.current, task.id, ({ completedLegs }) => completedLegs === 1);
  const listed = [
    { ...TEXT, sha256: sha256Of(small), bytes: small.length },
    {
      name: 'übersicht (2).bin',
      contentType: 'application/octet-stream',
      sha256: sha256Of(large),
      bytes: large.length,
    },
  ];
  const { hex, bytes } = resultHash(result, listed);
  expect(shown.legs[0]).toMatchObject({ result, resultHash: hex, artifacts: listed });
  const accounts = await fetchRelayAccounts(service.current.rpc, service.current.server.programId);
  const at = await taskLegAddress(address(service.current.server.programId), address(task.onChainTask), 0);
  expect(accounts.find((account) => account.address === at)).toMatchObject({ data: { resultHash: bytes } });

  expect(await downloaded(stranger.client, { ...leg, sha256: file.sha256 })).toBe(sha256Of(large));
  const sha256 = sha256Of(large);
  expect(await readdir(join(service.current.files, sha256.slice(0, 2)))).toContain(sha256);
  expect(await readdir(join(service.current.files, 'uploads'))).toEqual([]);
});

test('(M-82) a file is served to be saved, never to be shown, and in ranges', async () => {
  const { agent, task, leg } = await claimedLeg(service.current);
  const page = new TextEncoder().encode('<script>alert(document.domain)</script>');
  const content = { name: '"><svg onload=alert(1)>.html', contentType: 'text/html' };
  const artifact = await uploadArtifact(agent.client, { ...leg, content: page, ...content });
  await agent.client.completeDigitalLeg({ ...leg, agentPubkey: agent.pubkey, result: 'x', artifacts: [artifact] });
  await untilTask(service.current, task.id, ({ completedLegs }) => completedLegs === 1);
  const url = artifactUrl(service.current, leg, artifact.sha256);
  const whole = await fetch(url);
  expect(await whole.text()).toBe(new TextDecoder().decode(page));
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'text/html',
    'content-disposition': `attachment; filename="_><svg onload=alert(1)>.html"; filename*=UTF-8''%22%3E%3Csvg%20onload%3Dalert%281%29%3E.html`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'accept-ranges': 'bytes',
    etag: `"${artifact.sha256}"`,
  });
  const ranges = {
    'bytes=1-6': 'script',
    'bytes=-3': 'pt>',
    'bytes=34-': 'ript>',
    'bytes=0-0,2-3': undefined,
    'bytes=5-2': undefined,
  };
  for (const [range, expected] of Object.entries(ranges)) {
    const part = await fetch(url, { headers: { range } });
    expect([range, part.status, await part.text()]).toEqual([
      range,
      expected ? 206 : 200,
      expected ?? new TextDecoder().decode(page),
    ]);
  }
  const beyond = await fetch(url, { headers: { range: 'bytes=39-' } });
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */39']);
  expect(await beyond.json()).toMatchObject({ code: 'range_not_satisfiable' });
  const changed = await fetch(url, { headers: { range: 'bytes=1-6', 'if-range': '"another"' } });
  expect(changed.status).toBe(200);
  await changed.body?.cancel();
  const head = await fetch(url, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '39']);
});

test('(M-79) an upload continues where it was, also at another process of the service', async () => {
  const { agent, leg } = await claimedLeg(service.current);
  const bytes = newBytes(2 * ARTIFACT_PART_BYTES + 1);
  const sha256 = sha256Of(bytes);
  const begun = await agent.client.startArtifact({ ...leg, sha256, bytes: bytes.length });
  expect(begun).toEqual({
    legId: leg.legId,
    sha256,
    bytes: bytes.length,
    receivedBytes: 0,
    partBytes: ARTIFACT_PART_BYTES,
    isStored: false,
  });
  const sent = (part: number) => sendPart(service.current, agent, { ...leg, sha256, part }, partOf(bytes, part));
  expect(await sent(1)).toMatchObject({ status: 409, body: { code: 'part_out_of_order' } });
  expect(await sent(0)).toMatchObject({ status: 200, body: { receivedBytes: ARTIFACT_PART_BYTES } });
  expect(await sent(0)).toMatchObject({ status: 200, body: { receivedBytes: ARTIFACT_PART_BYTES } });
  await service.current.stop();
  await service.current.restart();
  expect(await sent(1)).toMatchObject({ status: 200, body: { receivedBytes: 2 * ARTIFACT_PART_BYTES } });
  expect(await sent(2)).toMatchObject({ status: 200, body: { isStored: true } });
  expect(await sent(2)).toMatchObject({ status: 200, body: { isStored: true } });
});

test('(M-59, M-79) after an older database was restored, its agent hands in result and files again', async () => {
  const { agent, task, leg } = await claimedLeg(service.current);
  const content = newBytes(100);
  const handIn = async () => {
    const file = await uploadArtifact(agent.client, { ...leg, content, ...TEXT });
    await agent.client.completeDigitalLeg({ ...leg, agentPubkey: agent.pubkey, result: 'x', artifacts: [file] });
  };
  await handIn();
  const before = await untilTask(service.current, task.id, ({ completedLegs }) => completedLegs === 1);
  await service.current.db.deleteFrom('artifacts').where('leg_id', '=', leg.legId).execute();
  await service.current.db.updateTable('digital_legs').set({ result: null }).where('id', '=', leg.legId).execute();
  expect((await agent.client.getDigitalTask({ taskId: task.id })).legs[0]).toMatchObject({
    result: null,
    artifacts: [],
  });
  await handIn();
  const { legs } = await agent.client.getDigitalTask({ taskId: task.id });
  expect(legs[0]).toMatchObject({ result: 'x', artifacts: before.legs[0]?.artifacts });
});
