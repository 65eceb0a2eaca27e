import { createHash } from 'node:crypto';
import type { LegTurnView } from '@legwork/protocol/contract';
import type { LoggedEvent } from '../db/events.js';
import type { Told } from '../db/schema.js';
import type { Notice } from './push.js';

/*
 * The notices of a key follow from its turns and not from the log alone: a clock ends without an event, and of all that
 * happens in a listing only some makes it somebody's move. Told notices are kept with the subscription, so that each is told once.
 */

/** The events that make a leg a key's. */
export const CHOSEN = ['BID_RECEIVED', 'LEG_REPLACED', 'TASK_LEG_ASSIGNED'] as const;
/** Older news is none: who was away for so long looks at the page, milliseconds. */
const NEWS_MS = 24 * 3_600_000;
/** A notice of a clock comes when this part of it is left, and an hour of it at most, milliseconds. */
const LAST_PART = 5;
const LAST_HOUR_MS = 3_600_000;
/** Without a clock, terms may name the key in a listing of which the log does not tell it, milliseconds. */
export const LOOK_AGAIN_MS = 10 * 60_000;
const SOONEST_LOOK_MS = 1_000;

/** Says once who acts, and on what: no place, person or amount. */
const WORDS = {
  chosen: {
    title: 'You were chosen for a leg',
    body: { package: 'A package waits for you.', task: 'A digital task waits for you.' },
  },
  move: {
    title: 'It is your move',
    body: { package: 'A package waits for what you do next.', task: 'A digital task waits for what you do next.' },
  },
  soon: {
    title: 'A clock of yours ends soon',
    body: { package: 'A package: see what silence costs you.', task: 'A digital task: see what silence costs you.' },
  },
};
type Reason = keyof typeof WORDS;
type Kind = 'package' | 'task';

/** Where a notice leads, from the service's address on. */
const YOUR_TURNS = 'me';

function notice(reason: Reason, kind: Kind, legId: string): Notice {
  const { title, body } = WORDS[reason];
  const tag = createHash('sha256').update(legId).digest('base64url').slice(0, 32);
  return {
    text: JSON.stringify({ title, body: body[kind], url: YOUR_TURNS, tag }),
    topic: tag,
    isUrgent: reason === 'soon',
  };
}

/** A notice, and what the key has been told once it is taken. */
export interface Step {
  readonly notice: Notice;
  readonly told: Told;
  /** Number of the event that it is of; undefined: of none. */
  readonly seq?: bigint;
}

/** The notices for a key now, in this order, and the time to look again. */
export interface Telling {
  readonly steps: readonly Step[];
  /** The notices told so far, without legs that are over. */
  readonly told: Told;
  readonly lookInMs: number;
}

/** When a clock counts as ending soon: of what was left when it was first told of. */
const soonAt = (until: number, since: number) => until - Math.min(LAST_HOUR_MS, (until - since) / LAST_PART);

const keyOf = ({ stage, awaited, until }: LegTurnView) => [stage, awaited, until?.getTime() ?? ''].join(' ');

function chosenIn(events: readonly LoggedEvent[], pubkey: string, now: Date) {
  return events.flatMap(({ seq, type, payload, occurredAt }) => {
    const { agentPubkey, legId } = payload;
    const isNews = CHOSEN.some((one) => one === type) && now.getTime() - occurredAt.getTime() < NEWS_MS;
    if (!isNews || agentPubkey !== pubkey || typeof legId !== 'string') return [];
    const kind: Kind = type === 'TASK_LEG_ASSIGNED' || 'taskId' in payload ? 'task' : 'package';
    return [{ seq, legId, kind }];
  });
}

/**
 * The notices for a key that has these turns. Rule S-234.
 *
 * @param before what it was told
 * @param events of the log that may have made it somebody's leg, and that it was not told of
 * @param now by the service's clock; what turns say is by the ledger's
 */
export function tellingOf(
  {
    pubkey,
    before,
    events,
    turns,
  }: { pubkey: string; before: Told; events: readonly LoggedEvent[]; turns: readonly LegTurnView[] },
  { now, ledgerMs }: { now: Date; ledgerMs: number },
): Telling {
  const awaited = turns.filter((turn) => turn.awaited !== null);
  const legs = new Set(awaited.map(({ legId }) => legId));
  let told: Told = Object.fromEntries(Object.entries(before).filter(([legId]) => legs.has(legId)));
  const steps: Step[] = [];
  const chosen = chosenIn(events, pubkey, now);
  for (const { seq, legId, kind } of chosen) steps.push({ notice: notice('chosen', kind, legId), told, seq });
  let lookInMs = LOOK_AGAIN_MS;
  for (const turn of awaited) {
    const { legId, kind, until } = turn;
    const last = told[legId];
    const isNew = last?.key !== keyOf(turn);
    const since = isNew ? ledgerMs : last.sinceMs;
    const left = until === null ? undefined : soonAt(until.getTime(), since) - ledgerMs;
    const isSoon = left !== undefined && left <= 0;
    told = { ...told, [legId]: { key: keyOf(turn), sinceMs: since, isSoon: isSoon || (!isNew && last.isSoon) } };
    if (isNew && !chosen.some((one) => one.legId === legId)) steps.push({ notice: notice('move', kind, legId), told });
    else if (isSoon && !isNew && !last.isSoon) steps.push({ notice: notice('soon', kind, legId), told });
    if (left !== undefined && left > 0) lookInMs = Math.min(lookInMs, left);
  }
  return { steps, told, lookInMs: Math.max(SOONEST_LOOK_MS, lookInMs) };
}
