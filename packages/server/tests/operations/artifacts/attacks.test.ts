import { request } from 'node:http';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ARTIFACT_PART_BYTES } from '@legwork/protocol/contract';
import { uploadArtifact } from '@legwork/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attachment } from '../../../src/http/byteRoutes.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { type Party, withService } from '../../support/service.js';
import { failureOf } from '../../mcp/toolCalls.js';
import { giveBack, handIn, untilTask } from '../digitalTasks/scene.js';
import { artifactUrl, claimedLeg, type Leg, newBytes, partOf, partRequest, sendPart, sha256Of } from './scene.js';

const service = withService();

const BINARY = { name: 'a.bin', contentType: 'application/octet-stream' };

/** An upload of so many bytes that has begun. */
async function begun(bytes = newBytes(ARTIFACT_PART_BYTES + 9)) {
  const { agent, task, leg } = await claimedLeg(service.current);
  const sha256 = sha256Of(bytes);
  await agent.client.startArtifact({ ...leg, sha256, bytes: bytes.length });
  return { agent, task, leg, bytes, sha256, where: { ...leg, sha256, part: 0 } };
}

const receivedOf = async (agent: Party, leg: Leg, bytes: Uint8Array) =>
  (await agent.client.startArtifact({ ...leg, sha256: sha256Of(bytes), bytes: bytes.length })).receivedBytes;

/** The uploads under way in the store. */
const uploads = () => readdir(join(service.current.files, 'uploads'));

test('(M-79) a part with one wrong bit is discarded, and so is a file whose sha256 is another', async () => {
  const { agent, leg, bytes, where } = await begun();
  const before = await uploads();
  const flipped = partOf(bytes, 0);
  flipped[77] = (flipped[77] ?? 0) ^ 1;
  const damaged = await sendPart(service.current, agent, where, partOf(bytes, 0), { sent: flipped });
  expect(damaged).toMatchObject({ status: 422, body: { code: 'wrong_artifact', errors: [{ field: 'part' }] } });
  expect(await receivedOf(agent, leg, bytes)).toBe(0);
  expect(await uploads()).toEqual(before);

  await sendPart(service.current, agent, where, partOf(bytes, 0));
  const another = partOf(bytes, 1);
  another[0] = (another[0] ?? 0) ^ 128;
  const last = await sendPart(service.current, agent, { ...where, part: 1 }, another);
  expect(last).toMatchObject({ status: 422, body: { code: 'wrong_artifact', errors: [{ field: 'sha256' }] } });
  expect(await receivedOf(agent, leg, bytes)).toBe(0);
  expect(await uploads()).toEqual(before);
  expect((await uploadArtifact(agent.client, { ...leg, content: bytes, ...BINARY })).sha256).toBe(where.sha256);
});

test('(M-79) nobody without the leg makes the service read a byte', async () => {
  const { agent, bytes, where } = await begun();
  const stranger = await service.current.party(0);
  const part = partOf(bytes, 0);
  const requests = {
    missing_header: await partRequest(service.current, agent, where, part, { unsigned: true }),
    bad_signature: await partRequest(service.current, agent, where, part, {
      headers: { 'content-digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` },
    }),
    not_your_leg: await partRequest(service.current, stranger, where, part),
    invalid_input: await partRequest(service.current, agent, where, part, {
      headers: { 'content-digest': 'md5=:AA==:' },
    }),
    not_found: await partRequest(service.current, agent, { ...where, sha256: sha256Of(part) }, part),
    part_out_of_order: await partRequest(service.current, agent, { ...where, part: 3 }, part),
  };
  for (const [code, { url, headers }] of Object.entries(requests)) {
    // The head alone: the answer comes without the body.
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = request(
        url,
        { method: 'PUT', headers: { ...headers, 'content-length': part.length } },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () => resolve(text));
          response.on('close', () => sent.destroy());
        },
      );
      sent.on('error', reject);
      sent.flushHeaders();
    });
    expect([code, (JSON.parse(answer) as { code: string }).code]).toEqual([code, code]);
  }
});

