import {
  type Artifact,
  type ClaimedResult,
  completeDigitalLeg,
  downloadArtifact,
  makeMove,
  type MoveAction,
  LegworkApiError,
  uploadArtifact,
  verify,
} from '@legwork/sdk';
import { ARTIFACT_PART_BYTES } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import { expect, test } from 'vitest';
import { newBytes, sha256Of } from '../operations/artifacts/scene.js';
import { claim, legIdOf, untilTask } from '../operations/digitalTasks/scene.js';
import { courier } from '../operations/turns/scene.js';
import { begunBy, type Bound, boundTask } from '../operations/turns/taskScene.js';
import { type Party, withService } from '../support/service.js';

const service = withService();

const RESULT = 'Two topics: see the files.';
const REPORT = new TextEncoder().encode('topic,count\nlate,2\n');

const legOf = ({ task }: Bound, index = 0) => ({ taskId: task.id, legId: legIdOf(task, index) });

const moveOf = ({ client, signer }: Party, bound: Bound, action: MoveAction, more: object = {}) =>
  makeMove(client, signer, { ...legOf(bound), action, ...more });

/** A party's download of a file: its sha256, or the code of the refusal. */
async function got({ client }: Party, bound: Bound, { sha256 }: Pick<Artifact, 'sha256'>): Promise<string> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of downloadArtifact(client, { ...legOf(bound), sha256 })) pieces.push(piece);
  } catch (error) {
    if (error instanceof LegworkApiError) return error.code;
    throw error;
  }
  return sha256Of(Buffer.concat(pieces));
}

/** A party's downloads of all of these files: theirs, every byte of each, or one refusal for all. */
async function reads(party: Party, bound: Bound, files: readonly Pick<Artifact, 'sha256'>[]): Promise<string> {
  const codes = await Promise.all(files.map((file) => got(party, bound, file)));
  if (codes.every((code, index) => code === files[index]?.sha256)) return 'theirs';
  return [...new Set(codes)].join(', ');
}

/** The agent that has accepted the first leg hands in a text with two files, one of them in several parts, and claims the leg with them. */
async function claimedWithFiles(bound: Bound, agent: Party) {
  const { client, signer } = agent;
  const scan = newBytes(ARTIFACT_PART_BYTES + 1);
  const given = [
    { content: REPORT, name: 'report.csv', contentType: 'text/csv; charset=utf-8' },
    { content: scan, name: 'scan.bin', contentType: 'application/octet-stream' },
  ];
  const artifacts = [];
  for (const file of given) artifacts.push(await uploadArtifact(client, { ...legOf(bound), ...file }));
  const handedIn = await completeDigitalLeg(client, signer, { ...legOf(bound), result: RESULT, artifacts });
  expect(handedIn).toMatchObject({ stage: 'claimed', claim: { stage: 'claimed' } });
  const listed = artifacts.map((artifact, index) => ({ ...artifact, bytes: given[index]?.content.length ?? 0 }));
  expect(handedIn.resultHash).toBe(resultHash(RESULT, listed).hex);
  return listed;
}

/** The result that a verifier gets to judge; its verdict is that the result is right. */
async function verified(receiver: Party, { arbiter }: Bound): Promise<ClaimedResult> {
  const stopping = new AbortController();
  let seen: ClaimedResult | undefined;
  const { client, signer } = receiver;
  const limits = { maxStakesLamports: 0n, arbiters: [arbiter.pubkey] };
  const made = () => stopping.abort();
  const judge = (claimed: ClaimedResult) => {
    seen = claimed;
    return Promise.resolve({ confirm: true } as const);
  };
  await verify(client, signer, judge, { ...limits, made, signal: stopping.signal, everyMs: 100 });
  if (seen === undefined) throw new Error('nothing was verified');
  return seen;
}

test('(M-82, T-92) files under review are for agent, poster and receiver alone, and for everybody once confirmed', async () => {
  const receiver = await service.current.party(1);
  const bound = await boundTask(service.current, { receiverPubkey: receiver.pubkey });
  const agent = await begunBy(service.current, bound, 0);
  const next = await courier(service.current);
  await claim(next, bound.task, 1);
  const stranger = await service.current.party(0);
  const files = await claimedWithFiles(bound, agent);
  for (const party of [agent, bound.poster, receiver]) expect(await reads(party, bound, files)).toBe('theirs');
  for (const party of [stranger, next, bound.arbiter]) expect(await reads(party, bound, files)).toBe('not_found');
  expect((await next.client.getDigitalTask({ taskId: bound.task.id })).legs[0]).toMatchObject({ artifacts: [] });

  expect(await verified(receiver, bound)).toMatchObject({ result: RESULT, artifacts: files });
  const { legs } = await untilTask(service.current, bound.task.id, ({ completedLegs }) => completedLegs === 1);
  expect(legs[0]).toMatchObject({ result: RESULT, artifacts: files, resultHash: resultHash(RESULT, files).hex });
  for (const party of [stranger, next]) expect(await reads(party, bound, files)).toBe('theirs');
});

test('(M-82, T-92) the arbiter reads files while their leg is disputed, and who does a rejected leg again never does', async () => {
  const bound = await boundTask(service.current);
  const agent = await begunBy(service.current, bound, 0);
  const files = await claimedWithFiles(bound, agent);
  expect(await reads(bound.arbiter, bound, files)).toBe('not_found');
  await moveOf(bound.poster, bound, 'dispute', { text: 'The scan shows nothing.' });
  expect(await reads(bound.arbiter, bound, files)).toBe('theirs');
  expect(await reads(await service.current.party(0), bound, files)).toBe('not_found');
  await moveOf(bound.arbiter, bound, 'rule', { percent: 0 });
  await untilTask(service.current, bound.task.id, ({ legs }) => legs[0]?.isOpen ?? false);
  const next = await begunBy(service.current, bound, 0);
  for (const party of [next, bound.arbiter, bound.poster]) expect(await reads(party, bound, files)).toBe('not_found');
});
