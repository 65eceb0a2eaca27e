import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { DECIDED_KINDS } from '../db/decisions.js';
import type { PendingRpcRequest } from '@solana/kit';
import { isLedgerAnswer, type LedgerRpc } from '@legwork/program-client/history';
import { unless } from '../waiting.js';

const PREFIX = 'legwork_';
/** From a cached read to a request that waits for the ledger. */
const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** A search takes well under a millisecond for few bids, and is bounded by OPTIMIZER_TIME_MS. */
const SEARCH_SECONDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 5, 60];

/** The metrics of one running service. Every name begins with `legwork_`. Rule S-42. */
export interface Metrics {
  readonly registry: Registry;
  readonly httpRequests: Histogram<'method' | 'route' | 'status'>;
  /** `answered`, `refused` (the ledger said no) or `unanswered`. */
  readonly ledgerRequests: Histogram<'method' | 'outcome'>;
  /** `exact`, `inexact` (time ran out: the best chain found until then) or `no_chain`. */
  readonly evaluations: Histogram<'outcome'>;
  /** `delivered`, `refused` (for good), `retried` or `undecided` (nothing was signed: the coordinator did not decide it). */
  readonly intents: Counter<'kind' | 'outcome'>;
  /** From the first sign of a transaction to its projection into the mirror, seconds. */
  readonly mirrorDelay: Histogram;
  /** `projected`, `known` (the mirror had it, or does not keep it) or `foreign` (not made by this service). */
  readonly mirroredInstructions: Counter<'name' | 'outcome'>;
  readonly mirrorFailures: Counter;
  readonly unreadableTransactions: Counter;
  readonly mirrorCaughtUpAt: Gauge;
  readonly mirroredSlot: Gauge;
  readonly revertedTransactions: Counter;
  readonly artifactBytes: Counter;
  readonly artifactsRefused: Counter;
  /** `delivered` or `failed`. */
  readonly webhookDeliveries: Counter<'outcome'>;
  readonly ledgerSlotsBehind: Gauge;
  /** `sent`, `refused` (the collector did not take them) or `no_room` (too many waited for it). */
  readonly spans: Counter<'outcome'>;
  readonly readings: Readings;
}

/** The gauges that are read when metrics are asked for. */
export interface Readings {
  readonly databaseUp: Gauge;
  readonly outbox: Gauge<'kind' | 'status'>;
  readonly outboxAge: Gauge<'kind' | 'status'>;
  readonly lastEvent: Gauge;
  readonly unnumberedEvents: Gauge;
  /** `confirmed` (not final yet) or `reverted` (taken back by the ledger). */
  readonly unplaced: Gauge<'finality'>;
  readonly unplacedAge: Gauge<'finality'>;
  readonly legs: Gauge<'stage'>;
  /** Of the arbitration window of the dispute that has used most of it. */
  readonly disputeShare: Gauge;
  readonly poolConnections: Gauge<'state'>;
  readonly poolWaiting: Gauge;
  readonly eventSockets: Gauge;
  /** `active`, `failing` or `disabled`. */
  readonly webhooks: Gauge<'status'>;
  readonly ledgerUp: Gauge;
  readonly ledgerSlot: Gauge;
  readonly coordinatorLamports: Gauge;
}

