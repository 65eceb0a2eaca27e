import { TOKEN_ACCOUNT_BYTES } from '@legwork/program-client';
import { rentOf } from '../ledger/ledger.js';
import { inAsset, lamportsOf } from '../ledger/assets.js';
import { type Lamports, lamportsFromWire, type Movement, sumLamports, toLamports } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { finalityOf, readNotFinal } from '../db/finality.js';
import { type MoveOfLeg, movesOf } from '../legs/moveRows.js';
import { type Kind, listed } from '../listings/kinds.js';
import { readPlaces } from '../db/ledgerTransactions.js';
import { type ListingRow, listingOf } from '../db/listings.js';
import type { PackageRow } from '../db/schema.js';
import { inTransaction } from '../db/transaction.js';

/** The row of a package or a digital task, as far as it is about money. */
type Listing = Pick<
  PackageRow,
  | 'asset'
  | 'on_chain_vault'
  | 'funder_pubkey'
  | 'max_budget_lamports'
  | 'list_signature'
  | 'settle_signature'
  | 'end_signature'
  | 'refund_lamports'
>;

/** A leg that was paid. */
export interface PaidLeg {
  leg_index: number;
  agent_pubkey: string;
  payment_lamports: Lamports;
  confirm_signature: string;
}

/** A movement before the ledger's word is added. */
type Moved = Pick<Movement, 'what' | 'legIndex' | 'from' | 'to' | 'amount' | 'signature'>;

/**
 * The escrow of a listing: legs are paid in carrying order, and nothing moves before the lock or after the refund.
 *
 * @throws LegworkError `not_found`
 */
export function readEscrow<Draft extends ListingRow, Row extends Draft>(
  { db, ledger }: Pick<AppContext, 'db' | 'ledger'>,
  kind: Kind<Draft, Row>,
  id: string,
) {
  // Row, payments and finality of one moment: else the sum would not be exact.
  return inTransaction(
    db,
    async (trx) => {
      const row = listed(kind, await kind.find(trx, id));
      const paid = await kind.paid(trx, id);
      const moves = row.terms === null ? [] : await movesOf(trx, listingOf(kind.subject(id)));
      return viewEscrow(ledger, trx, kind.subject(id), { row, paid, moves });
    },
    'repeatable read',
  );
}

async function viewEscrow(
  ledger: AppContext['ledger'],
  trx: Trx,
  subject: string,
  { row, paid, moves }: { row: Listing; paid: readonly PaidLeg[]; moves: readonly MoveOfLeg[] },
) {
  const moved = movementsOf(row, paid, moves);
  const places = await readPlaces(
    trx,
    moved.map(({ signature }) => signature),
  );
  const notFinal = await readNotFinal(trx, [subject]);
  const held = heldIn(row, moved);
  return {
    onChainVault: row.on_chain_vault,
    ...inAsset(ledger.assets, row),
    vault: held,
    vaultLamports: lamportsOf(row, held),
    // Of a token the vault is an address without an account, whose token account the listing paid for.
    vaultRentLamports: row.asset === 0 ? ledger.rentExemptMinimum : rentOf(ledger, TOKEN_ACCOUNT_BYTES),
    finality: finalityOf(notFinal, subject),
    movements: moved.map((one): Movement => {
      const place = places.get(one.signature);
      return {
        ...one,
        lamports: lamportsOf(row, one.amount),
        slot: place === undefined ? null : Number(place.slot),
        appliedAt: place?.applied_at ?? null,
        finality: finalityOf(notFinal, subject, one.signature),
      };
    }),
  };
}

/** The transaction that emptied the vault; null: none has. */
const emptiedBy = (row: Listing): string | null => row.settle_signature ?? row.end_signature;

/** The rest of the budget in the vault, plus stakes that couriers forfeited to it. Rule S-131. */
function heldIn({ on_chain_vault: vault }: Listing, moved: readonly Moved[]): Lamports {
  const into = sumLamports(moved.flatMap(({ to, amount }) => (to === vault ? [amount] : [])));
  const out = sumLamports(moved.flatMap(({ from, amount }) => (from === vault ? [amount] : [])));
  return toLamports(into - out);
}

/** In the ledger's order: with terms, payments stand among the moves that confirm them. */
function movementsOf(row: Listing, paid: readonly PaidLeg[], moves: readonly MoveOfLeg[]): Moved[] {
  const { on_chain_vault: vault, funder_pubkey: funder, list_signature: listedBy } = row;
  if (listedBy === null) throw new Error(`the vault ${vault} is of no listing`);
  const lock = { what: 'lock', legIndex: null, from: funder, to: vault, amount: row.max_budget_lamports };
  const payments = paid.map((leg) => ({
    what: 'payment',
    legIndex: leg.leg_index,
    from: vault,
    to: leg.agent_pubkey,
    amount: leg.payment_lamports,
    signature: leg.confirm_signature,
  }));
  const staked = moves.flatMap((one) => [
    ...(one.move === 'confirm' ? payments.filter(({ legIndex }) => legIndex === one.leg_index) : []),
    ...one.movements.map(({ lamports, ...moved }) => ({
      ...moved,
      amount: lamportsFromWire(lamports),
      legIndex: one.leg_index,
      signature: one.signature,
    })),
  ]);
  const before = [{ ...lock, signature: listedBy }, ...(moves.length === 0 ? payments : staked)];
  const last = emptiedBy(row);
  if (last === null) return before;
  const rest = row.refund_lamports ?? heldIn(row, before);
  return [...before, { what: 'refund', legIndex: null, from: vault, to: funder, amount: rest, signature: last }];
}
