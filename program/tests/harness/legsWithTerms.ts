// Instructions about legs with terms that depend on what the other legs are: rulings, confirmations, replacements, exits.
import { getAssignLegInstruction, getRuleInstruction, LegStatus, type Leg, type Turn } from '@legwork/program-client';
import { AccountRole, type Address, type Instruction, type KeyPairSigner } from '@solana/kit';
import type { Delivery } from './delivery.js';
import type { Relay } from './relay.js';

/** What comes here is burnt. */
export const INCINERATOR = '1nc1nerator11111111111111111111111111111111' as Address;
/** What the arbiter's silence rules. */
const DEFAULT_PERCENT = 50;

export type LegWithTurn = Omit<Leg, 'turn'> & { readonly turn: Turn };

/** Who rules: the arbiter, both sides together, or anyone after the arbiter's clock. */
export type Ruling =
  | { readonly form: 'ruling'; readonly signer: KeyPairSigner; readonly percent: number }
  | {
      readonly form: 'agreement';
      readonly signer: KeyPairSigner;
      readonly courier: KeyPairSigner;
      readonly percent: number;
    }
  | { readonly form: 'default'; readonly signer: KeyPairSigner };

/** Ends the dispute about a leg that is in this state. */
export async function ruling(
  relay: Relay,
  delivery: Delivery,
  leg: LegWithTurn,
  { form, signer, ...how }: Ruling,
): Promise<Instruction> {
  const { programAddress, config } = relay;
  const { package: listing, vault, swarm } = delivery;
  const [receiver, arbiter] = [await relay.person('receiver'), await relay.person('arbiter')];
  const accounts = {
    signer,
    worker: 'courier' in how ? how.courier : leg.courier,
    other: leg.turn.disputer === 2 ? receiver.address : delivery.shipper.address,
    config,
    listing,
    swarm,
    leg: await relay.leg(delivery, leg.index),
    fee: form === 'default' ? INCINERATOR : arbiter.address,
    vault,
  };
  const percent = 'percent' in how ? how.percent : DEFAULT_PERCENT;
  return getRuleInstruction({ ...accounts, formation: leg.turn.formation, percent }, { programAddress });
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
  return relay.confirm(delivery, { index, courier, recipient, formation, ...(next && { next: next.index }) });
}

/** Gives the vacant leg of this index, among so many, to somebody else. */
export async function replacement(
  relay: Relay,
  delivery: Delivery,
  {
    index,
    legs,
    courier,
    payment,
  }: { readonly index: number; readonly legs: number; readonly courier: Address; readonly payment: bigint },
  coordinator: KeyPairSigner = relay.coordinator,
): Promise<Instruction> {
  const { config, programAddress } = relay;
  const { package: address, swarm } = delivery;
  const beside = (leg: number) => (leg >= 0 && leg < legs ? relay.leg(delivery, leg) : programAddress);
  const neighbours = [await beside(index - 1), await beside(index + 1)];
  const [leg, reputation] = [await relay.leg(delivery, index), await relay.reputationOf(courier)];
  const accounts = { coordinator, config, package: address, swarm, leg, courier, reputation, neighbours };
  return getAssignLegInstruction({ ...accounts, index, paymentLamports: payment }, { programAddress });
}

/** The exit of a package with so many assigned legs; of those with terms, couriers who accepted get their stakes. */
export async function reclaimOf(
  relay: Relay,
  delivery: Delivery,
  assigned: number,
  legs: readonly LegWithTurn[],
  signer: KeyPairSigner = delivery.funder,
): Promise<Instruction> {
  const reclaim = await relay.reclaim(delivery, assigned, signer);
  const accepted = legs.filter(({ status }) => status === LegStatus.Accepted);
  const couriers = accepted.map(({ courier }) => ({ address: courier, role: AccountRole.WRITABLE }));
  return { ...reclaim, accounts: [...(reclaim.accounts ?? []), ...couriers] };
}
