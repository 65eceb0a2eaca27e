import type { Trx } from '../db/connect.js';
import { compareReputation } from './compareReputation.js';
import { comparePackage, departsFrom } from './comparePackage.js';
import type { LedgerFacts, PackageFacts } from './facts.js';
import { by, type Findings } from './findings.js';
import { countEventNumbers, draftsAt, type MirroredEvent, readMirror, readReputationRows } from './mirror.js';

/** How much of the mirror was compared. */
export interface Compared {
  packages: number;
  legs: number;
  reputations: number;
  events: number;
}

function tellStray(events: readonly MirroredEvent[], findings: Findings): void {
  for (const { subject, type } of events) {
    findings.differ(subject.replace(':', ' '), `event ${type} is here; its package is not`);
  }
}

async function comparePackages(trx: Trx, facts: LedgerFacts, findings: Findings): Promise<Compared> {
  const compared: Compared = { packages: 0, legs: 0, reputations: 0, events: 0 };
  const mirrored = new Set<string>();
  for await (const found of readMirror(trx)) {
    if ('strayEvents' in found) {
      compared.events += found.strayEvents.length;
      tellStray(found.strayEvents, findings);
      continue;
    }
    const address = found.row.on_chain_package;
    mirrored.add(address);
    comparePackage(found, facts.packages.get(address), findings);
    compared.packages += 1;
    compared.events += found.events.length;
    for (const swarm of found.swarms) compared.legs += swarm.legs.length;
  }
  const unmirrored = [...facts.packages.values()].filter((item) => !mirrored.has(item.address));
  await tellUnmirrored(trx, unmirrored, findings);
  return compared;
}

/**
 * The ledger is open to everybody: a listing that was not posted through this service is none of its business. But the
 * coordinator forms swarms for packages of the service alone.
 */
async function tellUnmirrored(trx: Trx, items: readonly PackageFacts[], findings: Findings): Promise<void> {
  const addresses = items.map((item) => item.address);
  const drafts = new Map((await draftsAt(trx, addresses)).map((draft) => [draft.on_chain_package, draft]));
  for (const item of items) {
    const draft = drafts.get(item.address);
    const signed = by(item.listSignature);
    if (draft && !departsFrom(draft, item)) {
      findings.same(`package ${draft.id}`, 'status', draft.status, item.status, item.statusSignature);
    } else if (item.formation) {
      findings.differ(`package ${item.id}`, `has no row here; the ledger formed a swarm for it${signed}`);
    } else if (draft) {
      findings.note(`package ${draft.id}`, `was listed with other terms than its draft's${signed}`);
    } else {
      findings.note(`package ${item.id}`, `was not posted through this service${signed}`);
    }
  }
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
  const compared = await comparePackages(trx, facts, findings);
  compared.reputations = await compareReputations(trx, facts, findings);
  await compareNumbers(trx, findings);
  return compared;
}
