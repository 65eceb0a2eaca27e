import { confirmLeg } from '@legwork/sdk';
import type { PackageDetail } from '@legwork/sdk';
import { z } from 'zod';
import { legAccount } from '../../legAccount.js';
import { localTool } from '../localTool.js';
import { RefusedError } from '../refusal.js';

export const takeOrHandOver = localTool({
  name: 'take_or_hand_over',
  title: 'Confirm that you received a parcel',
  description:
    'Signs that you received the parcel at the end of a leg: as the courier of the next leg when you take it over, or as the shipper ' +
    'when the last courier hands it to you. Pays the courier of that leg from escrow, for good. Call it only when a person says that ' +
    'the parcel is there. due_now tells packageId and legId of the legs that wait for you. Safe to repeat.',
  input: z.strictObject({ packageId: z.uuid(), legId: z.uuid() }),
  byHand: ({ legId }) => `legwork handoff ${legId}`,
  run: async ({ client, rpc, signer, config: { programId } }, { packageId, legId }) => {
    const parcel = await client.getPackage({ packageId });
    const legIndex = indexOf(parcel, legId, signer.address);
    const onChainLeg = await legAccount(programId, { packageId, shipperPubkey: parcel.shipperPubkey, legIndex });
    const { status, swarmStatus, signature } = await confirmLeg(client, rpc, signer, legId, onChainLeg);
    return { packageId, legId, legIndex, status, swarmStatus, signature, onChainLeg };
  },
});

/** @throws {RefusedError} when the package has no such leg, or another wallet confirms it */
function indexOf({ status, swarm, shipperPubkey }: PackageDetail, legId: string, own: string): number {
  const legs = swarm?.legs ?? [];
  const index = legs.findIndex(({ id }) => id === legId);
  if (index < 0) {
    const known = legs.map(({ id }) => id).join(', ') || 'none: no courier was chosen';
    throw new RefusedError('not_found', `the package (${status}) has no leg ${legId}; it has ${known}`);
  }
  const recipient = legs[index + 1]?.agentPubkey ?? shipperPubkey;
  if (recipient === own) return index;
  throw new RefusedError('wrong_recipient', `this leg is confirmed by ${recipient}, and this wallet is ${own}`);
}
