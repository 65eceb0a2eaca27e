import { createHash, randomUUID } from 'node:crypto';
import { type InputOf, LegworkError, operations } from '@legwork/protocol/contract';
import { z } from 'zod';
import { answerOnce, HEADER_IDEMPOTENCY_KEY, namedRequest } from '../api/idempotency.js';
import { admit, type Identity, requireKey } from '../api/identity.js';
import { parseInput } from '../api/parseInput.js';
import { A2aError } from './errors.js';
import { requireReservable, reservedFor } from './reserved.js';
import { keepPush, pushConfig, requirePush } from './pushConfigs.js';
import { A2A_PATH } from './agentCard.js';
import type { A2aCall } from './methods.js';
import { type A2aTask, type AgentMessage, hasEnded, readA2aTask } from './taskView.js';

const POSTED = operations.postSponsoredDigitalTask;

/** Empty text is what ProtoJSON writes for nothing. */
const reference = z.string().max(200).optional();
const part = z.object({
  text: z.string().optional(),
  data: z.unknown().optional(),
  raw: z.unknown().optional(),
  url: z.unknown().optional(),
  mediaType: z.string().optional(),
});

export const sendMessageParams = z.object({
  tenant: reference,
  message: z.object({
    messageId: z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters, such as a UUID'),
    role: z.literal('ROLE_USER'),
    parts: z.array(part).min(1).max(20),
    contextId: reference,
    taskId: reference,
  }),
  configuration: z
    .object({ returnImmediately: z.boolean().optional(), taskPushNotificationConfig: pushConfig.nullish() })
    .optional(),
});
type Params = z.output<typeof sendMessageParams>;
type UserMessage = Params['message'];

/**
 * Posts the task that a message asks for; one without a data part is answered with what is lacking. Rule S-281.
 *
 * @throws A2aError, and what `postSponsoredDigitalTask` throws
 */
export async function takeMessage(
  call: A2aCall,
  { tenant, message, configuration }: Params,
): Promise<A2aTask | AgentMessage> {
  if (message.taskId) throw await furtherMessage(call, message.taskId, message.contextId);
  const said = { ...contentOf(message.parts), tenant: tenant || undefined };
  if (said.tenant !== undefined) await requireReservable(call.context, said.tenant);
  if (said.data === undefined) return clarification(call, message);
  const follower = configuration?.taskPushNotificationConfig ?? undefined;
  const check = () => follower && requirePush(call, follower, 'configuration.taskPushNotificationConfig.url');
  const taskId = await post(call, message, said, check);
  if (follower !== undefined) await keepPush(call, taskId, follower, false);
  return readA2aTask(call.context, taskId);
}

/** Why a task takes no other message: its legs and terms stand on the ledger. */
async function furtherMessage({ context }: A2aCall, taskId: string, contextId = ''): Promise<Error> {
  const task = await readA2aTask(context, taskId);
  if (contextId !== '' && contextId !== task.contextId)
    return LegworkError.field(
      'invalid_input',
      'message.contextId',
      `is not that of the task, which is ${task.contextId}`,
    );
  const why = hasEnded(task)
    ? 'The task is over and takes no messages; post another one.'
    : `A task that is posted takes no messages: its goal and its legs stand on the ledger. ${task.status.message.parts.map((one) => ('text' in one ? one.text : '')).join(' ')}`;
  return new A2aError('UNSUPPORTED_OPERATION', why);
}

interface Said {
  text: string;
  data: object | undefined;
  /** The agent that alone may do it. */
  tenant: string | undefined;
}

/** What the parts say. @throws A2aError `CONTENT_TYPE_NOT_SUPPORTED`; LegworkError `invalid_input` */
function contentOf(parts: UserMessage['parts']): Omit<Said, 'tenant'> {
  const texts: string[] = [];
  let data: object | undefined;
  parts.forEach((one, index) => {
    const field = `message.parts.${index}`;
    if (one.raw !== undefined || one.url !== undefined || !isTaken(one))
      throw new A2aError(
        'CONTENT_TYPE_NOT_SUPPORTED',
        `${field}: a message holds text (text/plain) and data (application/json); name files by their address in the text.`,
      );
    if (one.text !== undefined) texts.push(one.text);
    else if (data !== undefined)
      throw LegworkError.field('invalid_input', field, 'is a second data part; a message has one');
    else data = objectIn(one.data, field);
  });
  return { text: texts.join('\n\n'), data };
}