/** The instruments of one service, in its own registry: several services in one process do not mix. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    httpRequests: new Histogram({
      name: `${PREFIX}http_request_duration_seconds`,
      help: 'HTTP requests by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    ledgerRequests: new Histogram({
      name: `${PREFIX}ledger_request_duration_seconds`,
      help: 'JSON-RPC requests to the ledger by method and outcome (answered, refused, unanswered).',
      labelNames: ['method', 'outcome'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    evaluations: new Histogram({
      name: `${PREFIX}evaluation_duration_seconds`,
      help: 'Searches for the best chain of bids by outcome (exact, inexact, no_chain).',
      labelNames: ['outcome'],
      buckets: SEARCH_SECONDS,
      registers,
    }),
    intents: createIntents(registers),
    ...createMirrorMetrics(registers),
    artifactBytes: new Counter({
      name: `${PREFIX}artifact_bytes_total`,
      help: 'Bytes of files of results that this process stored whole.',
      registers,
    }),
    artifactsRefused: new Counter({
      name: `${PREFIX}artifacts_refused_total`,
      help: 'Parts and whole files that were discarded because their sha256 was wrong or what was kept of them was gone.',
      registers,
    }),
    webhookDeliveries: new Counter({
      name: `${PREFIX}webhook_deliveries_total`,
      help: 'Events and notices that this process posted to webhooks and browsers, by outcome (delivered, failed).',
      labelNames: ['outcome'],
      registers,
    }),
    spans: new Counter({
      name: `${PREFIX}trace_spans_total`,
      help: 'Spans that ended in this process, by outcome (sent; dropped: refused by the collector, no_room).',
      labelNames: ['outcome'],
      registers,
    }),
    readings: createReadings(registry),
  };
}

function createIntents(registers: Registry[]): Metrics['intents'] {
  const intents = new Counter({
    name: `${PREFIX}intents_total`,
    help: 'Intents carried to the ledger by this process, by kind and outcome (delivered, refused, retried, undecided).',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  // From 0 on, so that the first one is an increase.
  for (const kind of DECIDED_KINDS) intents.inc({ kind, outcome: 'undecided' }, 0);
  return intents;
}

type MirrorMetrics = Pick<
  Metrics,
  | 'mirrorDelay'
  | 'mirroredInstructions'
  | 'mirrorFailures'
  | 'unreadableTransactions'
  | 'mirrorCaughtUpAt'
  | 'mirroredSlot'
  | 'revertedTransactions'
  | 'ledgerSlotsBehind'
>;

function createMirrorMetrics(registers: Registry[]): MirrorMetrics {
  return {
    mirrorDelay: new Histogram({
      name: `${PREFIX}mirror_delay_seconds`,
      help: "From the ledger's hint of a transaction, or the poll that found it, to its projection into the database.",
      buckets: REQUEST_SECONDS,
      registers,
    }),
    mirroredInstructions: new Counter({
      name: `${PREFIX}mirrored_instructions_total`,
      help: 'Instructions that the watcher read from the ledger, by name and outcome (projected, known, foreign).',
      labelNames: ['name', 'outcome'],
      registers,
    }),
    mirrorFailures: new Counter({
      name: `${PREFIX}mirror_failures_total`,
      help: 'Rounds of the mirror that failed; it goes on at the same transaction.',
      registers,
    }),
    unreadableTransactions: new Counter({
      name: `${PREFIX}unreadable_transactions_total`,
      help: 'Transactions of the program that could not be read and were passed.',
      registers,
    }),
    mirrorCaughtUpAt: new Gauge({
      name: `${PREFIX}mirror_caught_up_timestamp_seconds`,
      help: 'When the mirror last held everything that the ledger showed, unix seconds.',
      registers,
    }),
    mirroredSlot: new Gauge({
      name: `${PREFIX}mirror_cursor_slot`,
      help: 'Slot of the newest final transaction that this process has mirrored.',
      registers,
    }),
    revertedTransactions: new Counter({
      name: `${PREFIX}reverted_transactions_total`,
      help: 'Transactions that this process found to be taken back by the ledger; their listings halt.',
      registers,
    }),
    ledgerSlotsBehind: new Gauge({
      name: `${PREFIX}ledger_slots_behind`,
      help: 'Slots by which the finalized slot of the ledger is behind the newest final transaction known; 0: it is not.',
      registers,
    }),
  };
}

function createReadings(registry: Registry): Readings {
  const gauge = <L extends string = never>(name: string, help: string, ...labelNames: L[]): Gauge<L> =>
    new Gauge({ name: `${PREFIX}${name}`, help, labelNames, registers: [registry] });
  return {
    databaseUp: gauge(
      'database_up',
      '1 if the database answered just now; without an answer its readings are left out.',
    ),
    outbox: gauge(
      'outbox_intents',
      'Intents not done, by kind and status; failed ones wait for an operator.',
      'kind',
      'status',
    ),
    outboxAge: gauge(
      'outbox_oldest_age_seconds',
      'Age of the oldest intent not done, by kind and status.',
      'kind',
      'status',
    ),
    lastEvent: gauge('events_last_seq', 'Number of the newest event.'),
    unnumberedEvents: gauge('events_unnumbered', 'Events that are committed and not numbered yet.'),
    unplaced: gauge(
      'unplaced_transactions',
      'Mirrored transactions without a final place, by finality (confirmed: not final yet; reverted: taken back).',
      'finality',
    ),
    unplacedAge: gauge(
      'unplaced_oldest_age_seconds',
      'Age of the oldest mirrored transaction without a final place, by finality.',
      'finality',
    ),
    legs: gauge('legs', 'Legs with terms in swarms under way, by stage.', 'stage'),
    disputeShare: gauge(
      'dispute_window_used_ratio',
      'Of the arbitration window, what the open dispute nearest to its end has used; 0 without a dispute.',
    ),
    poolConnections: gauge('database_connections', 'Connections of the pool by state (in_use, idle).', 'state'),
    poolWaiting: gauge('database_waiting', 'Queries that wait for a connection of the pool.'),
    eventSockets: gauge('event_sockets', 'Open sockets and streams of events.'),
    webhooks: gauge(
      'webhooks',
      'Webhooks and subscriptions to notices by status (active, failing, disabled).',
      'status',
    ),
    ledgerUp: gauge('ledger_up', '1 if the ledger answered just now; without an answer its readings are left out.'),
    ledgerSlot: gauge('ledger_slot', 'Newest confirmed slot.'),
    coordinatorLamports: gauge('coordinator_lamports', "The coordinator's balance, from which fees and rent are paid."),
  };
}

type Call = (...args: unknown[]) => PendingRpcRequest<unknown>;

/** Measures every request that the RPC sends, and waits for none once `givenUp` is aborted. */
export function measureLedger(
  rpc: LedgerRpc,
  { ledgerRequests }: Pick<Metrics, 'ledgerRequests'>,
  givenUp: AbortSignal,
): LedgerRpc {
  const measured = (method: string, request: PendingRpcRequest<unknown>): PendingRpcRequest<unknown> => ({
    ...request,
    async send(options) {
      const end = ledgerRequests.startTimer({ method });
      try {
        const answer = await unless(givenUp, request.send(options));
        end({ outcome: 'answered' });
        return answer;
      } catch (error) {
        end({ outcome: isLedgerAnswer(error) ? 'refused' : 'unanswered' });
        throw error;
      }
    },
  });
  return new Proxy(rpc, {
    get(target, method, receiver) {
      const call: unknown = Reflect.get(target, method, receiver);
      if (typeof method !== 'string' || typeof call !== 'function') return call;
      return (...args: unknown[]) => measured(method, (call as Call)(...args));
    },
  });
}
