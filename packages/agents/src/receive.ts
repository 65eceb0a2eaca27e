import { legAddress, packageAddress, swarmAddress } from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import { afterLanding, confirmLeg, makeMove } from '@legwork/sdk';
import type { Leg, PackageDetail } from '@legwork/sdk';
import { address } from '@solana/kit';
import type { Session } from './wallet/session.js';

/** This wallet receives nothing of the package. Nothing was signed. */
export class NoParcelError extends Error {
  override readonly name = 'NoParcelError';
}

/** The leg at whose end this wallet receives the parcel: the one before its own, or, of the shipper, the last one. */
export function legToReceive({ swarm, shipperPubkey }: PackageDetail, own: string): Leg | undefined {
  const legs = swarm?.legs ?? [];
  return shipperPubkey === own ? legs.at(-1) : legs.find((_, index) => legs[index + 1]?.agentPubkey === own);
}

/**
 * Confirms that this wallet received the parcel of a package, which pays the courier who brought it, for good. The leg's account is
 * worked out here: what is signed is a leg of this package, whatever the service builds. Safe to repeat. Rule A-8.
 *
 * @throws {NoParcelError}, and what `confirmLeg` throws
 */
export async function receiveParcel({ client, rpc, signer, config }: Session, packageId: string) {
  const parcel = await client.getPackage({ packageId });
  const leg = legToReceive(parcel, signer.address);
  if (leg === undefined) throw new NoParcelError(`${signer.address} receives nothing of this package`);
  const program = address(config.programId);
  const account = await packageAddress(program, address(parcel.shipperPubkey), uuidToBytes(packageId));
  const onChainLeg = await legAddress(program, await swarmAddress(program, account), leg.legIndex);
  const about = { packageId, legIndex: leg.legIndex, onChainLeg };
  if (parcel.terms === null) return { ...(await confirmLeg(client, rpc, signer, leg.id, onChainLeg)), ...about };
  return { ...(await confirmByTurn({ client, rpc, signer }, parcel, leg, about)), ...about };
}

/** Of a leg with terms: who has it confirmed already is told so. */
async function confirmByTurn(
  { client, rpc, signer }: Pick<Session, 'client' | 'rpc' | 'signer'>,
  parcel: PackageDetail,
  { id: legId, stage, confirmSignature }: Leg,
  { packageId, onChainLeg }: { readonly packageId: string; readonly onChainLeg: string },
) {
  // The wallet asks a person before it pays for what nobody has picked up.
  const move = { packageId, legId, onChainLeg, action: 'confirm', evenBeforePickup: true } as const;
  const earlier = stage === 'completed' ? confirmSignature : null;
  const made = earlier === null ? await makeMove(client, signer, move, { rpc }) : { signature: earlier, open: null };
  const told = ({ finality, swarm }: PackageDetail) => ({
    legId,
    status: 'completed' as const,
    finality,
    swarmStatus: swarm?.status ?? ('active' as const),
  });
  if (made.open !== null) return { ...told(parcel), signature: made.signature, open: made.open };
  const take = async () => told(await client.getPackage({ packageId }));
  return afterLanding(made.signature, { what: 'read how the package stands now', take }, told(parcel));
}
