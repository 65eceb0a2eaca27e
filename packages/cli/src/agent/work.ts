import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { handed, type Session, uploadFiles } from '@legwork/agents';
import {
  asked,
  completeDigitalLeg,
  type DigitalTaskDetail,
  everyItem,
  formatAmount,
  isInSol,
  makeMove,
  stillOpen,
  type QueuedLeg,
} from '@legwork/sdk';
import { UsageError, UserError } from '../screen.js';
import { orNoSuchFile } from '../paths.js';
import type { Agent } from './agent.js';
import { requireLimits, unitsOf } from './assets.js';
import { withReputation } from './market.js';
import { told } from './moves.js';
import { minuteOf, type Shown } from './output.js';

interface ClaimInput {
  readonly task: string;
  readonly leg?: number;
  readonly bid?: number;
}

/** Claims the leg of a digital task that was named by its number, or else its first open one. */
export async function claim(agent: Agent, { task: taskId, leg: number, bid }: ClaimInput): Promise<Shown> {
  const task = await agent.client.getDigitalTask({ taskId });
  const session = await agent.session(undefined, [], isInSol(task) ? undefined : { asset: task.asset, amount: 0n });
  const { client, signer } = session;
  requireLimits(session, task);
  const { legs, paymentPerLeg, terms } = task;
  const leg = number === undefined ? legs.find(({ isOpen }) => isOpen) : legs[number - 1];
  if (leg === undefined) {
    const which = number === undefined ? 'no open leg' : `${legs.length} legs, and no leg ${number}`;
    throw new UserError(`Task ${taskId} has ${which}. These can be claimed: ${agent.command('tasks')}`);
  }
  // A key without a reputation cannot claim where both sides are bound.
  if (terms !== null) await withReputation(session, task);
  const claimed = {
    taskId,
    legId: leg.id,
    agentPubkey: signer.address,
    ...asked('bid', bid === undefined ? paymentPerLeg : unitsOf(bid, task), task),
  };
  const answer = await client.bidDigitalLeg(claimed);
  return { data: answer, text: wordsOf(agent, answer, terms) };
}

type Claimed = Awaited<ReturnType<Session['client']['bidDigitalLeg']>>;

function wordsOf(
  agent: Agent,
  { legId, legIndex, isWorkable, dueAt, instruction, previousResult, ...answer }: Claimed,
  terms: DigitalTaskDetail['terms'],
): string {
  const pay = `it pays ${formatAmount(answer.paymentPerLeg, answer)}`;
  if (!isWorkable)
    return `Leg ${legIndex + 1} is reserved for you; ${pay}. This says when its turn has come: ${agent.command('due')}`;
  return [
    `Leg ${legIndex + 1} is yours${dueAt === null ? '' : ` until ${minuteOf(dueAt)}`}; ${pay}.`,
    `What it asks for:\n${instruction}`,
    ...(previousResult === null ? [] : [`What the leg before made of it:\n${previousResult}`]),
    ...(terms
      ? [`First stake ${formatAmount(terms.stake, answer)} on it: ${agent.command(`move accept ${legId}`)}`]
      : []),
    `Then: ${agent.command(`done ${legId} --file FILE`)}`,
  ].join('\n\n');
}

interface DoneInput {
  readonly leg: string;
  readonly file: string;
  readonly attach?: readonly string[];
}

/** Hands in the result of a leg with its files, and claims the leg with it if the task has terms. Safe to repeat with the same result. */
export async function done(agent: Agent, { leg: legId, file, attach = [] }: DoneInput): Promise<Shown> {
  const result = file === '-' ? await textOf(process.stdin) : await orNoSuchFile(file, readFile(file, 'utf8'));
  if (result === '') throw new UsageError(`${file === '-' ? 'Standard input' : file} is empty. Give the result in it.`);
  const session = await agent.session();
  const { taskId } = await ownLeg(agent, session, legId);
  const { client, signer, rpc } = session;
  const artifacts = (await uploadFiles(client, { taskId, legId }, attach)).map(handed);
  const given = { taskId, legId, result, ...(artifacts.length > 0 && { artifacts }) };
  const answer = await completeDigitalLeg(client, signer, given, { rpc });
  const files = attach.length === 0 ? '' : ` with ${attach.length} ${attach.length === 1 ? 'file' : 'files'}`;
  return {
    data: answer,
    text: `Handed in${files}, sha256 ${answer.resultHash}; ${whatComes(answer)}${stillOpen(answer.claim ?? {})}`,
  };
}

type Completed = Awaited<ReturnType<typeof completeDigitalLeg>>;

function whatComes({ payment, confirmSignature, stage, claim, ...of }: Completed): string {
  if (payment !== null) return `you are paid ${formatAmount(payment, of)} (transaction ${confirmSignature})`;
  if (stage === null) return 'the payment is under way';
  const end = claim?.until ? ` until ${minuteOf(claim.until)}; silence pays you` : '';
  return `the leg is ${stage}${end}`;
}

/** Gives a leg back; one with terms that is assigned is left by its agent's own signature. */
export async function release(agent: Agent, { leg: legId }: { readonly leg: string }): Promise<Shown> {
  const session = await agent.session();
  const { client, signer, rpc } = session;
  const { taskId } = await ownLeg(agent, session, legId);
  const { legs } = await client.getDigitalTask({ taskId });
  const isBound = legs.some(({ id, stage }) => id === legId && stage !== null);
  if (isBound) return told(agent, await makeMove(client, signer, { taskId, legId, action: 'vacate' }, { rpc }));
  const answer = await client.releaseDigitalLeg({ taskId, legId, agentPubkey: signer.address });
  const trace = answer.isBarred
    ? 'it stays among those you accepted, and you get no other leg of this task'
    : 'it leaves no trace';
  return { data: answer, text: `Given back; ${trace}` };
}

/** The leg of a digital task among those of this key. @throws UserError when it has no such leg */
async function ownLeg(
  agent: Agent,
  { client, signer }: Session,
  legId: string,
): Promise<Extract<QueuedLeg, { kind: 'digital' }>> {
  for await (const leg of everyItem(client.listAgentLegs, { agentPubkey: signer.address })) {
    if (leg.id === legId && leg.kind === 'digital') return leg;
  }
  throw new UserError(
    `${legId} is no leg of a digital task that ${signer.address} has. This lists what waits for you: ${agent.command('due')}`,
  );
}