const TEXT = /^(text\/(plain|markdown)\s*(;|$)|$)/i;
const DATA = /^(application\/json\s*(;|$)|$)/i;
const isTaken = ({ text, mediaType = '' }: z.output<typeof part>) => (text === undefined ? DATA : TEXT).test(mediaType);

function objectIn(value: unknown, field: string): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw LegworkError.field(
    'invalid_input',
    field,
    'must have text, or data that is an object with the fields of a task',
  );
}

const LONGEST_TITLE = 200;

/** The fields of the operation: those of the data part, and what the text and the signature say. */
function bodyOf({ text, data, tenant }: Said, signer: string | undefined): object {
  const poster = signer === undefined ? {} : { shipperPubkey: signer };
  const body =
    text.trim() === '' ? { ...poster, ...data } : { ...poster, title: titleOf(text), ...data, description: text };
  return tenant === undefined ? body : reservedFor(tenant, body);
}

/** The first line of a goal, as far as a title goes and not half a character further. */
const titleOf = (text: string) =>
  (text.trim().split(/\r?\n/, 1)[0] ?? '').slice(0, LONGEST_TITLE).replace(/[\uD800-\uDBFF]$/, '');

/** The same words under the same id are one request; some clients give several messages one id. */
const namedAs = (said: Pick<UserMessage, 'messageId' | 'parts'> & Pick<Said, 'tenant'>, identity: Identity) =>
  namedRequest(
    {
      headers: {
        [HEADER_IDEMPOTENCY_KEY.toLowerCase()]: createHash('sha256').update(JSON.stringify(said)).digest('hex'),
      },
      method: 'POST',
      url: A2A_PATH,
      rawBody: undefined,
    },
    identity,
  );

/** Posts, once however often a caller sends the message. @param check what else has to be well before it posts @returns the id of the task */
async function post(
  { context, runs, identity }: A2aCall,
  { messageId, contextId = '', parts }: UserMessage,
  said: Said,
  check: () => Promise<void> | undefined,
): Promise<string> {
  requireKey(context, identity, POSTED.auth);
  const given = { params: {}, query: {}, body: bodyOf(said, identity.signer?.pubkey) };
  const input = parseInput(POSTED, given) as InputOf<typeof POSTED>;
  if (contextId !== '' && !contextId.startsWith(UNPOSTED) && contextId !== input.shipperPubkey)
    throw LegworkError.field(
      'invalid_input',
      'message.contextId',
      `must be shipperPubkey, ${input.shipperPubkey}, or left out: what a key posts is one context`,
    );
  await identity.spendNonce();
  const named = namedAs({ messageId, parts, tenant: said.tenant }, identity);
  const execute = async (requestKey?: string) => {
    await check();
    await admit(context, identity, POSTED, input);
    const { signer, ip } = identity;
    const { answer } = await runs.postSponsoredDigitalTask(context, input, {
      pubkey: signer?.pubkey,
      signer,
      ip,
      requestKey,
    });
    return { status: POSTED.status, body: answer.id, keep: true };
  };
  return (named === undefined ? await execute() : await answerOnce(context, named, execute)).body;
}

/** Begins the context of a conversation in which nothing was posted yet, and nobody signed. */
const UNPOSTED = 'unposted-';

/** What a message lacks that posts nothing. Its context is made up and kept nowhere. */
function clarification({ context, identity }: A2aCall, { messageId, contextId }: UserMessage): AgentMessage {
  const signer = identity.signer?.pubkey;
  const data = {
    ...(signer === undefined && { shipperPubkey: '<your public key, base58>' }),
    maxBudgetSol: 0.01,
    legs: [{ instruction: '<optional: what the first agent does>' }],
  };
  const text = `Nothing was posted: send the text again with a data part that has ${signer === undefined ? 'shipperPubkey (who posts) and ' : ''}maxBudgetSol (what all legs pay together). The coordinator of this market pays, within the caps of GET ${context.publicUrl}/config; to pay yourself use ${context.publicUrl}/post.`;
  return {
    messageId: `${messageId}-lacks`,
    contextId: contextId || signer || `${UNPOSTED}${randomUUID()}`,
    role: 'ROLE_AGENT',
    parts: [{ text, mediaType: 'text/plain' }, { data }],
  };
}
