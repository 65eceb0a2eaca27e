import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '@legwork/agents';
import { isCosignedPickup, letGoOnce } from '@legwork/protocol/rules';
import {
  joinMove,
  joinOffered,
  joinPickup,
  type MadeMove,
  type MoveOffer,
  readOffer,
  shareOffer,
  signPickup,
} from '@legwork/sdk';
import { UsageError, UserError } from '../screen.js';
import type { Agent } from './agent.js';
import { legAtHand, type LegAtHand, type LegInput, legOf, sessionFor } from './legAtHand.js';
import { moving, textIn, told } from './moves.js';
import type { Shown } from './output.js';

interface TogetherInput extends LegInput {
  readonly offer?: string;
}

/** How long each side waits for the other: an offer lives no longer, milliseconds. */
const MEET_MS = 60_000;
const LOOK_EVERY_MS = 500;

/** Picks a parcel up; where the shipper signs the first pickup too, it signs a text, which its courier sends. */
export async function take(agent: Agent, input: TogetherInput): Promise<Shown> {
  const at = await legAtHand(agent, input);
  if (!isCosignedPickup(at.leg.legIndex, at.terms)) return moving('take')(agent, input);
  const session = await sessionFor(agent, at, 'take');
  const given = input.offer === undefined ? undefined : (await textIn(input.offer)).trim();
  const isCourier = (await agent.pubkey()) === at.leg.agentPubkey;
  return isCourier ? sendPickup(agent, session, at, given) : handOver(agent, session, at, given);
}

/** Ends a leg as its two sides agree; the first of them signs, and the other one's signature carries it out. */
export async function agree(agent: Agent, input: TogetherInput & { readonly percent: number }): Promise<Shown> {
  const at = await legAtHand(agent, input);
  return meet(agent, at, { action: 'agree', percent: input.percent, given: input.offer });
}

const legOfPickup = ({ of, leg, terms }: LegAtHand) => ({ legId: leg.id, ...of, onChainLeg: leg.onChainLeg, terms });

/** The shipper's part. A courier that runs a former version may have offered a transaction, which is signed instead. */
async function handOver(
  agent: Agent,
  { client, signer, rpc }: Session,
  at: LegAtHand,
  given: string | undefined,
): Promise<Shown> {
  const offer = given === undefined ? undefined : readOffer(given);
  if (given !== undefined && (offer?.action !== 'take' || offer.legId !== at.leg.id)) {
    throw new UsageError('A shipper signs by itself, without --offer: leave it out.');
  }
  if (offer !== undefined) {
    return told(agent, await joinMove(client, signer, { ...offer, ...legOfPickup(at) }, { rpc }));
  }
  const { made, code } = await signPickup(client, signer, legOfPickup(at), { rpc });
  if (made !== undefined) return told(agent, made);
  if (code === undefined) throw alone(agent, at, PICKUP);
  return { data: { legId: at.leg.id, code }, text: handedOver(agent, at, code) };
}

function handedOver(agent: Agent, { listing, leg }: LegAtHand, code: string): string {
  return [
    `Signed. ${leg.agentPubkey} finds this, and sends it at once:`,
    code,
    `${letGoOnce(`leg ${leg.legIndex + 1} is shown as carried`)}.`,
    agent.command(`show ${listing.id}`),
  ].join('\n');
}

const PICKUP = { action: 'take', percent: undefined, given: undefined } as const;

/** The courier's part: it waits for the shipper's, if that is not there. */
async function sendPickup(
  agent: Agent,
  { client, signer, rpc }: Session,
  at: LegAtHand,
  code: string | undefined,
): Promise<Shown> {
  for (const until = Date.now() + MEET_MS; Date.now() < until; await sleep(LOOK_EVERY_MS)) {
    const made = await joinPickup(client, signer, { ...legOfPickup(at), code }, { rpc });
    if (made !== undefined) return told(agent, made);
  }
  throw alone(agent, at, PICKUP);
}

interface Meeting extends Pick<MoveOffer, 'action' | 'percent'> {
  /** A file with what the other side signed. */
  readonly given: string | undefined;
}

async function meet(agent: Agent, at: LegAtHand, meeting: Meeting): Promise<Shown> {
  const session = await sessionFor(agent, at, meeting.action);
  if (meeting.given !== undefined) return told(agent, await joinGiven(session, at, meeting, meeting.given));
  const joined = await joinedWith(session, at, meeting);
  if (joined !== undefined) return told(agent, joined);
  return offerAndWait(agent, session, at, meeting);
}

const moveOf = ({ of, leg, terms }: LegAtHand, { action, percent }: Meeting) => ({
  legId: leg.id,
  ...of,
  terms,
  action,
  percent,
});

function joinedWith({ client, signer, rpc }: Session, at: LegAtHand, meeting: Meeting): Promise<MadeMove | undefined> {
  return joinOffered(client, signer, moveOf(at, meeting), { rpc });
}

/** @throws UsageError when the file holds no offer of this move */
async function joinGiven(session: Session, at: LegAtHand, meeting: Meeting, file: string): Promise<MadeMove> {
  const offer = readOffer((await textIn(file)).trim());
  const wanted = moveOf(at, meeting);
  if (offer?.action !== wanted.action || offer.legId !== wanted.legId || offer.percent !== wanted.percent) {
    throw new UsageError(`${file} holds no offer to ${wanted.action} this leg.`);
  }
  const { client, signer, rpc } = session;
  return joinMove(client, signer, { ...offer, ...wanted }, { rpc });
}

async function offerAndWait(
  agent: Agent,
  { client, signer, rpc }: Session,
  at: LegAtHand,
  meeting: Meeting,
): Promise<Shown> {
  const text = await shareOffer(client, signer, moveOf(at, meeting), { rpc });
  process.stderr.write(
    `Signed. The other side has a minute to sign too, with the same command, or with --offer:\n${text}\n`,
  );
  for (const until = Date.now() + MEET_MS; Date.now() < until; await sleep(LOOK_EVERY_MS)) {
    const { leg } = await legOf(agent, at.of, at.leg.id);
    const { stage } = leg;
    if (stage !== null && stage !== at.leg.stage)
      return { data: { stage }, text: `It is done as agreed: the leg is ${stage}.` };
  }
  throw alone(agent, at, meeting);
}

function alone(agent: Agent, { leg }: LegAtHand, { action, percent }: Meeting): UserError {
  const share = percent === undefined ? '' : ` --percent ${percent}`;
  const command = agent.command(`move ${action} ${leg.id}${share}`);
  return new UserError(`The other side has not signed within a minute. Do it again, both of you: ${command}`);
}
