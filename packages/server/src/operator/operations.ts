import type { AppContext } from '../context.js';
import { countUnnumberedEvents } from '../db/events.js';
import { countHalted, readUnplaced } from '../db/finality.js';
import { readOutboxDepth, readPromised } from '../db/outbox.js';
import { inTransaction } from '../db/transaction.js';
import { readLedgerTime } from '../ledger/ledger.js';
import { isRebuilt } from '../mirror/rebuild.js';
import { readOutstanding } from '../money/sponsorshipRows.js';
import type { Caller, In, Out } from '../operations/run.js';
import { SERVICE_VERSION } from '../version.js';
import { within } from '../waiting.js';
import { countByStatus } from '../webhooks/webhookRows.js';
import { readAttention } from './attention.js';
import { requireOperator } from './operators.js';

/** Longest wait for a ledger that does not answer, milliseconds. */
const ANSWER_WITHIN_MS = 3_000;

type Answer = Awaited<Out<'getOperations'>>['answer'];

/** How the service stands, for its operators. Rule S-260. */
export async function getOperations(
  context: AppContext,
  _input: In<'getOperations'>,
  caller: Caller,
): Out<'getOperations'> {
  await requireOperator(context, caller);
  const { db } = context;
  const [ledger, unplaced, halted, coordinator, intents, unnumberedEvents, webhooks, rebuilt, attention] =
    await Promise.all([
      readLedger(context),
      readUnplaced(db),
      countHalted(db),
      readCoordinator(context),
      readOutboxDepth(db),
      countUnnumberedEvents(db),
      countByStatus(db),
      isRebuilt(context),
      readAttention(db),
    ]);
  const notFinal = unplaced.find(({ finality }) => finality === 'confirmed')?.transactions ?? 0;
  const answer: Answer = {
    now: new Date(),
    version: SERVICE_VERSION,
    rebuilt,
    ledger: { ...ledger, notFinal, halted },
    coordinator,
    intents: intents.map((depth) => ({ ...depth, intents: Number(depth.intents) })),
    unnumberedEvents,
    webhooks,
    attention: [...ofLedger(ledger), ...ofFunds(coordinator), ...attention],
  };
  return { answer };
}

/** What the node says of itself, if it says anything in time. */
async function readLedger({ ledger }: AppContext): Promise<Pick<Answer['ledger'], 'slot' | 'behindSec'>> {
  try {
    const [slot, time] = await within(
      ANSWER_WITHIN_MS,
      Promise.all([ledger.rpc.getSlot({ commitment: 'confirmed' }).send(), readLedgerTime(ledger)]),
    );
    return { slot: Number(slot), behindSec: Math.round((Date.now() - time.getTime()) / 1000) };
  } catch {
    return { slot: null, behindSec: null };
  }
}

async function readCoordinator({ db, funds, ledger, config }: AppContext): Promise<Answer['coordinator']> {
  const balance = await funds.balance();
  const [promised, outstanding] = await inTransaction(db, async (trx) => [
    await readPromised(trx, 0),
    await readOutstanding(trx),
  ]);
  return {
    pubkey: ledger.coordinator.address,
    balanceLamports: balance ?? null,
    reserveLamports: config.coordinatorReserve,
    promisedLamports: promised,
    advancedLamports: outstanding,
  };
}

const ofService = { subject: null, intentId: null, since: null, acts: [] };

function ofLedger({ slot }: Pick<Answer['ledger'], 'slot'>): Answer['attention'] {
  if (slot !== null) return [];
  const cause = 'the node that SOLANA_RPC_URL names does not answer';
  const advice =
    'Reads go on, and what the coordinator owes waits and loses nothing. See whether the node runs, or name another one.';
  return [{ ...ofService, of: 'ledger', cause, advice }];
}

function ofFunds({ balanceLamports, reserveLamports, pubkey }: Answer['coordinator']): Answer['attention'] {
  if (balanceLamports === null || balanceLamports >= reserveLamports) return [];
  const cause = `the coordinator has ${balanceLamports} lamports, less than its reserve of ${reserveLamports}`;
  const advice = `Nothing new begins, and what is under way goes on. Send SOL to ${pubkey}.`;
  return [{ ...ofService, of: 'funds', cause, advice }];
}
