import type { RelayInstruction } from '@legwork/program-client';
import { RelayError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import { type GivenProof, landProof, type Proof, readProof } from './proof.js';

/** A draft whose listing a wallet signed: a package, or a digital task. */
export interface DraftListing {
  noun: 'package' | 'task';
  /** The route that builds its listing. */
  builtBy: string;
  /** How the instruction departs from the draft, in words; undefined when it does not list it at all. */
  departures: (instruction: RelayInstruction) => string[] | undefined;
  /** Its status on the ledger, as of this slot or later; undefined: there is no such account. */
  shown: (since: bigint) => Promise<string | undefined>;
  /** Whether the mirror shows it as listed, or further. */
  isMirrored: () => Promise<boolean>;
}

/**
 * Mirrors the listing that the proof names, and sends it first when the caller gave the transaction itself.
 *
 * @throws RelayError `wrong_transaction`, `transaction_failed`, `not_confirmed_on_chain`, `invalid_status`
 */
export async function submitListing(context: AppContext, draft: DraftListing, given: GivenProof): Promise<void> {
  const proof = readProof(context.ledger, given);
  await landProof(context, proof, {
    builtBy: draft.builtBy,
    judge: (instructions, field) => requireListingOf(draft, instructions, field),
    requireStanding: ({ slot }) => requireEscrow(draft, proof, slot),
  });
}

/** @throws RelayError `wrong_transaction` unless one of the instructions lists the draft with exactly its terms */
function requireListingOf(draft: DraftListing, instructions: readonly RelayInstruction[], field: string): void {
  const listings = instructions.flatMap((instruction) => {
    const departing = draft.departures(instruction);
    return departing ? [departing] : [];
  });
  if (listings.some((departing) => departing.length === 0)) return;
  const wrong = listings[0]?.join(', ') ?? `it does not list this ${draft.noun}`;
  throw RelayError.field(
    'wrong_transaction',
    field,
    `is not the listing of this draft: ${wrong}; give the transaction that build-tx answered, signed and otherwise unchanged`,
  );
}

/**
 * A listing may have been cancelled since, even by the transaction that made it: agents must be able to rely on an escrow
 * that is there now.
 *
 * @throws RelayError `invalid_status` unless the ledger shows it as listed, or the mirror is further already
 */
async function requireEscrow(draft: DraftListing, { field }: Proof, since: bigint): Promise<void> {
  const shown = await draft.shown(since);
  if (shown === 'Listed' || (await draft.isMirrored())) return;
  const { noun } = draft;
  throw notAnyMore(draft, field, shown === undefined ? `no such ${noun} any more` : `this ${noun} as ${shown}`);
}

/** `invalid_status`: it was listed, and the ledger shows something else now. */
export function notAnyMore({ noun, builtBy }: DraftListing, field: keyof GivenProof, shown: string): RelayError {
  return RelayError.field(
    'invalid_status',
    field,
    `listed the ${noun}, but the ledger shows ${shown}; build a new listing with ${builtBy}`,
  );
}
