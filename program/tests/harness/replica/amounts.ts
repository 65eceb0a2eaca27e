import type { Address } from '@solana/kit';
import {
  ACCEPTED,
  CARRIED,
  DISPUTED,
  ENDED,
  legAt,
  type Move,
  type State,
} from '../../../../packages/protocol/tests/termsModel/machine.js';
import { INCINERATOR } from '../terms.js';

/** The parties with a stake in what a move pays. */
export interface Parties {
  /** By leg. */
  readonly couriers: readonly Address[];
  readonly disputer: Address;
  readonly arbiter: Address;
  readonly funder: Address;
}

/** Lamports of a package or task with terms. */
export interface Amounts {
  readonly stake: bigint;
  readonly payment: bigint;
  /** The vault's balance, rent included. */
  readonly vault: bigint;
  /** Of the ruling that the move makes, or carries out. */
  readonly percent: bigint;
}

/** The gain or loss of each wallet by a move, apart from rent that the coordinator advanced. */
export function gains(state: State, move: Move, parties: Parties, amounts: Amounts): Map<Address, bigint> {
  const gained = new Map<Address, bigint>();
  const add = (who: Address, lamports: bigint) => gained.set(who, (gained.get(who) ?? 0n) + lamports);
  const { stake, payment, percent } = amounts;
  const { disputer, arbiter, funder } = parties;
  if (move.next.current === ENDED) {
    add(funder, amounts.vault);
    for (const [index, { status }] of state.legs.entries()) {
      if (status === ACCEPTED) add(courierOf(parties, index), stake);
      if (status === CARRIED) add(funder, stake);
    }
    return gained;
  }
  const courier = courierOf(parties, move.leg);
  const fee = stake / 2n;
  const rest = 2n * stake - fee;
  const share = (rest * percent) / 100n;
  const isDisputed = legAt(state, move.leg).status === DISPUTED;
  const byStakes: Readonly<Record<Move['stakes'], readonly (readonly [Address, bigint])[]>> = {
    none: [],
    posted: [[courier, -stake]],
    matched: [[disputer, -stake]],
    returned: [
      [courier, stake],
      [disputer, isDisputed ? stake : 0n],
    ],
    forfeited: [],
    divided: [
      [courier, share],
      [disputer, rest - share],
      [arbiter, fee],
    ],
    defaulted: [
      [courier, stake],
      [disputer, stake - fee],
      [INCINERATOR, fee],
    ],
  };
  for (const [who, lamports] of byStakes[move.stakes]) add(who, lamports);
  if (move.pays === 'all') add(courier, payment);
  if (move.pays === 'as ruled') add(courier, (payment * percent) / 100n);
  return gained;
}

function courierOf({ couriers }: Parties, leg: number): Address {
  const courier = couriers[leg];
  if (courier === undefined) throw new Error(`Nobody has leg ${leg}`);
  return courier;
}