test('(M-79) a part has the length that it has to have', async () => {
  const { agent, bytes, where, leg } = await begun();
  for (const wrong of [partOf(bytes, 0).slice(1), bytes, new Uint8Array()]) {
    const answer = await sendPart(service.current, agent, where, wrong);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'Content-Length' }] } });
  }
  expect(await receivedOf(agent, leg, bytes)).toBe(0);
});

test('(M-79) of two that send the same part at once, also with other bytes, both are answered and no mixture is kept', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { agent, bytes, where } = await begun();
    const [part, other] = [partOf(bytes, 0), newBytes(ARTIFACT_PART_BYTES)];
    const answers = await Promise.all([part, other, part].map((sent) => sendPart(service.current, agent, where, sent)));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    const last = await sendPart(service.current, agent, { ...where, part: 1 }, partOf(bytes, 1));
    // The first bytes decide; they are right as a whole, or gone.
    expect([200, 422]).toContain(last.status);
    expect(last.body).toMatchObject(last.status === 200 ? { isStored: true } : { code: 'wrong_artifact' });
  }
});

test('(M-80) an agent sends four parts at once; one that hangs up frees its place', async () => {
  const { agent, leg } = await claimedLeg(service.current);
  const files = Array.from({ length: 5 }, () => newBytes(1000));
  for (const bytes of files) await agent.client.startArtifact({ ...leg, sha256: sha256Of(bytes), bytes: bytes.length });
  const open = await Promise.all(
    files.slice(0, 4).map(async (bytes) => {
      const { url, headers } = await partRequest(
        service.current,
        agent,
        { ...leg, sha256: sha256Of(bytes), part: 0 },
        bytes,
      );
      const sent = request(url, { method: 'PUT', headers: { ...headers, 'content-length': bytes.length } });
      sent.on('error', () => undefined);
      sent.write(bytes.slice(0, 10));
      return sent;
    }),
  );
  const [last = new Uint8Array()] = files.slice(4);
  const fifth = () => sendPart(service.current, agent, { ...leg, sha256: sha256Of(last), part: 0 }, last);
  await expect.poll(async () => (await uploads()).filter((name) => name.includes('.')).length).toBe(4);
  expect(await fifth()).toMatchObject({ status: 503, body: { code: 'uploads_busy' } });
  for (const sent of open) sent.destroy();
  await expect.poll(async () => (await fifth()).status).toBe(200);
  await expect.poll(async () => (await uploads()).filter((name) => name.includes('.'))).toEqual([]);
});

test('(M-82) a bomb is stored and sent as it came: nothing opens it', async () => {
  const { agent, task, leg } = await claimedLeg(service.current);
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
  const file = { sha256: sha256Of(bomb), name: 'logs.json.gz', contentType: 'application/gzip' };
  await agent.client.startArtifact({ ...leg, sha256: file.sha256, bytes: bomb.length });
  // Also where the sender says that the body is packed: the bytes count.
  const encoded = { headers: { 'content-encoding': 'gzip' } };
  const sent = await sendPart(service.current, agent, { ...leg, sha256: file.sha256, part: 0 }, bomb, encoded);
  expect(sent).toMatchObject({ status: 200, body: { isStored: true } });
  await agent.client.completeDigitalLeg({ ...leg, agentPubkey: agent.pubkey, result: 'x', artifacts: [file] });
  await untilTask(service.current, task.id, ({ completedLegs }) => completedLegs === 1);
  const got = await fetch(artifactUrl(service.current, leg, file.sha256), { headers: { 'accept-encoding': 'gzip' } });
  expect([got.headers.get('content-encoding'), got.headers.get('content-length')]).toEqual([null, String(bomb.length)]);
  expect(sha256Of(new Uint8Array(await got.arrayBuffer()))).toBe(file.sha256);
});

const HOSTILE_NAMES = [
  '',
  ' ',
  '../../etc/passwd',
  'a/b',
  'C:\\a',
  '.bashrc',
  'a\nb',
  'a\r\nSet-Cookie: x=y',
  'a\u0000b',
  'annual_\u202Efdp.exe',
  'a\u200Fb',
  'a\u2028b',
  'a\uD800b',
  'x'.repeat(201),
];
const HOSTILE_TYPES = [
  '',
  'text',
  'Text/HTML',
  'text/html; charset=utf-7',
  'text/html\r\nSet-Cookie: x=y',
  'text/plain;charset=utf-8',
  'multipart/form-data; boundary=x',
  '*/*',
  `a/${'b'.repeat(65)}`,
];

