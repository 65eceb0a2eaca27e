import { bidChances, chancesInWords } from '@legwork/agents';
import { type DigitalTaskDetail, formatAmount, type PackageDetail } from '@legwork/sdk';
import type { Agent } from './agent.js';
import { kindOf } from './exits.js';
import { minuteOf, type Shown } from './output.js';

/** A package or a task as it is now, and while nobody takes it, why that may be. */
export async function show(agent: Agent, { id }: { readonly id: string }): Promise<Shown> {
  const { client } = agent;
  if ((await kindOf({ client }, id)) === 'task') return taskShown(await client.getDigitalTask({ taskId: id }));
  const parcel = await client.getPackage({ packageId: id });
  const isWaiting = parcel.status === 'listed' && parcel.bids === 0 && parcel.documentKnown;
  const chances = isWaiting ? await bidChances(client, parcel) : undefined;
  const lines = [...packageLines(parcel), ...(chances ? [chancesInWords(chances)] : [])];
  return { data: { ...parcel, ...(chances && { chances }) }, text: lines.join('\n') };
}

/** An empty text may pass for what the lister wrote. */
const unknown = ({ documentKnown }: { readonly documentKnown: boolean }) =>
  documentKnown
    ? []
    : [
        '  the service lost what it says: nobody can bid or claim until somebody who kept its papers gives them (legwork papers give)',
      ];

function packageLines(parcel: PackageDetail): string[] {
  const { id, status, failureReason, description, bids, maxBudget, deadline, swarm } = parcel;
  const way = parcel.documentKnown
    ? `${parcel.originLat},${parcel.originLng} -> ${parcel.destLat},${parcel.destLng}, `
    : '';
  return [
    `Package ${id} is ${(failureReason ?? status).replace('_', ' ')}: ${JSON.stringify(description)}`,
    ...unknown(parcel),
    `  ${way}up to ${formatAmount(maxBudget, parcel)}, until ${minuteOf(deadline)}; ${bids} ${bids === 1 ? 'bid' : 'bids'}`,
    ...(swarm?.legs ?? []).map(
      ({ legIndex, id: legId, agentPubkey, stage, status: legStatus, until, agreedPayment }) =>
        `  leg ${legIndex + 1} (${legId}) of ${agentPubkey} is ${stage ?? legStatus}${until ? `, until ${minuteOf(until)}` : ''}; pays ${formatAmount(agreedPayment, parcel)}`,
    ),
  ];
}

function taskShown(task: DigitalTaskDetail): Shown {
  const { id, status, failureReason, title, paymentPerLeg, deadline, terms, legs } = task;
  const stake = terms
    ? `; who works on it stakes ${formatAmount(terms.stake, task)}, and ${terms.arbiterPubkey} rules disputes`
    : '';
  const lines = [
    `Task ${id} is ${(failureReason ?? status).replace('_', ' ')}: ${JSON.stringify(title)}`,
    ...unknown(task),
    `  ${formatAmount(paymentPerLeg, task)} a leg, until ${minuteOf(deadline)}${stake}`,
    ...legs.map(
      ({ legIndex, id: legId, agentPubkey, stage, status: legStatus, instruction }) =>
        `  leg ${legIndex + 1} (${legId}) ${agentPubkey === null ? 'waits to be claimed' : `of ${agentPubkey} is ${stage ?? legStatus}`}: ${JSON.stringify(instruction)}`,
    ),
  ];
  return { data: task, text: lines.join('\n') };
}
