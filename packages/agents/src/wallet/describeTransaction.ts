import { formatSol } from '@legwork/sdk';
import type { readRelayTransaction } from '@legwork/sdk';
import type { Cost } from './mostItCosts.js';

/** A transaction of one known instruction, decoded. */
export type RelayTransaction = ReturnType<typeof readRelayTransaction>;

/** What a person is told about a transaction, line by line: all of it from its bytes and the ledger, none of it from who asked. */
export function describeTransaction(
  { instruction, feePayer }: RelayTransaction,
  { subject, lamports, stake }: Cost & { readonly subject: string },
): string[] {
  return [
    `Wallet: ${feePayer}`,
    ...meaningOf(instruction),
    ...(instruction.name === 'listPackage' || instruction.name === 'listTask' ? [] : [`It is about: ${subject}`]),
    ...(stake
      ? [`Stake: ${formatSol(stake.lamports)} SOL. Who is late, or wrong by a ruling of ${stake.arbiter}, loses it`]
      : []),
    `Most that it costs, with fee and rent: ${formatSol(lamports)} SOL`,
  ];
}

/** What the instruction does, in words; nothing where its name says it. */
function meaningOf({ name, accounts, data }: RelayTransaction['instruction']): string[] {
  if (name === 'listPackage' || name === 'listTask') {
    return [
      `Locks in escrow: ${formatSol(data.maxBudget)} SOL`,
      `Until at most: ${new Date(Number(data.deadline) * 1000).toISOString()}`,
    ];
  }
  // A leg of a digital task has no swarm.
  if (name === 'accept') {
    if (accounts.swarm === undefined) return ['Promises to do a leg of a digital task'];
    return [data.take ? 'Says that the courier has the parcel' : 'Promises to carry a leg of a package'];
  }
  if (name === 'vacate') return [`Takes the leg from ${accounts.courier.address}, so that another one can have it`];
  if (name === 'claim') {
    const what =
      accounts.swarm === undefined ? 'the leg is done; result' : 'the parcel is where the leg ends; evidence';
    return [`Says that ${what}: sha256 ${hex(data.evidenceHash)}`];
  }
  if (name === 'dispute') {
    return [`Contradicts the claim, so that the arbiter rules; reason: sha256 ${hex(data.reasonHash)}`];
  }
  if (name === 'rule') {
    return [`Gives ${accounts.worker.address} ${data.percent} % of what the leg pays, and ends its dispute`];
  }
  if (name === 'confirmLeg') {
    return [`Pays ${accounts.courier.address} for the leg, for good: ${accounts.recipient.address} has the parcel`];
  }
  if (name === 'confirmTaskLeg') {
    return [`Pays ${accounts.agent.address} for the leg, for good; result: sha256 ${hex(data.resultHash)}`];
  }
  return [];
}

const hex = (bytes: ArrayLike<number>) => Buffer.from(Uint8Array.from(bytes)).toString('hex');
