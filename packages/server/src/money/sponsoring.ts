import { type Lamports, LegworkError, toLamports, formatSol } from '@legwork/protocol/contract';
import { checkSponsoredDeadline, type RuleFault } from '@legwork/protocol/rules';
import { clientKey } from '../api/limits.js';
import type { AppContext } from '../context.js';
import { canAdvance, FEE_LAMPORTS, holdFunds } from '../coordinator/funds.js';
import type { Trx } from '../db/connect.js';
import { type Chosen, decideIntent } from '../coordinator/decisions.js';
import { findLastError, type NewIntent } from '../db/outbox.js';
import { insertSponsorship, readAdvanced, type Advanced } from './sponsorshipRows.js';
import { inTransaction } from '../db/transaction.js';
import { rentOf } from '../ledger/ledger.js';
import { poll } from '../waiting.js';
import type { PACKAGE, TASK } from '../listings/kinds.js';
import type { Caller } from '../operations/run.js';
import type { Config } from '../config.js';

/** The kinds that the coordinator can fund: packages, or digital tasks. */
type Fundable = typeof PACKAGE | typeof TASK;

/** The unique key of the intent that lists this one. */
export const listingKey = ({ noun }: FundedKind, id: string): string => `list_${noun}:${id}`;

/** A draft for the coordinator to list at its own expense. */
export interface ToBeFunded {
  of: Fundable;
  id: string;
  posterPubkey: string;
  budget: Lamports;
  deadline: Date;
  /** Bytes of its account on the ledger. */
  accountBytes: number;
  insert: (trx: Trx, requestKey: string | null) => Promise<void>;
  /** Its listing on the ledger. */
  intent: NewIntent;
  listing: Chosen;
}

/**
 * Posts what the coordinator funds, and waits until the ledger has confirmed it. A repeated request gets what its first try
 * posted. Rule M-47.
 *
 * @returns the id of the listing
 * @throws LegworkError `invalid_input`, `sponsorship_cap`, `sponsoring_paused`, `transaction_failed`, or `ledger_unavailable` when
 *   the ledger takes longer than 30 seconds
 */
export async function postFunded(
  context: AppContext,
  of: Fundable,
  draft: () => Promise<ToBeFunded>,
  caller: Caller,
): Promise<string> {
  // Looked up before the draft is checked: a deadline that was far enough at the first try may be too near now.
  const { requestKey } = caller;
  const earlier = requestKey === undefined ? undefined : await of.findEarlier(context.db, requestKey);
  const id = earlier?.id ?? (await sponsor(context, await draft(), caller));
  caller.tell?.(`The ${of.words} is posted as ${id}; the ledger is to confirm it.`);
  await untilListed(context, of, id, caller);
  caller.tell?.('The ledger has confirmed the listing.');
  return id;
}

/**
 * Decides, in one transaction, that the coordinator lists the draft: caps, draft and intent belong together. A repeated
 * request gets what its first try posted. Rules M-46, M-48.
 *
 * @returns the id of the listing, a draft until the ledger shows it
 * @throws LegworkError `invalid_input`, `sponsorship_cap`, `sponsoring_paused`
 */
export async function sponsor(context: AppContext, draft: ToBeFunded, caller: Caller): Promise<string> {
  requireNearDeadline(context, draft);
  const { requestKey } = caller;
  const advance = advanceFor(context, draft);
  const poster = draft.posterPubkey;
  const asking = { poster, signed: caller.pubkey === poster, ip: clientKey(caller.ip), purpose: 'listing' } as const;
  return inTransaction(context.db, async (trx) => {
    await holdFunds(context, trx);
    const earlier = requestKey === undefined ? undefined : await draft.of.findEarlier(trx, requestKey);
    if (earlier) return earlier.id;
    const advanced = await readAdvanced(trx, asking);
    const fault = checkSponsorCaps(
      { kind: draft.of, advance, signed: asking.signed },
      advanced,
      context.config.sponsorCaps,
    );
    if (fault) throw LegworkError.field(fault.code, fault.field, fault.message);
    await requireMeans(context, trx, draft.of, advance);
    await draft.insert(trx, requestKey ?? null);
    await insertSponsorship(trx, {
      subject_id: draft.id,
      poster_pubkey: poster,
      signed: asking.signed,
      ip: asking.ip,
      lamports: totalOf(advance),
    });
    const intent = { ...draft.intent, costLamports: totalOf(advance) };
    // Of a draft nothing is under way.
    const isNext = true;
    await decideIntent(context, trx, intent, { chosen: draft.listing, at: context.clock() }, isNext);
    return draft.id;
  });
}

/** @throws LegworkError `invalid_input` when the coordinator's money would be locked for too long */
function requireNearDeadline({ clock }: AppContext, { of, deadline }: ToBeFunded): void {
  const fault = checkSponsoredDeadline(deadline.getTime(), clock().getTime());
  if (fault === undefined) return;
  throw LegworkError.field(fault.code, fault.field, `${fault.message}: give an earlier one, or ${selfFunded(of)}`);
}

/** @throws LegworkError `sponsoring_paused` when the coordinator would be left with less than its reserve */
async function requireMeans(context: AppContext, trx: Trx, kind: FundedKind, advance: Advance): Promise<void> {
  if (await canAdvance(context, trx, totalOf(advance))) return;
  throw sponsoringPaused(kind, 'its funds are low');
}

