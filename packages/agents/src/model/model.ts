import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Journal, JournalEntry, JournalView } from '../journal.js';
import type { ModelPolicy } from '../policy/policy.js';
import { NoAnswerError, postForText } from './postForText.js';

/** The model gave no usable answer. The message names the server by its origin, and never holds its key or its words. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** A question to a model. */
export interface Question {
  readonly system: string;
  readonly user: string;
  /** Bound of the answer, tokens. */
  readonly maxTokens: number;
  readonly timeoutMs: number;
}

/** A language model behind an OpenAI-compatible address. */
export interface Model {
  /**
   * Asks once. Rules.
   *
   * @returns the model's answer, without its thinking; not empty
   * @throws {ModelError} when there is no usable answer in time, or no tokens are left for today
   * @throws the signal's reason when it is aborted
   */
  ask(question: Question, signal: AbortSignal): Promise<string>;
}

const MAX_ANSWER_BYTES = 1024 * 1024;
/** The tokens that a chat template adds of its own. */
const TEMPLATE_TOKENS = 100;
const CHARACTERS_PER_TOKEN = 4;

/**
 * The model of a policy.
 *
 * @param used a view of that journal
 * @throws {ModelError} when the environment variable with the key is not set, or holds no key
 */
export function createModel(policy: ModelPolicy, journal: Journal, used: TokensUsed): Model {
  const server = new ModelServer(policy);
  return {
    async ask(question, signal) {
      const ask = randomUUID();
      const count = (tokens: number) => ({ kind: 'tokens', ask, tokens }) as const;
      const most = mostTokens(question);
      await journal.decide(() => {
        const before = used.ofLastDay(Date.now());
        if (before + most <= policy.tokensPerDay) return [count(most)];
        const left = `${before} tokens are used, and ${most} more may be`;
        throw new ModelError(`${left}, but model.tokensPerDay is ${policy.tokensPerDay}`);
      });
      try {
        const completion = await server.complete(question, signal);
        await journal.append(count(tokensOf(question, completion)));
        return textOf(completion);
      } catch (error) {
        if (!(error instanceof NoAnswerError)) throw error;
        if (error.costNothing) await journal.append(count(0));
        throw new ModelError(`the model at ${new URL(policy.url).origin}: ${error.message}`);
      }
    },
  };
}

/** A server with OpenAI's API, as far as it is used here. */
class ModelServer {
  readonly #policy: ModelPolicy;
  readonly #headers: Record<string, string>;
  /** Most servers know the first name of the bound of an answer only; newer models of OpenAI want the second. */
  #boundName: 'max_tokens' | 'max_completion_tokens' = 'max_tokens';

  constructor(policy: ModelPolicy) {
    this.#policy = policy;
    this.#headers = authorization(policy.keyEnv);
  }

  /** @throws {NoAnswerError} when there is no completion */
  async complete(question: Question, signal: AbortSignal): Promise<Completion> {
    const startedMs = performance.now();
    const { url, name } = this.#policy;
    const { status, text } = await postForText({
      url: `${url.replace(/\/$/, '')}/chat/completions`,
      headers: this.#headers,
      body: { model: name, messages: messagesOf(question), [this.#boundName]: question.maxTokens },
      timeoutMs: question.timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
    });
    if (status === 400 && this.#boundName === 'max_tokens' && text.includes('max_completion_tokens')) {
      this.#boundName = 'max_completion_tokens';
      return this.complete({ ...question, timeoutMs: question.timeoutMs - (performance.now() - startedMs) }, signal);
    }
    // A gateway may give up on a model that works on, so only a refusal costs nothing.
    if (status !== 200) throw new NoAnswerError(sentenceOf(status, this.#policy), { costNothing: status < 500 });
    return readCompletion(text);
  }
}

function authorization(keyEnv: string | undefined): Record<string, string> {
  if (keyEnv === undefined) return {};
  const key = process.env[keyEnv]?.trim();
  if (!key) throw new ModelError(`The environment variable ${keyEnv}, which model.keyEnv names, is not set.`);
  // Checked here, because fetch quotes a header that it refuses.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ModelError(`The environment variable ${keyEnv} holds no key: a key is printable ASCII without spaces.`);
  }
  return { authorization: `Bearer ${key}` };
}

function messagesOf({ system, user }: Question) {
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
}

/** The body is not quoted: servers repeat the key that they refuse. */
function sentenceOf(status: number, { keyEnv, name }: ModelPolicy): string {
  if (status === 401 || status === 403) return `it refuses the key (HTTP ${status}); see ${keyEnv ?? 'model.keyEnv'}`;
  if (status === 404) return `HTTP 404: either it has no model ${name}, or model.url is wrong; most end in /v1`;
  return `HTTP ${status}`;
}

const tokens = z.int().min(0);
const completionSchema = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string().nullish() }), finish_reason: z.string().nullish() }))
    .min(1),
  usage: z.object({ prompt_tokens: tokens, completion_tokens: tokens }).nullish().catch(undefined),
});

