// A file of a result, from upload to download, on an instance of its own: how long it takes, and how much memory the service and this
// client need beyond what a small file took before. Fails when the service needs more than 64 MiB.
// Run it after `npm run build`, on Linux: node bench/artifacts.mjs [MiB, 1024 unless given]
import { createHash, randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { downloadArtifact, listDigitalTask, uploadArtifact } from '@legwork/sdk';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { registered, UNLIMITED } from './market.mjs';

const MIB = 1024 * 1024;
const SIZE_MIB = Number(process.argv[2] ?? 1024);
const WARM_UP_MIB = 32;
const MOST_MIB = 64;

const folder = await mkdtemp(join(tmpdir(), 'legwork-bench-'));
const instance = await startOwnInstance({ ...UNLIMITED, LIMIT_PARTS: '0' });
const processes = { service: instance.pid, client: process.pid };

/** The most that a process has had resident since {@link forgetPeaks}, bytes. */
async function peakOf(pid) {
  const [, kib] = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

const forgetPeaks = () => Promise.all(Object.values(processes).map((pid) => writeFile(`/proc/${pid}/clear_refs`, '5')));

async function peaks() {
  return Object.fromEntries(
    await Promise.all(Object.entries(processes).map(async ([name, pid]) => [name, await peakOf(pid)])),
  );
}

/** A file of bytes that no disk can make smaller. */
async function made(name, mib) {
  const path = join(folder, name);
  const file = await open(path, 'w');
  for (let done = 0; done < mib; done += 1) await file.write(randomBytes(MIB));
  await file.close();
  return path;
}

async function claimedLeg() {
  const [poster, agent] = [await registered(instance.url), await registered(instance.url)];
  const legs = [{ instruction: 'Send a file.' }];
  const task = await listDigitalTask(poster.client, poster.signer, {
    title: 'A file',
    description: 'A large one.',
    maxBudgetSol: 0.01,
    legs,
  });
  const leg = { taskId: task.id, legId: task.legs[0].id };
  await agent.client.bidDigitalLeg({ ...leg, agentPubkey: agent.signer.address, bidSol: 0.01 });
  return { agent, leg };
}

async function carry(path, mib) {
  const { agent, leg } = await claimedLeg();
  await forgetPeaks();
  const before = await peaks();
  const begun = performance.now();
  const content = await openAsBlob(path);
  const file = await uploadArtifact(agent.client, {
    ...leg,
    content,
    name: 'file.bin',
    contentType: 'application/octet-stream',
  });
  const uploaded = performance.now();
  await agent.client.completeDigitalLeg({
    ...leg,
    agentPubkey: agent.signer.address,
    result: 'Sent.',
    artifacts: [file],
  });
  const handedIn = performance.now();
  const hash = createHash('sha256');
  for await (const piece of downloadArtifact(agent.client, { ...leg, sha256: file.sha256 })) hash.update(piece);
  const downloaded = performance.now();
  if (hash.digest('hex') !== file.sha256) throw new Error('another file came back');
  const after = await peaks();
  const rate = (from, to) => Math.round(mib / ((to - from) / 1000));
  const extra = Object.fromEntries(Object.keys(processes).map((name) => [name, (after[name] - before[name]) / MIB]));
  console.log(
    `${mib} MiB: up at ${rate(begun, uploaded)} MiB/s, down at ${rate(handedIn, downloaded)} MiB/s; more memory at the peak: ` +
      `service ${extra.service.toFixed(1)} MiB, client ${extra.client.toFixed(1)} MiB`,
  );
  return extra;
}

try {
  await carry(await made('small', WARM_UP_MIB), WARM_UP_MIB);
  const { service } = await carry(await made('large', SIZE_MIB), SIZE_MIB);
  if (service > MOST_MIB) {
    console.error(`The service needed more than ${MOST_MIB} MiB.`);
    process.exitCode = 1;
  }
} finally {
  await instance.stop();
  await rm(folder, { recursive: true, force: true });
}
