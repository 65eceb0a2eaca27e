import { SOL_ASSET } from '@legwork/program-client';
import type { LedgerFacts, ListingFacts, ReputationFacts } from '@legwork/program-client/facts';
import { reliabilityScore, resultHash } from '@legwork/protocol/rules';
import type { EvidenceRow, ReputationRow } from '@legwork/server/schema';
import { sql } from 'kysely';
import { rowBatches, ROWS_AT_ONCE, type Trx } from '../database.js';
import { by, type Findings, subjectOf } from '../findings.js';
import { countEventNumbers, type MirroredEvent, MirroredEvents } from './events.js';
import type { ListingKind, ListingRow } from './listing.js';
import { packageKind } from './package.js';
import { taskKind } from './task.js';
import { compareTransactions } from './transactions.js';

/** How much of the mirror was compared. */
export interface Compared {
  packages: number;
  digitalTasks: number;
  /** Of packages and of digital tasks. */
  legs: number;
  reputations: number;
  events: number;
}

/** The data that a comparison reads, and the place of its findings. */
interface Comparison {
  /** Number of the asset that a listing pays in on the ledger. */
  assetOf: (listing: ListingFacts) => number;
  trx: Trx;
  events: MirroredEvents;
  findings: Findings;
}

/** Compares every mirrored row, and the event log, with what the ledger's transactions say. */
export async function compareMirror(trx: Trx, facts: LedgerFacts, findings: Findings): Promise<Compared> {
  const events = new MirroredEvents(trx, (event) => tellStray(event, findings));
  const assetOf = ({ asset }: ListingFacts) =>
    asset === null ? SOL_ASSET : (facts.assets.get(asset)?.number ?? UNKNOWN);
  const comparison = { trx, events, findings, assetOf };
  // In this order, because the event log is read once, in the order of its subjects.
  const packages = await compareListings(comparison, packageKind, facts.packages);
  const tasks = await compareListings(comparison, taskKind, facts.tasks);
  await events.rest();
  const reputations = await compareReputations(trx, facts, findings);
  await compareEarnings(trx, findings);
  await compareAssets(trx, findings);
  await compareEvidence(trx, findings);
  await compareNumbers(trx, findings);
  await compareTransactions(trx, facts.transactions, findings);
  return {
    packages: packages.rows,
    digitalTasks: tasks.rows,
    legs: packages.legs + tasks.legs,
    reputations,
    events: events.count,
  };
}

/** Compares every row of a kind, and its legs and events, with what the ledger's transactions say. */
async function compareListings<Listing extends ListingFacts, Row extends ListingRow, Found extends { row: Row }>(
  { trx, events, findings, assetOf }: Comparison,
  kind: ListingKind<Listing, Row, Found>,
  listings: ReadonlyMap<string, Listing>,
): Promise<{ rows: number; legs: number }> {
  const compared = { rows: 0, legs: 0 };
  const unmirrored = new Map(listings);
  for await (const found of kind.read(trx)) {
    const { row } = found;
    const at = kind.addressOf(row);
    const listing = listings.get(at);
    const asset = listing === undefined ? SOL_ASSET : assetOf(listing);
    const mirrored = { found, events: await events.of(`${kind.topic}:${row.id}`), asset };
    unmirrored.delete(at);
    if (listing) kind.compare(mirrored, listing, findings);
    else {
      const said = `status is ${row.status} here, and no transaction of the ledger lists ${at}`;
      findings.differ(`${kind.name} ${row.id}`, said);
    }
    compared.rows += 1;
    compared.legs += kind.countLegs(found);
  }
  const drafts = await kind.drafts(trx, [...unmirrored.keys()]);
  const draftAt = new Map(drafts.map((draft) => [kind.addressOf(draft), draft]));
  for (const [at, listing] of unmirrored) {
    tellUnmirrored(kind, { listing, asset: assetOf(listing) }, draftAt.get(at), findings);
  }
  return compared;
}

/**
 * Anybody can list on the ledger: a listing that was not posted through this service is not its concern. But the coordinator
 * works only for the service's own packages and tasks.
 */
