import { moved, type Gains } from './gains.js';
import type { Guarded } from './guards.js';
import { placesIn, type Kind } from './kinds.js';
import type { Ruling } from './moves.js';
import { Relay } from './relay.js';

/** A ledger whose arbiter has a wallet that can receive anything. */
export async function court(): Promise<Relay> {
  const relay = await Relay.initialised();
  await relay.person('arbiter');
  return relay;
}

/** The shares of the arbiter's ruling. */
export function division(stake: bigint, percent: bigint): Gains {
  const fee = stake / 2n;
  const courier = ((2n * stake - fee) * percent) / 100n;
  return moved({ leg: -2n * stake, courier, lister: 2n * stake - fee - courier, arbiter: fee });
}

/** A ruling of 60 percent on two disputed stakes, and what may be tried instead. */
export async function guardedRuling(relay: Relay, kind: Kind, form: Required<Ruling>['form']): Promise<Guarded> {
  await relay.person('arbiter');
  const escrow = await kind.staged(relay, 'disputed');
  const { owned, nobodys } = placesIn(kind, 4);
  return {
    instruction: await relay.moves.rule(escrow, { form, percent: 60 }),
    owned: { InvalidAccountOwner: [3, ...owned] },
    strangers: { Unauthorized: [0], InvalidAccount: [1, 2, ...nobodys, 7, 8], InvalidAccountOwner: [3, ...owned] },
    fixedAccounts: 9,
  };
}
