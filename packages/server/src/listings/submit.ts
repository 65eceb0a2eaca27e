import { type Assets } from '../ledger/assets.js';
import type { ListingRow } from '../db/listings.js';
import type { RelayInstruction } from '@legwork/program-client';
import { LegworkError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import { fieldOf, type GivenProof, landProof, type Proof, readProof } from '../operations/proof.js';
import type { Kind } from './kinds.js';

/**
 * Mirrors the listing of a draft that a wallet signed, by its proof, and sends it first when the caller gave the transaction itself.
 *
 * @throws LegworkError `not_found`, `wrong_transaction`, `transaction_failed`, `not_confirmed_on_chain`, `invalid_status`
 */
export async function submitListing<Draft extends ListingRow, Row extends Draft>(
  context: AppContext,
  kind: Kind<Draft, Row>,
  id: string,
  given: GivenProof,
): Promise<void> {
  const { db, ledger } = context;
  const draft = await kind.find(db, id);
  const builtBy = builtByOf(kind);
  if (!draft) throw LegworkError.field('not_found', kind.field, `no draft has this id; build one with ${builtBy}`);
  if (!kind.isListed(draft)) {
    const proof = readProof(ledger, given);
    await landProof(context, proof, {
      builtBy,
      judge: (instructions, field) => requireListingOf({ kind, draft, assets: ledger.assets }, instructions, field),
      requireStanding: ({ slot }) => requireEscrow(context, kind, draft, proof, slot),
    });
  }
  const row = await kind.find(db, id);
  if (!row || !kind.isListed(row)) throw new Error(`${kind.noun} ${id} was listed and is not`);
  if (row.failure_reason === 'cancelled') throw notAnyMore(kind, fieldOf(given), `this ${kind.noun} as Cancelled`);
}

/** The route that builds its listing. */
const builtByOf = ({ path }: Pick<Kind<never, never>, 'path'>) => `POST ${path}/build-tx`;

/** @throws LegworkError `wrong_transaction` unless one of the instructions lists the draft with exactly its terms */
function requireListingOf<Draft extends ListingRow, Row extends Draft>(
  { kind, draft, assets }: { kind: Kind<Draft, Row>; draft: Draft; assets: Assets },
  instructions: readonly RelayInstruction[],
  field: string,
): void {
  const listings = instructions.flatMap((instruction) => {
    const departing = kind.departures(assets, instruction, draft);
    return departing ? [departing] : [];
  });
  if (listings.some((departing) => departing.length === 0)) return;
  const wrong = listings[0]?.join(', ') ?? `it does not list this ${kind.noun}`;
  throw LegworkError.field(
    'wrong_transaction',
    field,
    `is not the listing of this draft: ${wrong}; give the transaction that build-tx answered, signed and otherwise unchanged`,
  );
}

/**
 * A listing may have been cancelled since, even by the transaction that made it: agents must be able to rely on an escrow
 * that is there now.
 *
 * @throws LegworkError `invalid_status` unless the ledger shows it as listed, or the mirror is further already
 */
async function requireEscrow<Draft extends ListingRow, Row extends Draft>(
  { db, ledger }: AppContext,
  kind: Kind<Draft, Row>,
  draft: Draft,
  { field }: Proof,
  since: bigint,
): Promise<void> {
  const shown = await kind.shown(ledger, draft, since);
  if (shown === 'Listed') return;
  const row = await kind.find(db, draft.id);
  if (row !== undefined && kind.isListed(row)) return;
  const { noun } = kind;
  throw notAnyMore(kind, field, shown === undefined ? `no such ${noun} any more` : `this ${noun} as ${shown}`);
}

/** `invalid_status`: it was listed, and the ledger shows something else now. */
function notAnyMore(
  kind: Pick<Kind<never, never>, 'noun' | 'path'>,
  field: keyof GivenProof,
  shown: string,
): LegworkError {
  return LegworkError.field(
    'invalid_status',
    field,
    `listed the ${kind.noun}, but the ledger shows ${shown}; build a new listing with ${builtByOf(kind)}`,
  );
}
