import type { Account } from '../bank/account.js';
import { toBase58 } from '../bank/keys.js';
import { RemoteError } from '../errors.js';
import { decodeJson } from '../json.js';
import { Gate } from './fork.js';
import { fieldsOf, readAccount } from './shownAccount.js';

const ANSWER_WITHIN_MS = 15_000;
/** An answer with the largest account, in base64, with room to spare. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** The most addresses that a node takes in one call. */
const MAX_ADDRESSES = 100;
const MAX_CALLS = 8;

/** Another node, which is only read. It may be slow, gone, huge or lying: nothing that it says is taken unchecked. */
export class RemoteNode {
  readonly host: string;
  readonly #url: string;
  readonly #gate = new Gate(MAX_CALLS);

  /** @throws RemoteError when it is no address of a node */
  constructor(url: string) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (
      parsed === undefined ||
      !/^https?:$/.test(parsed.protocol) ||
      parsed.username !== '' ||
      parsed.password !== ''
    ) {
      throw new RemoteError('the node to copy accounts from', 'its address is no http or https URL without a password');
    }
    this.#url = url;
    // Messages name this alone: the rest of an address may be a key.
    this.host = parsed.host;
  }

  /** The accounts at these addresses as they are confirmed there. @throws RemoteError */
  async accounts(addresses: readonly Uint8Array[]): Promise<(Account | undefined)[]> {
    const parts: Uint8Array[][] = [];
    for (let at = 0; at < addresses.length; at += MAX_ADDRESSES) parts.push(addresses.slice(at, at + MAX_ADDRESSES));
    return (await Promise.all(parts.map((part) => this.#part(part)))).flat();
  }

  /** The slot that is confirmed there. @throws RemoteError */
  async slot(): Promise<number> {
    const text = await this.#gate.run(() => this.#ask('getSlot', [{ commitment: 'confirmed' }]));
    const slot = this.#resultOf(text ?? '');
    if (typeof slot === 'number' && Number.isSafeInteger(slot) && slot >= 0) return slot;
    throw this.#fail('it answered with no slot');
  }

  async #part(addresses: readonly Uint8Array[]): Promise<(Account | undefined)[]> {
    const params = [addresses.map(toBase58), { encoding: 'base64', commitment: 'confirmed' }];
    const text = await this.#gate.run(() => this.#ask('getMultipleAccounts', params));
    if (text !== undefined) return this.#read(text, addresses.length);
    if (addresses.length === 1) throw this.#fail('its answer is larger than any account');
    const half = Math.ceil(addresses.length / 2);
    return [...(await this.#part(addresses.slice(0, half))), ...(await this.#part(addresses.slice(half)))];
  }

  /** @returns undefined when the answer is too large */
  async #ask(method: string, params: unknown): Promise<string | undefined> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const waiting = new AbortController();
    const late = setTimeout(() => waiting.abort(), ANSWER_WITHIN_MS);
    try {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(this.#url, { method: 'POST', headers, body, signal: waiting.signal });
      if (!response.ok) throw this.#fail(`it answered ${response.status} ${response.statusText}`.trim());
      return await textWithin(response, MAX_ANSWER_BYTES);
    } catch (error) {
      if (error instanceof RemoteError) throw error;
      throw this.#fail(waiting.signal.aborted ? `no answer within ${ANSWER_WITHIN_MS / 1000} s` : reasonOf(error));
    } finally {
      clearTimeout(late);
      waiting.abort();
    }
  }

  #read(text: string, count: number): (Account | undefined)[] {
    const values = fieldsOf(this.#resultOf(text))?.['value'];
    if (!Array.isArray(values) || values.length !== count) throw this.#fail('it answered with no list of accounts');
    return values.map((value) => {
      if (value === null) return undefined;
      const account = readAccount(fieldsOf(value) ?? {});
      if (account === undefined) throw this.#fail('it answered with what is no account');
      return account.lamports === 0n ? undefined : account;
    });
  }

  #resultOf(text: string): unknown {
    const answer = fieldsOf(parse(text));
    const error = fieldsOf(answer?.['error']);
    if (error !== undefined) throw this.#fail(`it answered: ${String(error['message']).slice(0, 200)}`);
    return answer?.['result'];
  }

  #fail(why: string): RemoteError {
    return new RemoteError(this.host, why);
  }
}

async function textWithin(response: Response, limit: number): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > limit) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

function parse(text: string): unknown {
  try {
    return decodeJson(text);
  } catch {
    return undefined;
  }
}
