// The values that instructions about legs with terms take from the legs' accounts.
import { LegStatus } from '@legwork/program-client';
import type { Address, Instruction, KeyPairSigner } from '@solana/kit';
import type { Delivery } from './delivery.js';
import { listerOf, type Escrow, type LegWithTurn, type TaskLegWithTurn } from './escrow.js';
import type { Ruling } from './moves.js';
import type { Relay } from './relay.js';

const BY_RECEIVER = 2;

/** The disputer of the leg; the lister if nobody disputes it. */
export async function otherSideOf(
  relay: Relay,
  escrow: Escrow,
  { turn }: LegWithTurn | TaskLegWithTurn,
): Promise<Address> {
  return turn.note === BY_RECEIVER ? (await relay.person('receiver')).address : listerOf(escrow).address;
}

/** Rules a leg in this state, whose courier signs an agreement. */
export async function rulingOf(
  relay: Relay,
  escrow: Escrow,
  leg: LegWithTurn | TaskLegWithTurn,
  ruling: Ruling & { readonly courier: KeyPairSigner },
): Promise<Instruction> {
  const { index, turn } = leg;
  const other = await otherSideOf(relay, escrow, leg);
  return relay.moves.rule(escrow, { index, formation: turn.formation, other, ...ruling });
}

/** The confirmation of a leg in this state by somebody; with `takesOver`, by the next courier, who has the parcel now. */
export async function confirmationOf(
  relay: Relay,
  delivery: Delivery,
  legs: { readonly leg: LegWithTurn; readonly next: LegWithTurn | undefined },
  { recipient, takesOver }: { readonly recipient: KeyPairSigner; readonly takesOver: boolean },
): Promise<Instruction> {
  const { leg, next } = legs;
  const { index, courier, turn } = leg;
  const formation = takesOver && next ? Math.max(turn.formation, next.turn.formation) : turn.formation;
  const counted = takesOver && next ? { counted: next.courier } : {};
  return relay.confirm(delivery, {
    index,
    courier,
    recipient,
    formation,
    ...(next && { next: next.index }),
    ...counted,
  });
}

/** Couriers whose stakes return when the package is reclaimed. */
export function acceptedCouriers(legs: readonly LegWithTurn[]): Address[] {
  return legs.filter(({ status }) => status === LegStatus.Accepted).map(({ courier }) => courier);
}
