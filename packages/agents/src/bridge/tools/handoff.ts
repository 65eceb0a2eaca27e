import { legAddress, packageAddress, swarmAddress } from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import { confirmLeg } from '@legwork/sdk';
import type { PackageDetail } from '@legwork/sdk';
import { address } from '@solana/kit';
import { z } from 'zod';
import type { Session } from '../../wallet/session.js';
import { localTool } from '../localTool.js';
import { RefusedError } from '../refusal.js';

export const takeOrHandOver = localTool({
  name: 'take_or_hand_over',
  title: 'Confirm that you received a parcel',
  description:
    'Signs that you received the parcel at the end of leg legIndex (0 is the first): as the courier of the next leg when you take it ' +
    'over, or as the shipper when the last courier hands it to you. Pays the courier of that leg from escrow, for good. Call it only ' +
    'when a person says that the parcel is there. due_now tells which legs wait for you. Safe to repeat.',
  input: z.strictObject({ packageId: z.uuid(), legIndex: z.int().min(0).max(15) }),
  run: async (session, { packageId, legIndex }) => {
    const { client, rpc, signer } = session;
    const parcel = await client.getPackage({ packageId });
    const leg = parcel.swarm?.legs[legIndex];
    if (leg === undefined) throw noLeg(parcel, legIndex);
    const onChainLeg = await accountOf(session, parcel, packageId, legIndex);
    const { status, swarmStatus, signature } = await confirmLeg(client, rpc, signer, leg.id, onChainLeg);
    return { packageId, legIndex, status, swarmStatus, signature, onChainLeg };
  },
});

/**
 * Where the program keeps the leg, worked out here: what is signed is a leg of this package, whatever the service builds. Rule A-73.
 *
 * @throws {RefusedError} when another wallet confirms this leg
 */
async function accountOf(session: Session, parcel: PackageDetail, packageId: string, index: number): Promise<string> {
  const own = session.signer.address;
  const recipient = parcel.swarm?.legs[index + 1]?.agentPubkey ?? parcel.shipperPubkey;
  if (recipient !== own) {
    throw new RefusedError('wrong_recipient', `leg ${index} is confirmed by ${recipient}, and this wallet is ${own}`);
  }
  const program = address(session.config.programId);
  const account = await packageAddress(program, address(parcel.shipperPubkey), uuidToBytes(packageId));
  return legAddress(program, await swarmAddress(program, account), index);
}

function noLeg({ status, swarm }: PackageDetail, legIndex: number): RefusedError {
  const what = swarm === null ? 'no courier was chosen yet' : `its legs are 0 to ${swarm.legs.length - 1}`;
  return new RefusedError('not_found', `the package (${status}) has no leg ${legIndex}: ${what}`);
}
