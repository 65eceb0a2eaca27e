import { confirmLeg } from '@legwork/sdk';
import type { PackageDetail } from '@legwork/sdk';
import { z } from 'zod';
import { legAccount } from '../../legAccount.js';
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
    const onChainLeg = await ownLegAccount(session, parcel, packageId, legIndex);
    const { status, swarmStatus, signature } = await confirmLeg(client, rpc, signer, leg.id, onChainLeg);
    return { packageId, legIndex, status, swarmStatus, signature, onChainLeg };
  },
});

/**
 * What is signed is this leg of this package, whatever the service builds. Rule A-73.
 *
 * @throws {RefusedError} when another wallet confirms this leg
 */
function ownLegAccount(
  { signer, config }: Session,
  { swarm, shipperPubkey }: PackageDetail,
  packageId: string,
  legIndex: number,
): Promise<string> {
  const recipient = swarm?.legs[legIndex + 1]?.agentPubkey ?? shipperPubkey;
  if (recipient === signer.address) return legAccount(config.programId, { packageId, shipperPubkey, legIndex });
  throw new RefusedError('wrong_recipient', `leg ${legIndex} is confirmed by ${recipient}, not by ${signer.address}`);
}

function noLeg({ status, swarm }: PackageDetail, legIndex: number): RefusedError {
  const what = swarm === null ? 'no courier was chosen yet' : `its legs are 0 to ${swarm.legs.length - 1}`;
  return new RefusedError('not_found', `the package (${status}) has no leg ${legIndex}: ${what}`);
}
