import { confirmLeg, formatSol } from '@legwork/sdk';
import type { Leg, PackageDetail } from '@legwork/sdk';
import type { Desk } from '../engine/desk.js';
import type { Move } from '../engine/move.js';
import { legAccount } from '../legAccount.js';
import type { CourierPolicy } from '../policy/policy.js';
import { inHand } from './handoff.js';

/** A fee with room for a priority fee, lamports. */
export const CONFIRM_LAMPORTS = 10_000n;

/**
 * The leg that this courier confirms when it takes the parcel over: the one under way, if the next one is its own. Undefined when it is
 * not its turn to receive.
 */
export function legToReceive({ swarm }: PackageDetail, courier: string): Leg | undefined {
  if (swarm?.status !== 'active') return undefined;
  const current = swarm.legs.find(({ status }) => status === 'pending');
  return current && swarm.legs[current.legIndex + 1]?.agentPubkey === courier ? current : undefined;
}

/** Takes a parcel over once it is in the courier's hands: the courier before is paid by this signature. Rule A-32. */
export function takeOver(
  { session, ask }: Pick<Desk, 'session' | 'ask'>,
  handoff: CourierPolicy['handoff'],
  folder: string,
  parcel: PackageDetail,
  leg: Leg,
): Move {
  const { client, rpc, signer, config } = session;
  const carryOut = async (signal: AbortSignal) => {
    const told = {
      packageId: parcel.id,
      legId: leg.id,
      description: parcel.description,
      from: leg.agentPubkey,
      place: { lat: leg.dropoffLat, lng: leg.dropoffLng },
      paysLamports: leg.agreedPaymentLamports,
    };
    await inHand(handoff, told, { folder, ask }, signal);
    signal.throwIfAborted();
    const { id: packageId, shipperPubkey } = parcel;
    const onChainLeg = await legAccount(config.programId, { packageId, shipperPubkey, legIndex: leg.legIndex });
    const { signature } = await confirmLeg(client, rpc, signer, leg.id, onChainLeg);
    return `took over package ${parcel.id}, which pays ${leg.agentPubkey} ${formatSol(leg.agreedPaymentLamports)} SOL: ${signature}`;
  };
  return {
    key: `takeOver:${leg.id}`,
    deadlineMs: parcel.deadline.getTime(),
    costLamports: CONFIRM_LAMPORTS,
    carryOut,
  };
}
