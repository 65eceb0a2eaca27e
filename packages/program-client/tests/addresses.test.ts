import {
  configAddress,
  legAddress,
  packageAddress,
  programDataAddress,
  reputationAddress,
  swarmAddress,
  taskAddress,
  taskLegAddress,
  vaultAddress,
} from '@legwork/program-client';
import { address, type Address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { programAddress } from './fixtures.js';

const AGENT = address('7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU');
const ID = Uint8Array.from({ length: 16 }, (_, index) => index + 1);

async function derived(...seeds: (string | Uint8Array)[]): Promise<Address> {
  const [found] = await getProgramDerivedAddress({ programAddress, seeds });
  return found;
}

const bytes = (of: Address) => Uint8Array.from(getAddressEncoder().encode(of));

test('(P-101) addresses are derived from the words `config`, `package`, `vault`, `swarm`, `leg` and `reputation`', async () => {
  expect(await configAddress(programAddress)).toBe(await derived('config'));
  const parcel = await derived('package', bytes(AGENT), ID);
  expect(await packageAddress(programAddress, AGENT, ID)).toBe(parcel);
  expect(await vaultAddress(programAddress, parcel)).toBe(await derived('vault', bytes(parcel)));
  const swarm = await derived('swarm', bytes(parcel));
  expect(await swarmAddress(programAddress, parcel)).toBe(swarm);
  for (const index of [0, 1, 6]) {
    const leg = await derived('leg', bytes(swarm), Uint8Array.of(index));
    expect(await legAddress(programAddress, swarm, index)).toBe(leg);
  }
  expect(await reputationAddress(programAddress, AGENT)).toBe(await derived('reputation', bytes(AGENT)));
});

test('(P-101) addresses of tasks are derived from the words `task`, `vault` and `task_leg`', async () => {
  const task = await derived('task', bytes(AGENT), ID);
  expect(await taskAddress(programAddress, AGENT, ID)).toBe(task);
  expect(await vaultAddress(programAddress, task)).toBe(await derived('vault', bytes(task)));
  for (const index of [0, 1, 3]) {
    const leg = await derived('task_leg', bytes(task), Uint8Array.of(index));
    expect(await taskLegAddress(programAddress, task, index)).toBe(leg);
  }
});

describe('addresses', () => {
  test('depend on the program', async () => {
    const other = address('BPFLoaderUpgradeab1e11111111111111111111111');
    expect(await configAddress(programAddress)).not.toBe(await configAddress(other));
    expect(await programDataAddress(programAddress)).not.toBe(await programDataAddress(other));
  });

  test('an id has 16 bytes', async () => {
    for (const length of [0, 15, 17, 32]) {
      const id = new Uint8Array(length);
      await expect(packageAddress(programAddress, programAddress, id)).rejects.toThrow(RangeError);
      await expect(taskAddress(programAddress, programAddress, id)).rejects.toThrow(RangeError);
    }
  });
});
