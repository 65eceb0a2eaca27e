import { sweepArtifacts } from './artifacts/sweepArtifacts.js';
import { sweepLimits } from './api/limits.js';
import type { AppContext } from './context.js';
import { sweepIdempotencyKeys } from './db/idempotencyKeys.js';
import { sweepNewcomers } from './agents/newcomerRows.js';
import { sweepNonces } from './identity/nonces.js';
import { sweepCourierReadings } from './personal/privateRows.js';
import { sweepLapses } from './legs/waitingRows.js';
import { sweepSubscriptions } from './webhooks/webhookRows.js';
import { sweepClosedWork } from './work/workRows.js';
import { type Loop, startLoop } from './loop.js';
import { address } from '@solana/kit';
import { deleteDrafts, LISTING_KINDS, type ListingKind, type StaleDraft, staleDrafts } from './db/listings.js';
import { ask } from '@legwork/program-client/history';

const EVERY_MS = 60_000;
const SWEEPS = [
  sweepNonces,
  sweepIdempotencyKeys,
  sweepLimits,
  sweepNewcomers,
  sweepLapses,
  sweepCourierReadings,
  sweepClosedWork,
  sweepSubscriptions,
];

/** Deletes the expired records that requests left behind, at the start and then once a minute. */
export function startSweeps(context: Pick<AppContext, 'artifacts' | 'db' | 'log'>): Loop {
  const { db, log } = context;
  return startLoop({
    name: 'sweeps',
    log,
    pollMs: EVERY_MS,
    async round() {
      for (const sweep of [...SWEEPS.map((records) => () => records(db)), () => sweepArtifacts(context)]) {
        await sweep().catch((error: unknown) => log.warn({ err: error }, 'old records were not removed'));
      }
      return false;
    },
  });
}

const DRAFTS_EVERY_MS = 10 * 60_000;
/** Far past the two minutes in which a transaction built for the draft could land. Rule S-75. */
const KEEP = '1 hour';
/** The most accounts that one getMultipleAccounts takes. */
const BATCH = 100;

/** Leaves out drafts that the ledger shows listed: the mirror has not reached them yet. */
async function neverListed(context: AppContext, drafts: readonly StaleDraft[]): Promise<string[]> {
  const { value } = await ask(
    context.ledger.rpc.getMultipleAccounts(
      drafts.map((draft) => address(draft.onChainAccount)),
      { commitment: 'confirmed', encoding: 'base64', dataSlice: { offset: 0, length: 0 } },
    ),
  );
  return drafts.filter((_, index) => value[index]?.owner !== context.ledger.programAddress).map((draft) => draft.id);
}

async function sweepKind(context: AppContext, kind: ListingKind): Promise<number> {
  let deleted = 0;
  let after: string | undefined;
  for (;;) {
    const drafts = await staleDrafts(context.db, kind, { olderThan: KEEP, after, limit: BATCH });
    if (drafts.length === 0) return deleted;
    deleted += await deleteDrafts(context.db, kind, await neverListed(context, drafts));
    after = drafts.at(-1)?.id;
  }
}

/** Deletes drafts that were never listed and never will be. @returns how many */
export async function sweepDrafts(context: AppContext): Promise<number> {
  let deleted = 0;
  for (const kind of LISTING_KINDS) deleted += await sweepKind(context, kind);
  return deleted;
}

/** Sweeps every ten minutes. */
export function startDraftSweep(context: AppContext): Loop {
  return startLoop({
    name: 'draft sweep',
    log: context.log,
    pollMs: DRAFTS_EVERY_MS,
    async round() {
      const deleted = await sweepDrafts(context);
      if (deleted > 0) context.log.debug({ deleted }, 'old drafts removed');
      return false;
    },
  });
}
