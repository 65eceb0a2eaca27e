import { getSetCoordinatorInstruction, getTaskLegSize } from '@legwork/program-client';
import { address, lamports } from '@solana/kit';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rentOf } from '../../src/ledger/ledger.js';
import { loadConfig } from '../../src/config.js';
import { lamportsOf } from './scene.js';
import { untilQuiet } from '../support/snapshot.js';
import { startServer } from '../../src/startServer.js';
import { type TaskScene, withTaskScene } from './taskScene.js';

const scenes = withTaskScene();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relay-coordinator-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function newKeypairFile(): Promise<string> {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const bytes = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
  const file = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(file, JSON.stringify([...bytes]));
  return file;
}

/** Has the program take orders from a new key, and the service run with that. @returns the new coordinator's address */
async function replaceCoordinator(scene: TaskScene): Promise<string> {
  const { configAddress: config, programAddress } = scene.context.ledger;
  const COORDINATOR_KEYPAIR = await newKeypairFile();
  const { address: coordinator } = await scene.keypair(COORDINATOR_KEYPAIR);
  await scene.service.rpc.requestAirdrop(coordinator, lamports(1_000_000_000n)).send();
  const authority = await scene.authority();
  await scene.service.stop();
  await scene.sendFor(authority, [
    getSetCoordinatorInstruction({ authority, config, coordinator }, { programAddress }),
  ]);
  const environment = { ...scene.service.environment(), COORDINATOR_KEYPAIR, LOG_LEVEL: 'silent' };
  scene.service.server = await startServer(loadConfig(environment));
  return coordinator;
}

/** The service with the key of the beginning again. */
async function putBack(scene: TaskScene): Promise<void> {
  const { configAddress: config, coordinator, programAddress } = scene.context.ledger;
  const authority = await scene.authority();
  await scene.service.stop();
  const set = getSetCoordinatorInstruction({ authority, config, coordinator: coordinator.address }, { programAddress });
  await scene.sendFor(authority, [set]);
  await scene.service.restart();
}

describe('a coordinator that was replaced between two legs', () => {
  test('settles, and each leg returns its rent to the one who advanced it (M-59)', async () => {
    const scene = scenes.current;
    const legRent = rentOf(scene.context.ledger, getTaskLegSize());
    const [{ task }, [first, second]] = await Promise.all([scene.listed(2), scene.twoAgents()]);
    await scene.claim(first, task, 0);
    await scene.complete(first, task, 0);
    await untilQuiet(scene.service);
    const former = scene.context.ledger.coordinator.address;
    const present = await replaceCoordinator(scene);
    const before = await lamportsOf(scene.service, former);
    await scene.claim(second, task, 1);
    await scene.untilLeg(task.id, 1, 'in_progress');
    const advanced = await lamportsOf(scene.service, present);
    await scene.complete(second, task, 1);
    await scene.untilTask(task.id, ({ status }) => status === 'completed');
    expect((await lamportsOf(scene.service, former)) - before).toBe(legRent);
    // Two fees, of the confirmation and the settlement.
    expect((await lamportsOf(scene.service, present)) - advanced).toBe(legRent - 10_000n);
    await putBack(scene);
  });

  test('releases what the former one assigned, whose rent returns to that one (M-57)', async () => {
    const scene = scenes.current;
    const legRent = rentOf(scene.context.ledger, getTaskLegSize());
    const [{ task }, agent] = await Promise.all([scene.listed(1), scene.agent()]);
    await scene.claim(agent, task, 0);
    await untilQuiet(scene.service);
    const former = scene.context.ledger.coordinator.address;
    const present = await replaceCoordinator(scene);
    const before = await lamportsOf(scene.service, former);
    await scene.release(agent, task, 0);
    await scene.untilTask(task.id, ({ status }) => status === 'listed');
    expect((await lamportsOf(scene.service, former)) - before).toBe(legRent);
    expect(address(present)).not.toBe(former);
    await putBack(scene);
  });

  test('that the service was not told of is refused, and what is owed waits for the right key (M-59)', async () => {
    const scene = scenes.current;
    const { configAddress: config, coordinator, programAddress } = scene.context.ledger;
    const authority = await scene.authority();
    const [{ task }, agent] = await Promise.all([scene.listed(1), scene.agent()]);
    await scene.claim(agent, task, 0);
    await untilQuiet(scene.service);
    const other = await scene.keypair(await newKeypairFile());
    await scene.sendFor(authority, [
      getSetCoordinatorInstruction({ authority, config, coordinator: other.address }, { programAddress }),
    ]);
    const handedIn = await scene.complete(agent, task, 0);
    expect(handedIn).toMatchObject({ status: 'in_progress', paymentLamports: null });
    await scene.sendFor(authority, [
      getSetCoordinatorInstruction({ authority, config, coordinator: coordinator.address }, { programAddress }),
    ]);
    await scene.untilTask(task.id, ({ status }) => status === 'completed');
    expect(await lamportsOf(scene.service, agent.pubkey)).toBe(100_000_000n);
  });
});
