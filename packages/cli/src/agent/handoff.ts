import { confirmLeg } from '@legwork/sdk';
import type { Agent } from './agent.js';
import type { Shown } from './output.js';

/** Signs that this key received the parcel at the end of a leg, which pays the courier of that leg. Safe to repeat. */
export async function handoff(agent: Agent, { leg }: { readonly leg: string }): Promise<Shown> {
  const { client, rpc, signer } = await agent.session();
  const { status, finality, swarmStatus, signature } = await confirmLeg(client, rpc, signer, leg);
  const rest = swarmStatus === 'settled' ? 'the package is delivered' : 'the courier before you is paid';
  return {
    data: { legId: leg, status, finality, swarmStatus, signature },
    text: `Confirmed: ${rest} (${finality}; transaction ${signature})`,
  };
}
