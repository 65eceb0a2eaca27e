import type { Session } from '@legwork/agents';
import {
  cancelDigitalTask,
  cancelPackage,
  type DigitalTaskDetail,
  formatAmount,
  type Landed,
  type PackageDetail,
  reclaimDigitalTask,
  reclaimPackage,
  LegworkApiError,
  stillOpen,
} from '@legwork/sdk';
import { UserError } from '../screen.js';
import type { Agent } from './agent.js';
import type { Shown } from './output.js';

type Exit = (session: Session, id: string) => Promise<(PackageDetail | DigitalTaskDetail) & Partial<Landed>>;

/** Cancels a package or task that nobody works on, as its lister or as the owner of the mandate that paid: the whole escrow returns. Safe to repeat. */
export function cancel(agent: Agent, { id }: { readonly id: string }): AsyncGenerator<Shown> {
  return end(agent, id, {
    package: ({ client, rpc, signer }) => cancelPackage(client, rpc, signer, id),
    task: ({ client, rpc, signer }) => cancelDigitalTask(client, rpc, signer, id),
  });
}

/** Takes back what is left in escrow after the deadline. Safe to repeat. */
export function reclaim(agent: Agent, { id }: { readonly id: string }): AsyncGenerator<Shown> {
  return end(agent, id, {
    package: ({ client, rpc, signer }) => reclaimPackage(client, rpc, signer, id),
    task: ({ client, rpc, signer }) => reclaimDigitalTask(client, rpc, signer, id),
  });
}

async function* end(agent: Agent, id: string, exits: { package: Exit; task: Exit }): AsyncGenerator<Shown> {
  const session = await agent.session();
  const kind = await kindOf(session, id);
  yield* whereItGoes(session, kind, id);
  const ended = await exits[kind](session, id);
  const { status, failureReason, refund, signature } = ended;
  const endSignature = ended.endSignature ?? signature;
  const back = refund === null ? '' : `, ${formatAmount(refund, ended)} are back`;
  yield {
    data: ended,
    text: `${id} is ${failureReason ?? status}${back} (transaction ${endSignature})${stillOpen(ended)}`,
  };
}

/** Where another one paid than who signs, such as a mandate, it is said before who gets the rest. */
async function* whereItGoes({ client, signer }: Session, kind: 'package' | 'task', id: string): AsyncGenerator<Shown> {
  const { funderPubkey, shipperPubkey } =
    kind === 'package' ? await client.getPackage({ packageId: id }) : await client.getDigitalTask({ taskId: id });
  if (funderPubkey === signer.address || funderPubkey === shipperPubkey) return;
  const text = `${funderPubkey} paid for it: what is left returns there, with the rent of the vault. This wallet pays the fee.`;
  yield { data: undefined, text };
}

/** @throws UserError when it is neither */
export async function kindOf({ client }: Pick<Session, 'client'>, id: string): Promise<'package' | 'task'> {
  if (await isThere(client.getPackage({ packageId: id }))) return 'package';
  if (await isThere(client.getDigitalTask({ taskId: id }))) return 'task';
  throw new UserError(`There is no package and no digital task ${id}.`);
}

async function isThere(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading;
    return true;
  } catch (error) {
    if (error instanceof LegworkApiError && error.code === 'not_found') return false;
    throw error;
  }
}
