import { formatSol } from '@legwork/sdk';
import type { Leg, PackageDetail } from '@legwork/sdk';
import type { Desk } from '../engine/desk.js';
import { FEE_LAMPORTS } from '../engine/move.js';
import type { Move } from '../engine/move.js';
import type { CourierPolicy } from '../policy/policy.js';
import { legToReceive, receiveParcel } from '../receive.js';
import { inHand } from './handoff.js';

/** The leg that this courier ends by taking the parcel over; undefined while it is not its turn. */
export function legToTakeOver(parcel: PackageDetail, courier: string): Leg | undefined {
  const current = parcel.swarm?.legs.find(({ status }) => status === 'pending');
  const isNow = parcel.swarm?.status === 'active' && current?.id === legToReceive(parcel, courier)?.id;
  return isNow ? current : undefined;
}

/** Takes a parcel over once it is in the courier's hands: the courier before is paid by this signature. Rule A-32. */
export function takeOver(
  { session, ask }: Pick<Desk, 'session' | 'ask'>,
  handoff: CourierPolicy['handoff'],
  folder: string,
  parcel: PackageDetail,
  leg: Leg,
): Move {
  const carryOut = async (signal: AbortSignal) => {
    const told = {
      packageId: parcel.id,
      legId: leg.id,
      description: parcel.description,
      from: leg.agentPubkey,
      place: { lat: leg.dropoffLat, lng: leg.dropoffLng },
      paysLamports: leg.agreedPaymentLamports,
    };
    await inHand(handoff, told, { folder, ask, by: session.policy }, signal);
    signal.throwIfAborted();
    const { signature } = await receiveParcel(session, parcel.id);
    return `took over package ${parcel.id}, which pays ${leg.agentPubkey} ${formatSol(leg.agreedPaymentLamports)} SOL: ${signature}`;
  };
  return {
    key: `takeOver:${leg.id}`,
    deadlineMs: parcel.deadline.getTime(),
    costLamports: FEE_LAMPORTS,
    carryOut,
  };
}
