import {
  getLegDecoder,
  getPackageDecoder,
  getSwarmDecoder,
  getTaskDecoder,
  getTaskLegDecoder,
  type Leg,
  legAddress,
  LegStatus,
  type Package,
  type Swarm,
  swarmAddress,
  type Task,
  type TaskLeg,
} from '@legwork/program-client';
import { type Address, address, type Decoder, getBase64Encoder } from '@solana/kit';
import type { Ledger } from './ledger.js';
import { ask } from '@legwork/program-client/history';

/**
 * Reads the accounts of the program at the addresses, in their order, as of one moment; undefined where there is none.
 *
 * @param since a slot that the node must have reached, or it counts as one that does not answer; undefined: any will do
 */
async function readAll<T>(
  ledger: Ledger,
  accounts: readonly string[],
  decoder: Decoder<T>,
  since?: bigint,
): Promise<(T | undefined)[]> {
  const { value } = await ask(
    ledger.rpc.getMultipleAccounts(
      accounts.map((account) => address(account)),
      { commitment: 'confirmed', encoding: 'base64', ...(since !== undefined && { minContextSlot: since }) },
    ),
  );
  return value.map((found) => {
    if (found?.owner !== ledger.programAddress) return undefined;
    const data = getBase64Encoder().encode(found.data[0]);
    // A closed package leaves an empty account behind.
    return data.length === 0 ? undefined : decoder.decode(data);
  });
}

async function read<T>(ledger: Ledger, account: string, decoder: Decoder<T>, since?: bigint): Promise<T | undefined> {
  return (await readAll(ledger, [account], decoder, since))[0];
}

/** Reads a package, as of this slot or later; undefined when none was listed at the address, or it was closed. */
export async function readPackageAccount(
  ledger: Ledger,
  onChainPackage: string,
  since?: bigint,
): Promise<Package | undefined> {
  return read(ledger, onChainPackage, getPackageDecoder(), since);
}

/** Reads a swarm, as of this slot or later; undefined before its formation and after its settlement or reclaim. */
export async function readSwarmAccount(
  ledger: Ledger,
  onChainSwarm: string,
  since?: bigint,
): Promise<Swarm | undefined> {
  return read(ledger, onChainSwarm, getSwarmDecoder(), since);
}

/** A swarm as the ledger shows it, with the legs that are assigned, and the couriers of those that are accepted, in index order. */
export type FormedSwarm = Swarm & { address: Address; legs: Address[]; acceptedBy: Address[] };

/** Reads the swarm of the package, no matter who formed it, as of this slot or later; undefined when it has none. */
export async function readFormedSwarm(
  ledger: Ledger,
  onChainPackage: string,
  since?: bigint,
): Promise<FormedSwarm | undefined> {
  const { programAddress } = ledger;
  const at = await swarmAddress(programAddress, address(onChainPackage));
  const swarm = await readSwarmAccount(ledger, at, since);
  if (swarm === undefined) return undefined;
  const indexes = Array.from({ length: swarm.assignedLegs }, (_, index) => index);
  const legs = await Promise.all(indexes.map((index) => legAddress(programAddress, at, index)));
  const shown = legs.length === 0 ? [] : await readAll(ledger, legs, getLegDecoder(), since);
  const accepted = shown.flatMap((leg) => (leg?.status === LegStatus.Accepted ? [leg] : []));
  return { ...swarm, address: at, legs, acceptedBy: accepted.map(({ courier }) => courier) };
}

/** Reads a leg of a package; undefined before its formation and after the end of its swarm. */
export async function readLegAccount(ledger: Ledger, onChainLeg: string): Promise<Leg | undefined> {
  return read(ledger, onChainLeg, getLegDecoder());
}

/** Reads a digital task, as of this slot or later; undefined when none was listed at the address, or it was closed. */
export async function readTaskAccount(ledger: Ledger, onChainTask: string, since?: bigint): Promise<Task | undefined> {
  return read(ledger, onChainTask, getTaskDecoder(), since);
}

/** Reads a digital leg; undefined while nobody is assigned to it, and once its task is over. */
export async function readTaskLegAccount(ledger: Ledger, onChainLeg: string): Promise<TaskLeg | undefined> {
  return read(ledger, onChainLeg, getTaskLegDecoder());
}

/** A digital leg as the ledger shows it. */
export type AssignedLeg = TaskLeg & { address: Address };

/** Reads the legs among these that are assigned, in their order. */
export async function readAssignedLegs(ledger: Ledger, onChainLegs: readonly string[]): Promise<AssignedLeg[]> {
  const found = await readAll(ledger, onChainLegs, getTaskLegDecoder());
  return onChainLegs.flatMap((onChainLeg, index) => {
    const leg = found[index];
    return leg ? [{ ...leg, address: address(onChainLeg) }] : [];
  });
}

/** The balance of a wallet; undefined where the ledger does not answer: it is for warnings and hints, of which none may make a failure. */
export async function balanceOf({ rpc }: Pick<Ledger, 'rpc'>, pubkey: string): Promise<bigint | undefined> {
  try {
    return (await ask(rpc.getBalance(address(pubkey), { commitment: 'confirmed' }))).value;
  } catch {
    return undefined;
  }
}
