import { type QueryCreator, sql } from 'kysely';
import { compiled } from './statements.js';
import type { Db, Trx } from './connect.js';
import type { SignedCall } from '@legwork/protocol/contract';
import type { BidRow, Database, DecisionRow, IntentKind, OutboxRow } from './schema.js';
import { personal } from './sealing.js';

/** Intents whose transactions spend the coordinator's money, or give a leg or its payment to somebody. */
export const DECIDED_KINDS = [
  'form_swarm',
  'assign_leg',
  'list_package',
  'list_task',
  'assign_task_leg',
  'release_task_leg',
  'confirm_task_leg',
] as const satisfies IntentKind[];

/** The key of the intent that forms the swarm, and of its decision. */
export const formationKey = (swarmId: string) => `form_swarm:${swarmId}`;

/** The decision as it is stored: a chain tells where its couriers go. */
export const sealedChoice = ({ kind, chosen }: Pick<DecisionRow, 'kind' | 'chosen'>) =>
  kind === 'form_swarm' ? personal(chosen) : chosen;

/** Stores the decision. One that stands there for the intent already is not the coordinator's: nothing was decided before. */
export function insertingDecision(creator: QueryCreator<Database>, decision: DecisionRow) {
  const { unique_key, ...rest } = decision;
  const columns = { ...rest, chosen: sealedChoice(decision) };
  return creator
    .insertInto('decisions')
    .values({ unique_key, ...columns })
    .onConflict((conflict) => conflict.column('unique_key').doUpdateSet(columns));
}

/** Stores a decision for an intent that is there. */
export async function insertDecision(trx: Trx, decision: DecisionRow): Promise<void> {
  await insertingDecision(trx, decision).execute();
}

/** The decision that chose the chain of the swarm; undefined: it was chosen before decisions were kept. */
export async function findFormationDecision(trx: Trx, swarmId: string): Promise<DecisionRow | undefined> {
  return trx.selectFrom('decisions').selectAll().where('unique_key', '=', formationKey(swarmId)).executeTakeFirst();
}

/** The intents under way that a decision has to vouch for, whether or not one does. */
export async function intentsToVouchFor(trx: Trx): Promise<OutboxRow[]> {
  return trx
    .selectFrom('outbox')
    .selectAll()
    .where('kind', 'in', DECIDED_KINDS)
    .where('status', 'in', ['pending', 'sent'])
    .execute();
}

/** A decision as JSON. */
export type DecisionJson = Omit<DecisionRow, 'decided_at'> & { decided_at: string };

/** The decision of a row of the outbox; null: there is none. */
export const decisionOfIntent = sql<DecisionJson | null>`(
  select to_jsonb(decisions) from decisions where decisions.unique_key = outbox.unique_key)`;

/** The kept word of the agent behind a row. */
export interface Word {
  /** The call that the row names; null: it names none that is kept. */
  call: SignedCall | null;
  /** True if any call of the agent is kept. */
  has_signed: boolean;
}

const callOfRow = sql<SignedCall | null>`case when signed_calls.signature is not null then to_jsonb(signed_calls) end`;
const hasSigned = (agent: string) =>
  sql<boolean>`exists (select from signed_calls where signed_calls.pubkey = ${sql.ref(agent)})`;

/** A bid that a leg was made of. */
export type ChosenBid = BidRow & Word;

/** The bid for a vacant leg; undefined: there is none with this id. */
export async function chosenOpeningBid(db: Db, bidId: string): Promise<ChosenBid | undefined> {
  return db
    .selectFrom('bids')
    .leftJoin('signed_calls', 'signed_calls.signature', 'bids.call_signature')
    .selectAll('bids')
    .select([callOfRow.as('call'), hasSigned('bids.agent_pubkey').as('has_signed')])
    .where('bids.id', '=', bidId)
    .executeTakeFirst();
}

/** The replacements that were decided for legs of the package, oldest first. */
export async function findReplacementDecisions(trx: Trx, subject: string): Promise<DecisionRow[]> {
  return trx
    .selectFrom('decisions')
    .selectAll()
    .where('subject', '=', subject)
    .where('kind', '=', 'assign_leg')
    .orderBy('decided_at')
    .execute();
}

const chosenIn = compiled((db, { swarmId }: { swarmId: string }) =>
  db
    .selectFrom('legs')
    .innerJoin('bids', 'bids.id', 'legs.bid_id')
    .leftJoin('signed_calls', 'signed_calls.signature', 'bids.call_signature')
    .selectAll('bids')
    .select([callOfRow.as('call'), hasSigned('bids.agent_pubkey').as('has_signed')])
    .where('legs.swarm_id', '=', swarmId)
    .where('legs.ended_at', 'is', null)
    .orderBy('legs.leg_index'),
);

/** The bids that the legs of the swarm were made of, in carrying order. */
export async function chosenBids(db: Db | Trx, swarmId: string): Promise<ChosenBid[]> {
  return chosenIn(db, { swarmId });
}

/** The kept word of the agent that has the leg. */
export async function wordOfClaim(db: Db, legId: string): Promise<Word> {
  return db
    .selectFrom('digital_legs')
    .leftJoin('signed_calls', 'signed_calls.signature', 'digital_legs.call_signature')
    .select([callOfRow.as('call'), hasSigned('digital_legs.agent_pubkey').as('has_signed')])
    .where('digital_legs.id', '=', legId)
    .executeTakeFirstOrThrow();
}
