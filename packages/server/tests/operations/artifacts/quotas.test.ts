import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { uploadArtifact } from '@legwork/sdk';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { sweepArtifacts } from '../../../src/artifacts/sweepArtifacts.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { type Party, withService } from '../../support/service.js';
import { claim, giveBack, legIdOf, postedTask, untilTask } from '../digitalTasks/scene.js';
import { claimedLeg, type Leg, newBytes, sha256Of } from './scene.js';

const MIB = 1024 * 1024;
const service = withService({
  settings: (usual) => ({
    ...usual,
    LIMIT_ARTIFACT_MIB: '2',
    LIMIT_ARTIFACTS_AGENT_MIB: '5',
    LIMIT_ARTIFACTS_TASK_MIB: '3',
    LIMIT_ARTIFACTS_ADDRESS_MIB: '12',
  }),
});

const FILE = { name: 'a.bin', contentType: 'application/octet-stream' };
const announce = ({ client }: Party, leg: Leg, bytes: number) =>
  client.startArtifact({ ...leg, sha256: sha256Of(newBytes(8)), bytes });
const refusal = async (agent: Party, leg: Leg, bytes: number) => {
  const { code, message } = await refusalOf(announce(agent, leg, bytes));
  return `${code}: ${message}`;
};

/** Everything that was announced so far was announced more than a day ago. */
const dayLater = () =>
  sql`update artifacts set created_at = created_at - interval '25 hours'`.execute(service.current.db);

test('(M-80) the bytes of a file, a task, an agent and an address are bounded, and refusals say by what', async () => {
  const { agent, leg } = await claimedLeg(service.current);
  expect(await refusal(agent, leg, 2 * MIB + 1)).toMatch(/^artifact_quota: .*one file may have 2 MiB/);
  await announce(agent, leg, 2 * MIB);
  await announce(agent, leg, MIB);
  expect(await refusal(agent, leg, 1)).toMatch(/^artifact_quota: .*one task may have 3 MiB/);
  const { task } = await postedTask(service.current);
  await claim(agent, task, 0);
  const second = { taskId: task.id, legId: legIdOf(task, 0) };
  await announce(agent, second, 2 * MIB);
  expect(await refusal(agent, second, 1)).toMatch(/^artifact_quota: .*one agent sends in 24 hours may have 5 MiB/);
  for (let sent = 5; sent < 11; sent += 3) {
    const other = await claimedLeg(service.current);
    await announce(other.agent, other.leg, 2 * MIB);
    await announce(other.agent, other.leg, MIB);
  }
  const last = await claimedLeg(service.current);
  expect(await refusal(last.agent, last.leg, 2 * MIB)).toMatch(
    /^artifact_quota: .*one address sends in 24 hours may have 12 MiB/,
  );
  await dayLater();
  await announce(last.agent, last.leg, 2 * MIB);
  await dayLater();
});

test('(M-80) a claim begins 32 uploads, and the same upload any number of times', async () => {
  const { agent, leg } = await claimedLeg(service.current);
  for (let index = 0; index < 31; index += 1) await announce(agent, leg, 1);
  const known = { ...leg, sha256: sha256Of(newBytes(8)), bytes: 1 };
  for (let index = 0; index < 3; index += 1) await agent.client.startArtifact(known);
  expect(await refusal(agent, leg, 1)).toMatch(/^artifact_quota: .*file 33 for this claim/);
  const { code } = await refusalOf(agent.client.startArtifact({ ...known, bytes: 2 }));
  expect(code).toBe('wrong_artifact');
  await dayLater();
});

test('(M-81) after a day nothing is left of what no result names, and nothing else is missing', async () => {
  const context = await service.current.context();
  const shared = newBytes(1000);
  const [kept, given] = [await claimedLeg(service.current), await claimedLeg(service.current)];
  const named = await uploadArtifact(kept.agent.client, { ...kept.leg, content: shared, ...FILE });
  const unnamed = await uploadArtifact(kept.agent.client, { ...kept.leg, content: newBytes(10), ...FILE });
  await uploadArtifact(given.agent.client, { ...given.leg, content: shared, ...FILE });
  const lost = await uploadArtifact(given.agent.client, { ...given.leg, content: newBytes(10), ...FILE });
  const working = await claimedLeg(service.current);
  const waiting = await uploadArtifact(working.agent.client, { ...working.leg, content: newBytes(10), ...FILE });
  await kept.agent.client.completeDigitalLeg({
    ...kept.leg,
    agentPubkey: kept.agent.pubkey,
    result: 'x',
    artifacts: [named],
  });
  await untilTask(service.current, kept.task.id, ({ completedLegs }) => completedLegs === 1);
  await giveBack(given.agent, given.task, 0);
  await untilTask(service.current, given.task.id, ({ legs }) => legs[0]?.agentPubkey === null);

  const stored = async () => {
    const files = await readdir(service.current.files, { recursive: true, withFileTypes: true });
    return files
      .filter((file) => file.isFile())
      .map(({ name }) => name)
      .toSorted();
  };
  const all = [named, unnamed, lost, waiting].map(({ sha256 }) => sha256);
  await sweepArtifacts(context);
  expect(await stored()).toEqual(expect.arrayContaining(all));
  await dayLater();
  const left = join(service.current.files, 'uploads', 'of-a-crash');
  await writeFile(left, 'half a part');
  await utimes(left, 0, 0);
  await sweepArtifacts(context);
  expect(await stored()).toEqual([named, waiting].map(({ sha256 }) => sha256).toSorted());
  const rows = await service.current.db.selectFrom('artifacts').select(['sha256', 'client']).execute();
  expect(rows.map(({ sha256 }) => sha256)).toEqual(expect.arrayContaining([named.sha256, waiting.sha256]));
  expect(rows.filter(({ client }) => client !== null)).toEqual([]);
  expect(rows.map(({ sha256 }) => sha256)).not.toContain(lost.sha256);
  await context.db.destroy();
});
