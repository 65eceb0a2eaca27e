import { LegworkError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import { countUnnumberedEvents } from '../db/events.js';
import { countHalted, readUnplaced } from '../db/finality.js';
import { readOutboxDepth } from '../db/outbox.js';
import { readPromised } from '../money/promises.js';
import { inTransaction } from '../db/transaction.js';
import { type Kept, keep } from '../kept.js';
import { readLedgerTime } from '../ledger/ledger.js';
import { isRebuilt } from '../mirror/rebuild.js';
import { readOutstanding } from '../money/sponsorshipRows.js';
import type { Caller, In, Out } from '../operations/run.js';
import { SERVICE_VERSION } from '../version.js';
import { within } from '../waiting.js';
import { countByStatus } from '../webhooks/webhookRows.js';
import { lastAudit } from './acts.js';
import { ofAudit, ofFiles, ofFunds, ofLedger, readAttention } from './attention.js';
import { ANSWER_WITHIN_MS, readProgram, requireOperator } from './operators.js';
import { readBudgets, readFiles, readingOf, readIssuers, readProcesses } from './state.js';

/** However many ask where anybody may, it is read once in so long, milliseconds. */
const PUBLIC_KEPT_MS = 2_000;

type Answer = Awaited<Out<'getOperations'>>['answer'];

const shown = new WeakMap<AppContext, Kept<Answer>>();

/** How the service stands, for its operators, or where they let anybody read it. Rules S-260, S-263. */
export async function getOperations(
  context: AppContext,
  _input: In<'getOperations'>,
  caller: Caller,
): Out<'getOperations'> {
  if (caller.signer !== undefined) {
    const asks = requireOperator(context, caller);
    // Where anybody reads, a key that is no operator's reads as anybody.
    const operator = await (context.config.operationsPublic ? asks.catch(orNobody) : asks);
    if (operator !== undefined) return { answer: { ...(await read(context)), openUntil: operator.openUntil } };
  } else if (!context.config.operationsPublic) {
    throw new LegworkError(
      'signature_required',
      'How this service stands is for its operators: sign the request with the key of one.',
    );
  }
  const kept = shown.get(context) ?? keep(() => read(context), PUBLIC_KEPT_MS);
  shown.set(context, kept);
  return { answer: await kept.recent() };
}

function orNobody(error: unknown): undefined {
  if (!(error instanceof LegworkError) || error.code !== 'operators_only') throw error;
}

async function read(context: AppContext): Promise<Answer> {
  const { db, pool } = context;
  // Before this asks for as many as there are.
  const { waitingCount: waiting } = pool;
  const ledger = await readLedger(context);
  const [coordinator, { dayLamports, budgets }, processes, files, mirroredSec, attention, ...counted] =
    await Promise.all([
      readCoordinator(context),
      readBudgets(context),
      readProcesses(context, waiting),
      readFiles(context),
      readingOf(context.metrics.mirrorCaughtUpAt),
      readAttention(db, ledger.time),
      readOutboxDepth(db),
      countUnnumberedEvents(db),
      countByStatus(db),
      isRebuilt(context),
      readIssuers(context),
      lastAudit(db),
    ]);
  const [intents, unnumberedEvents, webhooks, rebuilt, issuers, audited] = counted;
  const { time: _, ...stands } = ledger;
  return {
    now: new Date(),
    version: SERVICE_VERSION,
    openUntil: null,
    rebuilt,
    ...processes,
    ledger: stands,
    mirroredAt: mirroredSec === undefined ? null : new Date(mirroredSec * 1000),
    coordinator: { ...coordinator, dayLamports },
    budgets,
    intents: intents.map((depth) => ({ ...depth, intents: Number(depth.intents) })),
    unnumberedEvents,
    webhooks,
    files,
    issuers,
    audited,
    attention: [...ofLedger(ledger), ...ofFunds(coordinator), ...ofAudit(audited), ...attention, ...ofFiles(files)],
  };
}

/** The node's own state, if it answers in time, and the transactions that are not final. */
async function readLedger(context: AppContext): Promise<Answer['ledger'] & { time: Date | undefined }> {
  const { db, ledger, metrics } = context;
  const [said, program, unplaced, halted, slotsBehind] = await Promise.all([
    within(
      ANSWER_WITHIN_MS,
      Promise.all([ledger.rpc.getSlot({ commitment: 'confirmed' }).send(), readLedgerTime(ledger)]),
    ).catch(() => undefined),
    readProgram(ledger),
    readUnplaced(db),
    countHalted(db),
    readingOf(metrics.ledgerSlotsBehind),
  ]);
  const [slot, time] = said ?? [];
  return {
    slot: slot === undefined ? null : Number(slot),
    behindSec: time === undefined ? null : Math.round((Date.now() - time.getTime()) / 1000),
    slotsBehind: slotsBehind ?? 0,
    paused: program === undefined ? null : program.paused !== 0,
    notFinal: unplaced.find(({ finality }) => finality === 'confirmed')?.transactions ?? 0,
    halted,
    time,
  };
}

async function readCoordinator({
  db,
  funds,
  ledger,
  config,
}: AppContext): Promise<Omit<Answer['coordinator'], 'dayLamports'>> {
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
