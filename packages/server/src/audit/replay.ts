import type { RelayInstruction } from '@agent-relay/program-client';
import { bytesToUuid } from '@agent-relay/protocol';
import { AuditImpossible } from './auditImpossible.js';
import {
  completedLegs,
  type FormationFacts,
  type LedgerFacts,
  type LedgerStatus,
  type PackageFacts,
  type ReputationFacts,
} from './facts.js';
import type { HistoryEntry } from './history.js';

type Named<Name extends RelayInstruction['name']> = Extract<RelayInstruction, { name: Name }>;

type OfPackage = Named<
  'cancelPackage' | 'formSwarm' | 'assignLeg' | 'confirmLeg' | 'settle' | 'reclaimPackage' | 'closePackage'
>;

/** The program accepted every instruction of the history, so one that does not fit means that some before it are missing. */
function impossible(signature: string, why: string): AuditImpossible {
  return new AuditImpossible(
    `Transaction ${signature} cannot follow what this node tells of the ledger's history: ${why}. ` +
      'Set SOLANA_RPC_URL to a node that has kept all of it.',
  );
}

/** The package that an instruction changes, which must be in one of the given statuses. */
function packageIn(
  facts: LedgerFacts,
  { name, accounts }: OfPackage,
  statuses: readonly LedgerStatus[],
  signature: string,
): PackageFacts {
  const item = facts.packages.get(accounts.package.address);
  if (item && statuses.includes(item.status)) {
    item.latestSignature = signature;
    return item;
  }
  throw impossible(signature, `${name} found package ${accounts.package.address} ${item?.status ?? 'never listed'}`);
}

function become(item: PackageFacts, status: LedgerStatus, signature: string): void {
  item.status = status;
  item.statusSignature = signature;
}

function list(facts: LedgerFacts, { accounts, data }: Named<'listPackage'>, signature: string): void {
  const address = accounts.package.address;
  if (facts.packages.has(address)) throw impossible(signature, `package ${address} was listed before`);
  facts.packages.set(address, {
    address,
    vault: accounts.vault.address,
    id: bytesToUuid(Uint8Array.from(data.packageId)),
    shipper: accounts.shipper.address,
    funder: accounts.funder.address,
    budgetLamports: data.maxBudget,
    deadline: data.deadline,
    termsHash: Buffer.from(data.termsHash).toString('hex'),
    listSignature: signature,
    status: 'listed',
    statusSignature: signature,
    formation: undefined,
    paidLamports: 0n,
    closeSignature: null,
    latestSignature: signature,
  });
}

function form(facts: LedgerFacts, instruction: Named<'formSwarm'>, signature: string): void {
  const item = packageIn(facts, instruction, ['listed'], signature);
  const { accounts, data } = instruction;
  item.formation = {
    number: (item.formation?.number ?? 0) + 1,
    swarm: accounts.swarm.address,
    formSignature: signature,
    totalLegs: data.totalLegs,
    totalLamports: data.totalLamports,
    legs: [],
  };
  become(item, 'forming', signature);
}

function formationOf(item: PackageFacts, signature: string): FormationFacts {
  if (item.formation) return item.formation;
  throw impossible(signature, `package ${item.address} had no swarm`);
}

function assign(facts: LedgerFacts, instruction: Named<'assignLeg'>, signature: string): void {
  const item = packageIn(facts, instruction, ['forming'], signature);
  const formation = formationOf(item, signature);
  const { accounts, data } = instruction;
  const courier = accounts.courier.address;
  if (data.index !== formation.legs.length) throw impossible(signature, `leg ${data.index} was not the next one`);
  const { paymentLamports } = data;
  formation.legs.push({ address: accounts.leg.address, courier, paymentLamports, confirmSignature: null });
  if (formation.legs.length === formation.totalLegs) become(item, 'in_transit', signature);
  const before = facts.reputations.get(courier);
  facts.reputations.set(courier, {
    address: accounts.reputation.address,
    accepted: (before?.accepted ?? 0n) + 1n,
    completed: before?.completed ?? 0n,
    signature,
  });
}

function reputationOf(facts: LedgerFacts, agent: string, signature: string): ReputationFacts {
  const reputation = facts.reputations.get(agent);
  if (reputation) return reputation;
  throw impossible(signature, `${agent} never accepted a leg`);
}

function confirm(facts: LedgerFacts, instruction: Named<'confirmLeg'>, signature: string): void {
  const item = packageIn(facts, instruction, ['in_transit'], signature);
  const formation = formationOf(item, signature);
  const leg = formation.legs[completedLegs(formation).length];
  const { accounts, data } = instruction;
  if (leg?.address !== accounts.leg.address || data.formation !== formation.number) {
    throw impossible(signature, `leg ${accounts.leg.address} of formation ${data.formation} was not the next one`);
  }
  leg.confirmSignature = signature;
  item.paidLamports += leg.paymentLamports;
  const reputation = reputationOf(facts, leg.courier, signature);
  reputation.completed += 1n;
  reputation.signature = signature;
}

/** Settlement needs every leg confirmed, reclaim at least one that is not. */
function end(facts: LedgerFacts, instruction: Named<'settle' | 'reclaimPackage'>, signature: string): void {
  const settles = instruction.name === 'settle';
  const item = packageIn(facts, instruction, settles ? ['in_transit'] : ['forming', 'in_transit'], signature);
  const formation = formationOf(item, signature);
  const complete = completedLegs(formation).length === formation.totalLegs;
  if (complete !== settles) {
    throw impossible(signature, `${instruction.name} found ${completedLegs(formation).length} legs confirmed`);
  }
  become(item, settles ? 'delivered' : 'reclaimed', signature);
}

function close(facts: LedgerFacts, instruction: Named<'closePackage'>, signature: string): void {
  const item = packageIn(facts, instruction, ['delivered', 'cancelled', 'reclaimed'], signature);
  if (item.closeSignature !== null) throw impossible(signature, `package ${item.address} was closed before`);
  item.closeSignature = signature;
}

function applyInstruction(facts: LedgerFacts, instruction: RelayInstruction, signature: string): void {
  switch (instruction.name) {
    case 'initialize':
      facts.initialized = true;
      return;
    case 'listPackage':
      return list(facts, instruction, signature);
    case 'cancelPackage':
      return become(packageIn(facts, instruction, ['listed'], signature), 'cancelled', signature);
    case 'formSwarm':
      return form(facts, instruction, signature);
    case 'assignLeg':
      return assign(facts, instruction, signature);
    case 'confirmLeg':
      return confirm(facts, instruction, signature);
    case 'settle':
    case 'reclaimPackage':
      return end(facts, instruction, signature);
    case 'closePackage':
      return close(facts, instruction, signature);
    case 'setCoordinator':
    case 'setPaused':
    case 'proposeAuthority':
    case 'acceptAuthority':
  }
}

/**
 * Adds what one more transaction did, in the order of the ledger, to the facts.
 *
 * @throws AuditImpossible when it cannot follow the ones before: some are missing
 */
export function replay(facts: LedgerFacts, { signature, instructions }: HistoryEntry): void {
  for (const instruction of instructions) applyInstruction(facts, instruction, signature);
}
