import type { Address, Instruction } from '@solana/kit';
import { must } from './delivery.js';
import { listerOf, type Escrow } from './escrow.js';
import { keyOf } from './keys.js';
import type { Relay } from './relay.js';
import { INCINERATOR } from './terms.js';

/** The purses that an instruction about leg 0 can pay, or take from. */
type Purse =
  | 'leg'
  | 'courier'
  | 'next'
  | 'lister'
  | 'receiver'
  | 'funder'
  | 'arbiter'
  | 'coordinator'
  | 'incinerator'
  | 'vault';

/** The gain of each; a purse with as much as before is left out. */
export type Gains = Readonly<Partial<Record<Purse, bigint>>>;

async function pursesOf(relay: Relay, escrow: Escrow): Promise<Readonly<Record<Purse, Address>>> {
  return {
    leg: await relay.hop(escrow, 0),
    courier: (await relay.courier(0)).address,
    next: (await relay.courier(1)).address,
    lister: listerOf(escrow).address,
    receiver: (await keyOf('receiver')).address,
    funder: escrow.funder.address,
    arbiter: (await keyOf('arbiter')).address,
    coordinator: relay.coordinator.address,
    incinerator: INCINERATOR,
    vault: escrow.vault,
  };
}

/** Lamports that instructions of one transaction move; nobody of these pays its fee. */
export async function gains(relay: Relay, escrow: Escrow, ...instructions: Instruction[]): Promise<Gains> {
  const purses = Object.entries(await pursesOf(relay, escrow));
  const balances = async () => Promise.all(purses.map(async ([, address]) => relay.lamports(address)));
  const before = await balances();
  must(await relay.ledger.send(...instructions));
  const after = await balances();
  return moved(Object.fromEntries(purses.map(([name], place) => [name, (after[place] ?? 0n) - (before[place] ?? 0n)])));
}

/** Without those who gain nothing. */
export function moved(gains: Gains): Gains {
  return Object.fromEntries(Object.entries(gains).filter(([, gain]) => gain !== 0n));
}
