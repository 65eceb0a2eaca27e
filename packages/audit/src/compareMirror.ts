import type { Trx } from './database.js';
import { compareListings } from './compareListings.js';
import { compareReputation, readReputationRows } from './compareReputation.js';
import { taskKind } from './tasks/compareTask.js';
import type { LedgerFacts } from './facts.js';
import { by, type Findings } from './findings.js';
import { countEventNumbers, type MirroredEvent, MirroredEvents } from './mirroredEvents.js';
import { packageKind } from './packages/comparePackage.js';

/** How much of the mirror was compared. */
export interface Compared {
  packages: number;
  digitalTasks: number;
  /** Of packages and of digital tasks. */
  legs: number;
  reputations: number;
  events: number;
}

function tellStray({ subject, type }: MirroredEvent, findings: Findings): void {
  const [topic, id] = subject.split(':');
  const kind = topic === taskKind.topic ? taskKind : packageKind;
  findings.differ(`${kind.name} ${id}`, `event ${type} is here; its ${kind.name} is not`);
}

async function compareReputations(trx: Trx, facts: LedgerFacts, findings: Findings): Promise<number> {
  const mirrored = new Set<string>();
  for await (const row of readReputationRows(trx)) {
    mirrored.add(row.agent_pubkey);
    compareReputation(row, facts.reputations.get(row.agent_pubkey), findings);
  }
  for (const [agent, { signature }] of facts.reputations) {
    if (!mirrored.has(agent)) findings.differ(`agent ${agent}`, `has no reputation here${by(signature)}`);
  }
  return mirrored.size;
}

async function compareNumbers(trx: Trx, findings: Findings): Promise<void> {
  const { all, numbered, distinct } = await countEventNumbers(trx);
  if (numbered < all) findings.differ('events', `${all - numbered} of ${all} have no number`);
  if (distinct < numbered) findings.differ('events', `${numbered} share ${distinct} numbers`);
}

/** Compares every mirrored row, and the event log, with what the ledger's transactions say. */
export async function compareMirror(trx: Trx, facts: LedgerFacts, findings: Findings): Promise<Compared> {
  const events = new MirroredEvents(trx, (event) => tellStray(event, findings));
  const comparison = { trx, events, findings };
  // In this order: the event log is read once, in the order of its subjects.
  const packages = await compareListings(comparison, packageKind, facts.packages);
  const tasks = await compareListings(comparison, taskKind, facts.tasks);
  await events.rest();
  const reputations = await compareReputations(trx, facts, findings);
  await compareNumbers(trx, findings);
  return {
    packages: packages.rows,
    digitalTasks: tasks.rows,
    legs: packages.legs + tasks.legs,
    reputations,
    events: events.count,
  };
}