function advanceFor({ ledger }: AppContext, { budget, accountBytes }: ToBeFunded): Advance {
  const rent = rentOf(ledger, accountBytes) + ledger.rentExemptMinimum;
  return { budget, overhead: toLamports(rent + FEE_LAMPORTS) };
}

const CONFIRM_WITHIN_MS = 30_000;

/** @throws LegworkError when the ledger refused the listing, or takes longer than 30 seconds */
async function untilListed(context: AppContext, of: Fundable, id: string, caller: Caller): Promise<void> {
  const isListed = ({ status }: { status: string }) => status !== 'draft';
  const find = (): Promise<{ status: string } | undefined> => of.find(context.db, id);
  const hint = { of: context.mirrored, name: of.subject(id) };
  const row = await poll(find, (found) => found === undefined || isListed(found), CONFIRM_WITHIN_MS, hint);
  // The ledger has refused it: the draft is gone.
  if (row === undefined) throw await refusal(context, of, listingKey(of, id));
  if (!isListed(row)) throw unconfirmed(of, id, caller);
}

/** Why the listing failed: the caller's deadline came too near, or the coordinator could not pay. */
async function refusal({ db }: AppContext, kind: FundedKind, intentKey: string): Promise<LegworkError> {
  const reason = (await findLastError(db, intentKey)) ?? 'the ledger refused the listing';
  if (!reason.startsWith('InvalidDeadline')) return sponsoringPaused(kind, reason);
  return LegworkError.field(
    'transaction_failed',
    'deadline',
    `was refused by the ledger (${reason}); give a later one, or ${selfFunded(kind)}`,
  );
}

function unconfirmed({ words, path }: FundedKind, id: string, { requestKey }: Caller): LegworkError {
  const repeat =
    requestKey === undefined
      ? 'Repeating this request would post another one; an Idempotency-Key prevents that.'
      : 'Repeating this request with the same Idempotency-Key posts nothing twice.';
  return new LegworkError(
    'ledger_unavailable',
    `The ${words} ${id} is posted and the ledger has not confirmed it yet; GET ${path}/${id} shows it once it has. ${repeat}`,
  );
}

/** @throws LegworkError `sponsoring_paused` */
function sponsoringPaused(kind: FundedKind, reason: string): LegworkError {
  return new LegworkError(
    'sponsoring_paused',
    `The coordinator advances nothing for now: ${reason}. Try later, or ${selfFunded(kind)}.`,
  );
}

/** The funded kind, as refusals name it. */
type FundedKind = Pick<Fundable, 'noun' | 'words' | 'path'>;

/** The way that has no caps. */
function selfFunded({ words, path }: FundedKind): string {
  return `fund the ${words} from your own wallet with POST ${path}/build-tx`;
}

/** The advance of the coordinator: the budget, and rent and fees on top. */
interface Advance {
  budget: Lamports;
  overhead: Lamports;
}

/** The lamports of an advance in all. */
function totalOf({ budget, overhead }: Advance): Lamports {
  return toLamports(budget + overhead);
}

/** A listing that the coordinator is asked to pay for. */
interface Asked {
  kind: FundedKind;
  advance: Advance;
  /** True if the poster signed the request. */
  signed: boolean;
}

/**
 * The first cap that the advance would exceed, or undefined. The cap for a single listing limits the budget, which the poster names;
 * the others count rent and fees too, of packages and digital tasks together.
 */
function checkSponsorCaps(
  { kind, advance, signed }: Asked,
  advanced: Advanced,
  caps: Config['sponsorCaps'],
): RuleFault<'sponsorship_cap'> | undefined {
  if (advance.budget > caps.task) {
    return {
      code: 'sponsorship_cap',
      field: 'maxBudgetSol',
      message:
        `is ${formatSol(advance.budget)} SOL; the coordinator funds one ${kind.words} with at most ${formatSol(caps.task)} SOL: ` +
        `give at most that, or ${selfFunded(kind)}`,
    };
  }
  const poster = signed ? 'for one poster' : 'for one poster without its signature';
  const held: [what: string, cap: Lamports, used: Lamports, way?: string][] = [
    [`${poster} (${SINCE})`, caps.poster, advanced.poster, signed ? '' : SIGN],
    [`for one address (${SINCE})`, caps.ip, advanced.ip],
    ['within 24 hours in all', caps.day, advanced.day],
    ['outstanding in all', caps.outstanding, advanced.outstanding],
  ];
  for (const [what, cap, used, way = ''] of held) {
    if (used + totalOf(advance) <= cap) continue;
    const left = used < cap ? toLamports(cap - used) : toLamports(0n);
    return {
      code: 'sponsorship_cap',
      field: 'maxBudgetSol',
      message:
        `asks for ${formatSol(totalOf(advance))} SOL with rent and fee; the coordinator advances at most ${formatSol(cap)} SOL ` +
        `${what}, and ${formatSol(left)} SOL of it are left: ${way}${otherwise(left, advance.overhead, used > 0n)}${selfFunded(kind)}`,
    };
  }
  return undefined;
}

/** The sum that counts against a poster and an address, in words. */
const SINCE = 'of the last 24 hours and what is outstanding from before';
/** Only the poster itself can use up the allowance that it signs for. */
const SIGN = 'sign the request with the key of shipperPubkey, or ';

/** The ways to meet this cap, if any: a smaller budget, or time. */
function otherwise(left: Lamports, overhead: Lamports, isFreedByTime: boolean): string {
  if (left > overhead) return `give at most ${formatSol(left - overhead)}, or `;
  return isFreedByTime ? 'try again later, or ' : '';
}
