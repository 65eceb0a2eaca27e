import type { Agent } from './agent.js';
import type { Shown } from './output.js';

interface RegisterInput {
  readonly name?: string;
  readonly can?: string[];
}

/** Registers the key, signed, so that from then on nobody acts in its name unsigned. */
export async function register(agent: Agent, { name, can }: RegisterInput): Promise<Shown> {
  const { client, signer } = await agent.session();
  const { agentPubkey, airdrop } = await client.registerAgent({
    agentPubkey: signer.address,
    ...(name !== undefined && { displayName: name }),
    ...(can !== undefined && { capabilities: can }),
  });
  const gift =
    airdrop.status === 'sent' ? 'the faucet sent SOL to try things out' : `nothing from the faucet: ${airdrop.reason}`;
  return { data: { agentPubkey, airdrop }, text: `${agentPubkey} is registered; ${gift}` };
}
