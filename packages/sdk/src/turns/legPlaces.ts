import { legAddress, packageAddress, swarmAddress, taskAddress, taskLegAddress } from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import { address } from '@solana/kit';
import type { Address } from '@solana/kit';
import type { AnyLeg, ListingOf } from './readLeg.js';

/** Where the ledger has a leg, and what a move of it names beside it. */
export type Places = Pick<AnyLeg, 'listing' | 'swarm' | 'before' | 'address' | 'after'>;

export type ListingKind = 'package' | 'task';

/** Where the ledger has a leg of the package or task at this address, or had it: settling closes its account. */
export function placesOf(programId: Address, listing: Address, index: number, kind: ListingKind): Promise<Places> {
  return kind === 'task' ? legOfTask(programId, listing, index) : legOfPackage(programId, listing, index);
}

/** The listing of a leg, by a service's word. */
type Said = ListingOf & { readonly shipperPubkey: string };

/** Where it is, or was, by what the service says of lister and listing. */
export async function placesSaid(programId: Address, said: Said, index: number): Promise<Places> {
  const lister = address(said.shipperPubkey);
  return said.taskId === undefined
    ? legOfPackage(programId, await packageAddress(programId, lister, uuidToBytes(said.packageId)), index)
    : legOfTask(programId, await taskAddress(programId, lister, uuidToBytes(said.taskId)), index);
}

async function legOfPackage(programId: Address, listing: Address, index: number): Promise<Places> {
  const swarm = await swarmAddress(programId, listing);
  return {
    listing,
    swarm,
    before: index === 0 ? undefined : await legAddress(programId, swarm, index - 1),
    address: await legAddress(programId, swarm, index),
    after: await legAddress(programId, swarm, index + 1),
  };
}

async function legOfTask(programId: Address, listing: Address, index: number): Promise<Places> {
  const place = await taskLegAddress(programId, listing, index);
  return { listing, swarm: undefined, before: undefined, address: place, after: undefined };
}