interface Completion {
  readonly content: string;
  readonly isWhole: boolean;
  /** The usage that the server reports. */
  readonly said: number;
}

function readCompletion(text: string): Completion {
  const read = completionSchema.safeParse(parseJson(text));
  const choice = read.data?.choices[0];
  if (!choice) throw new NoAnswerError('what it answers is no chat completion');
  const { prompt_tokens: asked = 0, completion_tokens: answered = 0 } = read.data?.usage ?? {};
  return { content: choice.message.content ?? '', isWhole: choice.finish_reason !== 'length', said: asked + answered };
}

/** The JSON of a text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Servers that do not take the thinking out leave it at the beginning. */
const THINKING = /^\s*<think>[^]*?<\/think>/;

function textOf({ content, isWhole }: Completion): string {
  if (!isWhole) throw new NoAnswerError('its answer was cut off at the bound of its tokens');
  const text = content.replace(THINKING, '').trim();
  if (text === '') throw new NoAnswerError('its answer is empty');
  return text;
}

/** No tokenizer makes more tokens than there are bytes. */
function mostTokens({ system, user, maxTokens }: Question): number {
  return Buffer.byteLength(system) + Buffer.byteLength(user) + TEMPLATE_TOKENS + maxTokens;
}

function tokensOf({ system, user }: Question, { content, said }: Completion): number {
  return Math.max(said, Math.ceil((system.length + user.length + content.length) / CHARACTERS_PER_TOKEN));
}

const DAY_MS = 86_400_000;

/** The tokens that the models of a key used, by its journal. */
export class TokensUsed implements JournalView {
  /** Of the last day, by ask. */
  readonly #asks = new Map<string, { readonly atMs: number; readonly tokens: number }>();

  take(entry: JournalEntry): void {
    if (entry.kind !== 'tokens') return;
    const { ask, tokens } = entry;
    // Tokens that came out later count for the time at which they were asked for.
    this.#asks.set(ask, { atMs: this.#asks.get(ask)?.atMs ?? Date.parse(entry.at), tokens });
  }

  ofLastDay(nowMs: number): number {
    let sum = 0;
    for (const [ask, { atMs, tokens }] of this.#asks) {
      // A clock that was put back makes nothing younger than a day older.
      if (nowMs - atMs < DAY_MS) sum += tokens;
      else this.#asks.delete(ask);
    }
    return sum;
  }
}

/**
 * The characters by which strangers could leave their quotes: the marks of chat templates, which some model servers
 * read as such wherever they stand (`<|im_end|>`, `[INST]`), and all that people do not see, line breaks among it.
 */
const SPECIAL = /[<>[\]\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const STRING_LITERAL = /"(?:[^"\\]|\\.)*"/gs;

/**
 * A section of a prompt that holds data: one line of JSON between two marks. Texts of strangers are strings in it, and no text
 * can end its string, its line or the section. Rule A-53.
 */
export function dataSection(data: unknown): string {
  const json = JSON.stringify(data).replace(STRING_LITERAL, (literal) => literal.replace(SPECIAL, escapeUnits));
  return `BEGIN DATA\n${json}\nEND DATA`;
}

function escapeUnits(character: string): string {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** At most `max` characters of a text, the last one `…` when something was left out. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
