import type { Session } from '@legwork/agents';
import { rentMinimum } from '@legwork/program-client';
import {
  cancelDigitalTask,
  cancelPackage,
  closeDigitalTask,
  closePackage,
  type DigitalTaskDetail,
  formatAmount,
  formatSol,
  type Landed,
  type PackageDetail,
  reclaimDigitalTask,
  reclaimPackage,
  LegworkApiError,
  stillOpen,
  toLamports,
} from '@legwork/sdk';
import { address } from '@solana/kit';
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

/** Closes the account of what is over, as its funder or as the owner of the mandate that paid: its rent returns. Rule A-172. */
export async function* close(agent: Agent, { id }: { readonly id: string }): AsyncGenerator<Shown> {
  const session = await agent.session();
  const { client, rpc, signer } = session;
  const kind = await kindOf(session, id);
  const { account, funderPubkey } = await accountOf(session, kind, id);
  const { value } = await rpc.getBalance(address(account), { commitment: 'confirmed' }).send();
  // The rest of a closed account keeps the id used (P-67).
  const rentLamports = toLamports(value - rentMinimum(0));
  const rent = `${formatSol(rentLamports)} SOL of rent`;
  const whose = funderPubkey === signer.address ? 'this wallet' : funderPubkey;
  if (rentLamports > 0n) {
    const text = `Once it is over: ${rent} go to ${whose}, which paid for it. This wallet pays the fee.`;
    yield { data: undefined, text };
  }
  const signature = await (kind === 'package' ? closePackage : closeDigitalTask)(client, rpc, signer, id);
  const data = { id, funderPubkey, rentLamports, closeSignature: signature };
  yield { data, text: `${id} is closed, ${rent} are back at ${whose} (transaction ${signature})` };
}

async function accountOf({ client }: Session, kind: 'package' | 'task', id: string) {
  if (kind === 'package') {
    const { onChainPackage, funderPubkey } = await client.getPackage({ packageId: id });
    return { account: onChainPackage, funderPubkey };
  }
  const { onChainTask, funderPubkey } = await client.getDigitalTask({ taskId: id });
  return { account: onChainTask, funderPubkey };
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

/** Where another than the signer paid, such as a mandate, the output says so before it says who gets the rest. */
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
  throw new UserError(
    `There is no package and no digital task ${id}; legwork packages and legwork tasks list those that are open.`,
  );
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
