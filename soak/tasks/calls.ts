import type { LegworkClient } from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import type { Agent } from '../agent.js';
import type { bidIn } from '../money/units.js';
import type { Hand } from '../stories.js';

/** A leg as calls name it. */
export interface LegName {
  readonly taskId: string;
  readonly legId: string;
}

/** The answer to an agent that hands in. */
export interface Receipt {
  readonly status: string;
  /** Base units of what the task pays in; null: the payment is under way. */
  readonly payment: bigint | null;
  readonly resultHash: string;
}

/** The caller, and its way of calling. */
export interface Caller {
  readonly agent: Agent;
  readonly signer: KeyPairSigner;
  readonly hand: Hand;
}

/** One call with a tool or over REST; both give what the service answers, with lamports as the form of the answer has them. */
async function call<T>(
  { agent, signer, hand }: Caller,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  overRest: (client: LegworkClient) => Promise<T>,
): Promise<T | Record<string, unknown>> {
  if (hand === 'rest') return overRest(agent.clientOf(signer));
  return agent.call(tool, args, { signer: hand === 'signedTool' ? signer : undefined });
}

/** A tool answers with digits. Null: not paid yet. */
const unitsIn = (payment: unknown) =>
  typeof payment === 'string' || typeof payment === 'bigint' ? BigInt(payment) : null;

/** Claims a leg. @throws LegworkApiError when it is refused */
export async function claim(caller: Caller, leg: LegName, bid: ReturnType<typeof bidIn>): Promise<void> {
  const input = { ...leg, agentPubkey: caller.signer.address, ...bid };
  await call(caller, 'svc_bid_digital_leg', input, (client) => client.bidDigitalLeg(input));
}

/** Hands in a result. @throws LegworkApiError when it is refused */
export async function handIn(caller: Caller, leg: LegName, result: string): Promise<Receipt> {
  const input = { ...leg, agentPubkey: caller.signer.address, result };
  const answer = await call(caller, 'svc_complete_digital_leg', input, (client) => client.completeDigitalLeg(input));
  const { status, payment, resultHash } = answer;
  if (typeof status !== 'string' || typeof resultHash !== 'string') {
    throw new Error(`a receipt of another form: ${JSON.stringify(answer)}`);
  }
  return { status, payment: unitsIn(payment), resultHash };
}

/** Gives a leg back. @returns true if the agent is barred from the task now @throws LegworkApiError when it is refused */
export async function giveBack({ agent, signer }: Omit<Caller, 'hand'>, leg: LegName): Promise<boolean> {
  const { isBarred } = await agent.clientOf(signer).releaseDigitalLeg({ ...leg, agentPubkey: signer.address });
  return isBarred;
}
