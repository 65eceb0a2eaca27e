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

/** Cancels a package or task that nobody works on: the whole escrow returns. Safe to repeat. */
export function cancel(agent: Agent, { id }: { readonly id: string }): Promise<Shown> {
  return end(agent, id, {
    package: ({ client, rpc, signer }) => cancelPackage(client, rpc, signer, id),
    task: ({ client, rpc, signer }) => cancelDigitalTask(client, rpc, signer, id),
  });
}

/** Takes back what is left in escrow after the deadline. Safe to repeat. */
export function reclaim(agent: Agent, { id }: { readonly id: string }): Promise<Shown> {
  return end(agent, id, {
    package: ({ client, rpc, signer }) => reclaimPackage(client, rpc, signer, id),
    task: ({ client, rpc, signer }) => reclaimDigitalTask(client, rpc, signer, id),
  });
}

async function end(agent: Agent, id: string, exits: { package: Exit; task: Exit }): Promise<Shown> {
  const session = await agent.session();
  const ended = await exits[await kindOf(session, id)](session, id);
  const { status, failureReason, refund, signature } = ended;
  const endSignature = ended.endSignature ?? signature;
  const back = refund === null ? '' : `, ${formatAmount(refund, ended)} are back`;
  return {
    data: ended,
    text: `${id} is ${failureReason ?? status}${back} (transaction ${endSignature})${stillOpen(ended)}`,
  };
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
