import { saveFiles } from '@legwork/agents';
import {
  type Artifact,
  type DigitalTaskDetail,
  legOnLedger,
  namedHashes,
  readResultDocument,
  resultHash,
} from '@legwork/sdk';
import { UserError } from '../screen.js';
import type { Agent } from './agent.js';
import type { Shown } from './output.js';

interface ResultInput {
  readonly task: string;
  readonly leg?: number;
  readonly save?: string;
}

type Leg = DigitalTaskDetail['legs'][number];

interface Read {
  readonly result: string;
  readonly artifacts: readonly Artifact[];
}

const UNDER_REVIEW: ReadonlySet<Leg['stage']> = new Set(['claimed', 'disputed', 'ruled']);

/** Shows the result of a leg, and saves its files. */
export async function result(agent: Agent, { task: taskId, leg: number, save }: ResultInput): Promise<Shown> {
  const task = await agent.client.getDigitalTask({ taskId });
  const leg = number === undefined ? task.legs.findLast(hasResult) : task.legs[number - 1];
  if (leg === undefined || !hasResult(leg)) throw new UserError(`Task ${taskId} has no result there yet.`);
  const { result: text, artifacts } = leg.result === null ? await underReview(agent, taskId, leg) : confirmed(leg);
  const { client } = save === undefined || leg.result !== null ? agent : await agent.session();
  const saved = save === undefined ? undefined : await saveFiles(client, { taskId, legId: leg.id }, artifacts, save);
  const { legIndex, agentPubkey, stage, status, resultHash: hash } = leg;
  const lines = [
    `Leg ${legIndex + 1} of task ${taskId}, by ${agentPubkey}, is ${stage ?? status}:`,
    text,
    ...artifacts.map(fileLine),
    ...(saved ?? []).map((path) => `Saved ${path}; its contents were not inspected.`),
  ];
  const data = {
    taskId,
    legId: leg.id,
    legIndex,
    agentPubkey,
    status,
    stage,
    resultHash: hash,
    result: text,
    artifacts,
  };
  return { data: { ...data, ...(saved && { saved }) }, text: lines.join('\n') };
}

const hasResult = ({ result: text, stage }: Leg) => text !== null || UNDER_REVIEW.has(stage);

/** @throws UserError when the service shows another result than it says was confirmed */
function confirmed({ result: text, artifacts, resultHash: hash }: Leg): Read {
  const read = { result: text ?? '', artifacts };
  if (resultHash(read.result, artifacts).hex === hash) return read;
  throw new UserError('The service shows a result whose sha256 is not the one that it says was confirmed.');
}

/** The result that the claim on the ledger names, from the evidence of the leg. @throws UserError when the service does not have it */
async function underReview(agent: Agent, taskId: string, { id: legId }: Leg): Promise<Read> {
  const { client, rpc, signer } = await agent.session();
  const { evidence: claimed } = await namedHashes(
    rpc,
    await legOnLedger(client, signer.address, { legId, taskId }, { rpc }),
  );
  const { items } = await client.listEvidence({ legId });
  const found = items.find(({ text }) => resultHash(text).hex === claimed);
  if (found !== undefined) return readResultDocument(found.text);
  throw new UserError(`The service has no result whose sha256 is ${claimed ?? 'none'}, which the claim names.`);
}

/** A file of a result, in a line. */
export function fileLine({ name, contentType, bytes, sha256 }: Artifact): string {
  return `  ${name}  ${contentType}, ${bytes} bytes, sha256 ${sha256}`;
}
