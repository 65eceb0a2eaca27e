import { openField, receive, stillOpen } from '@legwork/sdk';
import type { Agent } from './agent.js';
import type { Shown } from './output.js';

/** Signs that this key received the parcel of a package, which pays the courier who brought it. Safe to repeat. */
export async function handoff(agent: Agent, { package: packageId }: { readonly package: string }): Promise<Shown> {
  const { client, signer, rpc } = await agent.session();
  // The wallet asks before it pays for what nobody has picked up.
  const received = await receive(client, signer, { packageId, evenBeforePickup: true }, { rpc });
  const { legId, status, finality, swarmStatus, signature } = received;
  const rest = swarmStatus === 'settled' ? 'the package is delivered' : 'the courier before you is paid';
  return {
    data: { packageId, legId, status, finality, swarmStatus, signature, ...openField(received) },
    text: `Confirmed: ${rest} (${finality}; transaction ${signature})${stillOpen(received)}`,
  };
}
