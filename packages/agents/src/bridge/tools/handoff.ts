import { openField, receive } from '@legwork/sdk';
import { z } from 'zod';
import { localTool } from '../localTool.js';

export const takeOrHandOver = localTool({
  name: 'take_or_hand_over',
  title: 'Confirm that you received a parcel',
  description:
    'Signs that you received the parcel of a package: as a courier when you take it over from the one before, or as the shipper when ' +
    'the last courier hands it to you. Pays the courier who brought it from escrow, for good. Call it only when a person says that the ' +
    'parcel is there. due_now tells which parcels wait for you. Safe to repeat.',
  input: z.strictObject({ packageId: z.uuid() }),
  run: async ({ client, signer, rpc }, { packageId }) => {
    // The wallet asks a person before it pays for what nobody has picked up.
    const received = await receive(client, signer, { packageId, evenBeforePickup: true }, { rpc });
    const { legId, legIndex, status, swarmStatus, signature, onChainLeg } = received;
    return { packageId, legId, legIndex, status, swarmStatus, signature, onChainLeg, ...openField(received) };
  },
});
