import { MAX_EVIDENCE_BYTES } from '@legwork/protocol/contract';
import { commandLine } from '../commandLine.js';
import { LaterError } from '../engine/move.js';
import { postForText } from '../model/postForText.js';
import type { CourierPolicy } from '../policy/policy.js';
import { runCommand } from '../worker/runCommand.js';
import { printable } from './handoff.js';
import type { Asking } from './handoff.js';

/** A parcel that may be where its leg ends, as a command or an address is told of it. */
export interface Arrival {
  readonly packageId: string;
  readonly legId: string;
  readonly description: string;
  readonly place: { readonly lat: number; readonly lng: number };
  /** The key that takes it from there. */
  readonly recipientPubkey: string;
  /** By the ledger. */
  readonly carriedSince: Date;
  /** When it should be there, by the courier's own estimate. */
  readonly expectedAt: Date;
}

const AGAIN_MS = 30_000;
/** The ledger's time may run ahead of ours. */
const ESTIMATE_AGAIN_MS = 2_000;
const PERSON_AGAIN_MS = 300_000;
const OK = 200;

/**
 * The evidence that the parcel is at the end of its leg, though nobody took it over: the
 * output of the command or the address, or the word of the person at the terminal. Rule A-37.
 *
 * @param now by the ledger
 * @throws {LaterError} when it is not there, or nobody can say
 */
export async function evidenceOf(
  how: CourierPolicy['claim'],
  arrival: Arrival,
  { folder, ask, by, now }: Asking & { readonly now: Date },
  signal: AbortSignal,
): Promise<string> {
  const { packageId, legId, description, place, expectedAt } = arrival;
  const notYet = (who: string, ms = AGAIN_MS) => new LaterError(`${who}: package ${packageId} has not arrived`, ms);
  if (how.how === 'auto') {
    if (now < expectedAt) throw notYet('by its estimate', ESTIMATE_AGAIN_MS);
    return told(arrival);
  }
  if (how.how === 'ask') {
    const question = `Is package ${packageId} (${printable(description)}) at ${place.lat}, ${place.lng}, and nobody takes it? Yes claims your pay.`;
    if (!ask) throw notYet(`${commandLine(`move claim ${legId} --file FILE`, by)} claims it`, PERSON_AGAIN_MS);
    if (await ask(question, signal)) return told(arrival);
    throw notYet('nobody says so', PERSON_AGAIN_MS);
  }
  if (how.how === 'command') {
    const input = JSON.stringify(arrival);
    const { code, output } = await runCommand(how.command, { input, timeoutSec: how.timeoutSec, folder }, signal);
    const text = output.toString('utf8').trim();
    if (code !== 0 || text === '') throw notYet(how.command[0] ?? 'the command');
    return text;
  }
  const timeoutMs = how.timeoutSec * 1000;
  const asked = { url: how.url, body: arrival, timeoutMs, maxBytes: MAX_EVIDENCE_BYTES, signal };
  const { status, text } = await postForText(asked);
  if (status !== OK || text.trim() === '') throw notYet(how.url);
  return text.trim();
}

/** The courier's own word. */
function told({ packageId, place, carriedSince }: Arrival): string {
  return `Package ${packageId}, carried since ${carriedSince.toISOString()}, is at ${place.lat}, ${place.lng}, and nobody takes it over.`;
}

/** The text of a claim when the clock ends before the parcel arrived: the truth, so that a dispute finds no lie. */
export function onTheWay({ packageId, place, carriedSince, expectedAt }: Arrival): string {
  return (
    `Package ${packageId}, carried since ${carriedSince.toISOString()}, is still on its way to ${place.lat}, ${place.lng}, ` +
    `where it was expected at ${expectedAt.toISOString()}.`
  );
}
