import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomUUID } from 'node:crypto';
import { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type { ClientCapabilities, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { OverLimit } from '../wallet/guardSigner.js';
import { LimitError } from '../wallet/spending.js';
import type { ApprovalPage } from './approvalPage.js';
import { RefusedError } from './toolResult.js';
import type { ToolResult } from './toolResult.js';

/** A call of a tool of the bridge. */
export interface BridgeCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly context: ServerContext;
  /** The client's abilities as it named them on connecting; a newer one names them with each request. */
  readonly connected: ClientCapabilities | undefined;
}

/** The question put to a person: this call, and at most this transaction. */
interface Question {
  readonly call: string;
  readonly about: OverLimit;
  readonly untilMs: number;
}

/** A person's word while a call runs. */
interface Running {
  allowed: OverLimit | undefined;
  asked: OverLimit | undefined;
}

const ANSWER = 'allow';
const PATIENCE_MS = 600_000;
/** A person says no once, and the model does not ask again; a host that never asks a person says it each time. */
const DECLINED_BY_ITSELF = 2;
/** Questions that may be open, and declined calls that are remembered; the oldest is forgotten. */
const MOST_OPEN = 20;
/** The subject of a listing is made by the service for each build. */
const NEW_EACH_TIME: ReadonlySet<string> = new Set(['listPackage', 'listTask']);

/**
 * Asks a person about transactions above a limit, through the client's own dialog. The call ends with a question; the client repeats
 * it with the answer; then the transaction is built again and signed if it is what the person saw. An answer counts once. Rule A-75.
 * Where the client has no dialog, or its dialog brings nothing, a page of this machine asks.
 */
export class Approvals {
  readonly #calls = new AsyncLocalStorage<Running>();
  readonly #open = new Map<string, Question>();
  /** How often in a row a dialog brought no yes to a call: some hosts decline by themselves, and nobody has seen it. */
  readonly #declined = new Map<string, number>();
  readonly #page: ApprovalPage;
  readonly #waitMs: number;

  constructor(page: ApprovalPage, waitMs: number) {
    this.#page = page;
    this.#waitMs = waitMs;
  }

  /** For the wallet: whether a person allowed this transaction. */
  readonly approve = async (request: OverLimit): Promise<boolean> => {
    const running = this.#calls.getStore();
    if (running === undefined) return false;
    const { allowed } = running;
    running.allowed = undefined;
    if (allowed !== undefined && isWithin(request, allowed)) return true;
    running.asked = request;
    return false;
  };

  /** Runs a call; what it throws for a limit becomes a question to a person. */
  async run(call: BridgeCall, work: () => Promise<ToolResult>): Promise<ToolResult | InputRequiredResult> {
    const running: Running = { allowed: this.#allowedBy(call) ?? this.#allowedOnPage(call), asked: undefined };
    try {
      return await this.#calls.run(running, work);
    } catch (error) {
      const { asked } = running;
      if (!(error instanceof LimitError) || asked === undefined) throw error;
      if (canAsk(call) && !this.#bringsNothing(call)) return this.#ask(call, asked);
      // A page that waits for a yes would lead somebody into paying early.
      if (asked.isEarlyPayment) throw error;
      const decision = await this.#page.ask(hashOf(call), asked, this.#waitMs);
      if (decision === undefined) throw error;
      if (decision === 'open') throw new RefusedError('approval_pending', `${error.message}. ${PENDING}`, PENDING_HINT);
      return this.#calls.run({ allowed: this.#allowedOnPage(call), asked: undefined }, work);
    }
  }

  /** The transaction that a person allowed on the page. @throws {RefusedError} when it was refused */
  #allowedOnPage(call: BridgeCall): OverLimit | undefined {
    const answer = this.#page.take(hashOf(call));
    if (answer?.decision === 'refused') throw notAllowed('Do not ask again unless the person wants it.');
    return answer?.about;
  }

  /** Reports whether a dialog has declined this call twice, or was not answered at all. */
  #bringsNothing(call: BridgeCall): boolean {
    const hash = hashOf(call);
    const isUnanswered = [...this.#open.values()].some((question) => question.call === hash);
    return isUnanswered || (this.#declined.get(hash) ?? 0) >= DECLINED_BY_ITSELF;
  }

  /** The transaction that a person allowed with this request. @throws {RefusedError} when the answer is no, or comes too late */
  #allowedBy(call: BridgeCall): OverLimit | undefined {
    const state = call.context.mcpReq.requestState();
    if (typeof state !== 'string') return undefined;
    const question = this.#open.get(state);
    this.#open.delete(state);
    if (question === undefined || question.untilMs < Date.now() || question.call !== hashOf(call)) {
      throw new RefusedError(
        'question_closed',
        'This was not asked, was answered already, or is too old.',
        'Call the tool again without an answer.',
      );
    }
    const answer = inputResponse(call.context.mcpReq.inputResponses, ANSWER);
    if (answer.kind === 'elicit' && answer.action === 'accept' && answer.content?.[ANSWER] === true) {
      this.#declined.delete(question.call);
      return question.about;
    }
    this.#declined.set(question.call, (this.#declined.get(question.call) ?? 0) + 1);
    forgetOldest(this.#declined);
    throw notAllowed(
      'Do not ask again unless the person wants it. If no person saw a question, call again; after two such answers a page asks.',
    );
  }

  #ask(call: BridgeCall, about: OverLimit): InputRequiredResult {
    const requestState = randomUUID();
    this.#open.set(requestState, { call: hashOf(call), about, untilMs: Date.now() + PATIENCE_MS });
    forgetOldest(this.#open);
    const question = inputRequired.elicit({
      message: [`Sign ${about.instruction}?`, ...about.details, `You are asked because ${about.why}.`].join('\n'),
      requestedSchema: {
        type: 'object',
        properties: { [ANSWER]: { type: 'boolean', title: 'Sign it', default: false } },
        required: [ANSWER],
      },
    });
    return inputRequired({ inputRequests: { [ANSWER]: question }, requestState });
  }
}

const PENDING = 'A person has to allow this, on a page of this machine. Nothing is signed until then.';
/** It does not say where: a model that does what it is told would look, and decide in the person's place. */
const PENDING_HINT =
  'Tell the person that it waits, on a page that legwork mcp has told them of; only they decide, so do not look for it. Then call ' +
  'again with the same arguments.';

const notAllowed = (hint: string) => new RefusedError('not_allowed', 'The person did not allow it.', hint);

function forgetOldest(kept: Map<string, unknown>): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_OPEN) break;
    kept.delete(oldest);
  }
}

/** Reports whether the transaction is the one that a person saw, built again. */
function isWithin(request: OverLimit, allowed: OverLimit): boolean {
  const isSame = NEW_EACH_TIME.has(request.instruction) || request.subject === allowed.subject;
  return (
    isSame &&
    request.instruction === allowed.instruction &&
    request.lamports <= allowed.lamports &&
    isTokenWithin(request, allowed)
  );
}

function isTokenWithin({ token }: OverLimit, { token: allowed }: OverLimit): boolean {
  if (token === undefined) return true;
  return token.asset === allowed?.asset && token.amount <= allowed.amount;
}

function hashOf({ tool, arguments: args }: BridgeCall): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, args]))
    .digest('hex');
}

const dialogs = z.object({ elicitation: z.object({ form: z.unknown(), url: z.unknown() }).partial().optional() });
/** A client of the newest revision says with each request what it can do. */
const requestMeta = z.object({ [CLIENT_CAPABILITIES_META_KEY]: dialogs });

function canAsk({ context, connected }: BridgeCall): boolean {
  const now = requestMeta.safeParse(context.mcpReq.envelope).data?.[CLIENT_CAPABILITIES_META_KEY];
  const { elicitation } = now ?? connected ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