function tellUnmirrored<Listing extends ListingFacts, Row extends ListingRow, Found extends { row: Row }>(
  kind: ListingKind<Listing, Row, Found>,
  { listing, asset }: { listing: Listing; asset: number },
  draft: Row | undefined,
  findings: Findings,
): void {
  const signed = by(listing.listSignature);
  const done = kind.workDone(listing);
  if (draft && !kind.departs(draft, listing, asset)) {
    findings.same(`${kind.name} ${draft.id}`, 'status', draft.status, listing.status, listing.statusSignature);
  } else if (done !== undefined) {
    findings.differ(subjectOf(listing), `has no row here; the ledger ${done}${signed}`);
  } else if (draft) {
    findings.note(`${kind.name} ${draft.id}`, `was listed with other terms than its draft's${signed}`);
  } else {
    findings.note(subjectOf(listing), `was not posted through this service${signed}`);
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

/** Every reputation row, by agent. */
async function* readReputationRows(trx: Trx): AsyncGenerator<ReputationRow, void> {
  const batches = rowBatches<ReputationRow>((after) => {
    const rows = trx.selectFrom('reputations').selectAll().orderBy('agent_pubkey').limit(ROWS_AT_ONCE);
    return (after ? rows.where('agent_pubkey', '>', after.agent_pubkey) : rows).execute();
  });
  for await (const rows of batches) yield* rows;
}

/** Compares a mirrored reputation with the total of the ledger's transactions; undefined: the agent is in none. */
function compareReputation(row: ReputationRow, facts: ReputationFacts | undefined, findings: Findings): void {
  const subject = `agent ${row.agent_pubkey}`;
  if (facts === undefined) {
    findings.differ(subject, 'has a reputation here; no transaction of the ledger made one');
    return;
  }
  const { accepted, completed, signature } = facts;
  findings.same(subject, 'legs accepted', row.legs_accepted, accepted, signature);
  findings.same(subject, 'legs completed', row.legs_completed, completed, signature);
  findings.same(subject, 'reliability score', row.reliability_score, reliabilityScore(completed, accepted), signature);
  findings.same(subject, 'reputation address', row.on_chain_pda, facts.address, signature);
}

/**
 * Compares what is kept of each agent's earnings with the completed legs here, which are compared with the ledger themselves.
 * Agents are ranked by it.
 */
async function compareEarnings(trx: Trx, findings: Findings): Promise<void> {
  const { rows } = await sql<{ agent: string; kept: bigint | null; paid: bigint | null }>`
    select coalesce(earnings.agent_pubkey, paid.agent_pubkey) as agent, earnings.lamports as kept, paid.lamports as paid
    from earnings full join (
      select agent_pubkey, sum(lamports)::int8 as lamports from (
        select agent_pubkey, paid_lamports as lamports from legs where status = 'completed' and asset = 0
        union all
        select agent_pubkey, payment_lamports from digital_legs where status = 'completed' and asset = 0
      ) completed group by agent_pubkey
    ) paid on paid.agent_pubkey = earnings.agent_pubkey
    where earnings.lamports is distinct from nullif(paid.lamports, 0)`.execute(trx);
  for (const { agent, kept, paid } of rows) {
    findings.differ(`agent ${agent}`, `is ranked by ${kept ?? 0} lamports, and its completed legs paid ${paid ?? 0}`);
  }
}

/** Requires of every leg that it counts in the asset of its listing: what is paid in a token is nobody's earnings. Rule M-94. */
async function compareAssets(trx: Trx, findings: Findings): Promise<void> {
  const { rows } = await sql<{ id: string; here: number; listing: number }>`
    select legs.id, legs.asset as here, packages.asset as listing from legs
      join swarms on swarms.id = legs.swarm_id join packages on packages.id = swarms.package_id
      where legs.asset <> packages.asset
    union all select digital_legs.id, digital_legs.asset, digital_tasks.asset from digital_legs
      join digital_tasks on digital_tasks.id = task_id where digital_legs.asset <> digital_tasks.asset`.execute(trx);
  for (const { id, here, listing } of rows) {
    findings.differ(`leg ${id}`, `counts in asset ${here} here, and its listing pays in asset ${listing}`);
  }
}

/** Requires of every text that claims and disputes rest on that its hash is the one it is kept under. Rule T-63. */
async function compareEvidence(trx: Trx, findings: Findings): Promise<void> {
  // Few at once: a text has up to 256 KiB.
  await sql`declare audited_evidence no scroll cursor for select leg_id, hash, text from evidence`.execute(trx);
  for (;;) {
    const { rows } = await sql<Pick<EvidenceRow, 'leg_id' | 'hash' | 'text'>>`
      fetch ${sql.lit(TEXTS_AT_ONCE)} from audited_evidence`.execute(trx);
    for (const { leg_id: legId, hash, text } of rows) {
      findings.same(`leg ${legId}`, 'the hash of evidence', hash, resultHash(text).hex, null);
    }
    if (rows.length < TEXTS_AT_ONCE) return;
  }
}

/** No transaction of the ledger made the asset. */
const UNKNOWN = -1;

const TEXTS_AT_ONCE = ROWS_AT_ONCE / 10;

async function compareNumbers(trx: Trx, findings: Findings): Promise<void> {
  const { all, numbered, distinct } = await countEventNumbers(trx);
  if (numbered < all) findings.differ('events', `${all - numbered} of ${all} have no number`);
  if (distinct < numbered) findings.differ('events', `${numbered} share ${distinct} numbers`);
}

function tellStray({ subject, type }: MirroredEvent, findings: Findings): void {
  const [topic, id] = subject.split(':');
  const kind = topic === taskKind.topic ? taskKind : packageKind;
  findings.differ(`${kind.name} ${id}`, `event ${type} is here; its ${kind.name} is not`);
}
