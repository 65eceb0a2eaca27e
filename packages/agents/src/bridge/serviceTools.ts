import { completeDigitalLeg, formatAmount, makeMove, openField, requireNothingToClaim } from '@legwork/sdk';
import type { Asset } from '@legwork/sdk';
import { z } from 'zod';
import type { Session } from '../wallet/session.js';
import type { ServiceMcp, Tell } from './serviceMcp.js';
import { rulesFor } from '../wallet/assetRules.js';
import { noLimits, RefusedError, succeeded } from './toolResult.js';
import type { ToolResult } from './toolResult.js';

type Arguments = Readonly<Record<string, unknown>>;
type Answer = NonNullable<ToolResult['structuredContent']>;

/** The signed part of a call, in words for a model. */
interface Signed {
  readonly move: 'accept' | 'claim';
  readonly means: string;
  readonly until: Date | null;
  readonly signature: string;
  readonly stillOpen?: string;
}

/**
 * Calls a tool of the service. A transaction that it leaves for the wallet is signed here, within
 * the limits, or said to be open: no answer looks done while a signature is missing. Rule A-102.
 *
 * @throws {RefusedError} when the answer holds a transaction that the bridge does not know what to do about
 */
export async function callService(
  session: Session,
  service: ServiceMcp,
  { name, args, tell }: { name: string; args: Arguments; tell: Tell | undefined },
): Promise<ToolResult> {
  const before = name === 'svc_complete_digital_leg' ? await acceptFirst(session, args) : [];
  const listing = await listingOf(session.client, name, args).catch(() => undefined);
  if (listing !== undefined) requireLimits(session, listing);
  const result = await service.call(name, args, tell);
  const answer = result.structuredContent;
  if (result.isError || answer === undefined) return result;
  keepPapers(session, name, answer);
  if (name === 'svc_complete_digital_leg') return claimed(session, args, answer, before);
  requireNothingToSign(answer);
  const toSign = BIDS.has(name) ? laterMove(name, listing) : undefined;
  return toSign === undefined ? result : succeeded({ ...answer, toSign });
}

/** The service's tools do not pass the client whose answers are heard: what a call listed or claimed is seen to, and what was won in between. */
function keepPapers({ papers }: Session, name: string, answer: Answer): void {
  papers.look();
  const about = name === 'svc_bid_digital_leg' ? answer['taskId'] : POSTS.has(name) ? answer['id'] : undefined;
  if (typeof about === 'string') papers.see(about);
}

const POSTS: ReadonlySet<string> = new Set(['svc_post_task', 'svc_post_digital_task']);

/** A bid or a claim would come to a leg that this wallet may not stake or be paid for. @throws {RefusedError} */
function requireLimits({ assets }: Pick<Session, 'assets'>, listing: Asset): void {
  if (rulesFor(assets, listing) === undefined) throw noLimits(listing);
}

/** @throws {RefusedError} when the answer holds an unsigned transaction, which nobody would sign */
function requireNothingToSign(answer: Answer): void {
  const left = Object.keys(answer).find((key) => /transaction$/i.test(key) && typeof answer[key] === 'string');
  if (left === undefined) return;
  throw new RefusedError(
    'not_signed',
    `the service's answer has ${left} to be signed, and this bridge does not sign it`,
    'It is not done. Look with due_now, and use make_move.',
  );
}

const handIn = z.looseObject({ taskId: z.uuid(), legId: z.uuid(), result: z.string() });

/** A leg that waits to be accepted is accepted, which posts its stake: a result is claimed of an accepted leg only. */
async function acceptFirst({ client, signer, rpc }: Session, args: Arguments): Promise<Signed[]> {
  const read = handIn.safeParse(args);
  // The service reports faults of the arguments.
  if (!read.success) return [];
  const { taskId, legId } = read.data;
  const { legs, terms, ...of } = await client.getDigitalTask({ taskId });
  const leg = legs.find(({ id }) => id === legId);
  if (terms === null || leg?.stage !== 'pending' || leg.agentPubkey !== signer.address) return [];
  const made = await makeMove(client, signer, { taskId, legId, action: 'accept' }, { rpc });
  const { until, signature } = made;
  return [
    {
      move: 'accept',
      means: `a stake of ${formatAmount(terms.stake, of)} lies in it`,
      until,
      signature,
      ...openField(made),
    },
  ];
}

/** Claims the leg with the result that was handed in. */
async function claimed(
  { client, signer, rpc }: Session,
  args: Arguments,
  answer: Answer,
  before: readonly Signed[],
): Promise<ToolResult> {
  const told = (signed: readonly Signed[], more: object = {}) =>
    signed.length === 0 ? succeeded(answer) : succeeded({ ...answer, ...more, signed: signed.map(forModel) });
  const given = handIn.parse(args);
  if (typeof answer['claimTransaction'] !== 'string') {
    await requireNothingToClaim(client, given, { rpc });
    return told(before);
  }
  const { stage, claim } = await completeDigitalLeg(client, signer, given, { rpc });
  const means =
    'the leg is claimed with this result; it is paid when its receiver confirms, or says nothing until then';
  const own =
    claim === null
      ? []
      : [{ move: 'claim' as const, means, until: claim.until, signature: claim.signature, ...openField(claim) }];
  return told([...before, ...own], { stage, claimTransaction: null });
}

const forModel = ({ until, ...signed }: Signed) => ({ ...signed, until: until?.toISOString() ?? null });

/** It was done; that its listing cannot be read now must not make it look refused. */
const UNKNOWN_TERMS = 'If the listing has terms, nothing is signed yet: due_now says what waits for you.';

const bidOn = z.object({ packageId: z.uuid() });
const claimOf = z.object({ taskId: z.uuid() });

const BIDS: ReadonlySet<string> = new Set(['svc_submit_bid', 'svc_bid_digital_leg']);

/** The listing of a bid or a claim, or undefined for another call. */
async function listingOf(client: Session['client'], name: string, args: Arguments) {
  const ofPackage = name === 'svc_submit_bid' ? bidOn.safeParse(args).data : undefined;
  const ofTask = name === 'svc_bid_digital_leg' ? claimOf.safeParse(args).data : undefined;
  return ofPackage ? client.getPackage(ofPackage) : ofTask && client.getDigitalTask(ofTask);
}

type Listing = NonNullable<Awaited<ReturnType<typeof listingOf>>>;

/** The move that has to be signed later for the beginning that the call made, or undefined. */
function laterMove(name: string, listing: Listing | undefined): string | undefined {
  if (listing === undefined) return UNKNOWN_TERMS;
  if (listing.terms === null) return undefined;
  const stake = `a stake of ${formatAmount(listing.terms.stake, listing)}`;
  const when = name === 'svc_submit_bid' ? 'If the bid wins' : 'Once the leg is yours';
  return `Nothing is signed yet. ${when}, make_move with accept posts ${stake}; due_now says until when, and what silence costs.`;
}