test('(M-83) hostile names and media types are refused by the name of the field', async () => {
  const { agent, leg } = await claimedLeg(service.current);
  const good = await uploadArtifact(agent.client, { ...leg, content: newBytes(10), ...BINARY });
  const handing = (changes: object) =>
    agent.client.completeDigitalLeg({
      ...leg,
      agentPubkey: agent.pubkey,
      result: 'x',
      artifacts: [{ ...good, ...changes }],
    });
  for (const name of HOSTILE_NAMES) {
    const refusal = await refusalOf(handing({ name }));
    expect([name, refusal.code, [...new Set(refusal.fields)]]).toEqual([name, 'invalid_input', ['artifacts.0.name']]);
  }
  for (const contentType of HOSTILE_TYPES) {
    const { code, fields } = await refusalOf(handing({ contentType }));
    expect([contentType, code, [...new Set(fields)]]).toEqual([
      contentType,
      'invalid_input',
      ['artifacts.0.contentType'],
    ]);
  }
  const twice = agent.client.completeDigitalLeg({
    ...leg,
    agentPubkey: agent.pubkey,
    result: 'x',
    artifacts: [good, good],
  });
  expect((await refusalOf(twice)).code).toBe('invalid_input');
  expect((await refusalOf(handing({ sha256: 'f'.repeat(64) }))).code).toBe('artifact_not_stored');
});

test('(M-82) whatever the name, Content-Disposition is one line of ASCII, and both of its forms are names', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), (name) => {
      const header = attachment(name);
      expect(header).toMatch(/^attachment; filename="[^"%]*"; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]*$/);
      expect(header).toMatch(/^[\x20-\x7e]*$/);
      expect(decodeURIComponent(header.split("UTF-8''")[1] ?? '')).toBe(name);
    }),
  );
});

test('(M-83, M-82) knowing a sha256 gives nobody its bytes: who has not sent them has not got them', async () => {
  const secret = newBytes(500);
  const owner = await claimedLeg(service.current);
  await uploadArtifact(owner.agent.client, { ...owner.leg, content: secret, ...BINARY });
  const thief = await claimedLeg(service.current);
  const sha256 = sha256Of(secret);
  const announced = await thief.agent.client.startArtifact({ ...thief.leg, sha256, bytes: secret.length });
  expect(announced).toMatchObject({ receivedBytes: 0, isStored: false });
  expect((await fetch(artifactUrl(service.current, thief.leg, sha256))).status).toBe(404);
  expect((await fetch(artifactUrl(service.current, owner.leg, sha256))).status).toBe(404);
  const handing = thief.agent.client.completeDigitalLeg({
    ...thief.leg,
    agentPubkey: thief.agent.pubkey,
    result: 'x',
    artifacts: [{ sha256, ...BINARY }],
  });
  expect((await refusalOf(handing)).code).toBe('artifact_not_stored');
});

test('(M-79) files are for a result that can still be handed in', async () => {
  const done = await claimedLeg(service.current);
  await handIn(done.agent, done.task, 0);
  const late = done.agent.client.startArtifact({ ...done.leg, sha256: 'a'.repeat(64), bytes: 1 });
  expect((await refusalOf(late)).code).toBe('result_submitted');
  const given = await claimedLeg(service.current);
  await giveBack(given.agent, given.task, 0);
  await untilTask(service.current, given.task.id, ({ legs }) => legs[0]?.agentPubkey === null);
  const nobodys = given.agent.client.startArtifact({ ...given.leg, sha256: 'a'.repeat(64), bytes: 1 });
  expect((await refusalOf(nobodys)).code).toBe('not_your_leg');
});

test('(M-83) a tool call hands in text alone', async () => {
  const { agent, leg } = await claimedLeg(service.current);
  const given = { ...leg, agentPubkey: agent.pubkey, result: 'x', artifacts: [] };
  const { code, errors } = await failureOf(service.current, 'svc_complete_digital_leg', given);
  expect([code, errors]).toEqual(['invalid_input', [expect.objectContaining({ field: 'artifacts' })]]);
});
