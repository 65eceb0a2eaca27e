import type { Agent } from './agent.js';
import type { Shown } from './output.js';

interface RegisterInput {
  readonly name?: string;
  readonly can?: string[];
}

/** Registers the key, signed, so that from then on nobody acts in its name unsigned. */
export async function register(agent: Agent, { name, can }: RegisterInput): Promise<Shown> {
  const { client, signer, policy } = await agent.session();
  const displayName = name ?? policy.name;
  const { agentPubkey, airdrop } = await client.registerAgent({
    agentPubkey: signer.address,
    ...(displayName !== undefined && { displayName }),
    ...(can !== undefined && { capabilities: can }),
  });
  const gift =
    airdrop.status === 'sent' ? 'the faucet sent SOL to try things out' : `nothing from the faucet: ${airdrop.reason}`;
  return { data: { agentPubkey, airdrop }, text: `${agentPubkey} is registered; ${gift}` };
}
