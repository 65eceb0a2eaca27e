import type { Account } from '../bank/account.js';
import { fromBase58, toBase58 } from '../bank/keys.js';
import { RemoteError } from '../errors.js';
import { decodeJson } from '../json.js';
import { Gate } from './fork.js';

const ANSWER_WITHIN_MS = 15_000;
/** An answer with the largest account, in base64, with room to spare. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_ACCOUNT_BYTES = 10 * 1024 * 1024;
/** The most addresses that a node takes in one call. */
const MAX_ADDRESSES = 100;
const MAX_CALLS = 8;
const MAX_U64 = 18_446_744_073_709_551_615n;

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

  async #part(addresses: readonly Uint8Array[]): Promise<(Account | undefined)[]> {
    const text = await this.#gate.run(() => this.#ask(addresses));
    if (text !== undefined) return this.#read(text, addresses.length);
    if (addresses.length === 1) throw this.#fail('its answer is larger than any account');
    const half = Math.ceil(addresses.length / 2);
    return [...(await this.#part(addresses.slice(0, half))), ...(await this.#part(addresses.slice(half)))];
  }

  /** @returns undefined when the answer is too large */
  async #ask(addresses: readonly Uint8Array[]): Promise<string | undefined> {
    const params = [addresses.map(toBase58), { encoding: 'base64', commitment: 'confirmed' }];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params });
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
    const answer = fieldsOf(parse(text));
    const error = fieldsOf(answer?.['error']);
    if (error !== undefined) throw this.#fail(`it answered: ${String(error['message']).slice(0, 200)}`);
    const values = fieldsOf(answer?.['result'])?.['value'];
    if (!Array.isArray(values) || values.length !== count) throw this.#fail('it answered with no list of accounts');
    return values.map((value) => {
      if (value === null) return undefined;
      const account = readAccount(fieldsOf(value) ?? {});
      if (account === undefined) throw this.#fail('it answered with what is no account');
      return account.lamports === 0n ? undefined : account;
    });
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

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** Reads an account as a node shows it in base64; undefined when it has another form. */
function readAccount(shown: Readonly<Record<string, unknown>>): Account | undefined {
  const lamports = readU64(shown['lamports']);
  const rentEpoch = readU64(shown['rentEpoch'] ?? MAX_U64);
  const owner = readAddress(shown['owner']);
  const data = readData(shown['data']);
  const executable = shown['executable'];
  if (lamports === undefined || rentEpoch === undefined || owner === undefined || data === undefined) return undefined;
  return typeof executable === 'boolean' ? { lamports, data, owner, executable, rentEpoch } : undefined;
}

function readU64(value: unknown): bigint | undefined {
  if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) return undefined;
  const integer = BigInt(value as bigint | number);
  return integer >= 0n && integer <= MAX_U64 ? integer : undefined;
}

function readAddress(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value)) return undefined;
  const bytes = fromBase58(value);
  return bytes.length === 32 ? bytes : undefined;
}

function readData(value: unknown): Uint8Array | undefined {
  if (!Array.isArray(value) || value[1] !== 'base64' || typeof value[0] !== 'string') return undefined;
  const bytes = Buffer.from(value[0], 'base64');
  return bytes.length <= MAX_ACCOUNT_BYTES && bytes.toString('base64') === value[0] ? bytes : undefined;
}
