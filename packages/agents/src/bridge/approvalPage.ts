import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OverLimit } from '../wallet/guardSigner.js';

/** A person's answer; `open`: none yet. */
export type Decision = 'open' | 'allowed' | 'refused';

/** A transaction that waits for a person. */
interface Pending {
  readonly call: string;
  readonly about: OverLimit;
  readonly token: string;
  readonly untilMs: number;
  decision: Decision;
  /** Told when it is decided. */
  readonly waiting: Set<() => void>;
}

/** How a person learns that something waits. */
export interface Notices {
  /** The page's address, for a person at this machine; no model sees it. */
  readonly say: (line: string) => void;
  /** An address that gets what waits, in words, and not where it is allowed; undefined: none does. */
  readonly notify: string | undefined;
  /** The file that has the addresses of all that waits, for its owner alone. */
  readonly file: string;
  readonly onProblem: (problem: Error) => void;
}

const MOST_OPEN = 20;
const NOTIFY_WITHIN_MS = 5_000;
/** `decision=allow` is all that a body holds. */
const MOST_BODY = 100;

/**
 * Pages of this machine on which a person allows or refuses one transaction each, for hosts that have no dialog. A page is at an address that
 * nobody guesses and no model is told, answers under its own host name only, and takes a decision from itself alone, once. Rule A-115.
 */
export class ApprovalPage {
  readonly #pending = new Map<string, Pending>();
  readonly #notices: Notices;
  readonly #withinMs: number;
  #server: Promise<Server> | undefined;
  #isClosed = false;
  /** Writes of the file come one after the other: the last one says what waits now. */
  #written: Promise<void> = Promise.resolve();

  constructor(notices: Notices, withinMs: number) {
    this.#notices = notices;
    this.#withinMs = withinMs;
  }

  /**
   * Waits for the word of a person about this call, who is told of it once.
   *
   * @returns `open` when there is none after so long: the page stays until its time is over; undefined: too much waits already
   */
  async ask(call: string, about: OverLimit, waitMs: number): Promise<Decision | undefined> {
    const pending = this.#find(call) ?? (await this.#add(call, about));
    if (pending?.decision !== 'open' || this.#isClosed) return pending?.decision;
    await new Promise<void>((resolve) => {
      const end = setTimeout(resolve, waitMs);
      pending.waiting.add(() => {
        clearTimeout(end);
        resolve();
      });
    });
    return pending.decision;
  }

  /** A person's permission or refusal of this call, which counts once; undefined: nobody was asked, or has not answered. */
  take(call: string): { readonly about: OverLimit; readonly decision: Decision } | undefined {
    const pending = this.#find(call);
    if (pending === undefined || pending.decision === 'open') return undefined;
    this.#pending.delete(pending.token);
    return pending;
  }

  /** Ends every wait, also of a call that is only about to wait: nobody can decide any longer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { waiting } of this.#pending.values()) for (const end of waiting) end();
    this.#pending.clear();
    await this.#writeFile();
    const server = await this.#server;
    server?.closeAllConnections();
    await new Promise((closed) => (server ? server.close(closed) : closed(undefined)));
  }

  #find(call: string): Pending | undefined {
    for (const pending of this.#pending.values()) {
      if (pending.untilMs <= Date.now()) this.#pending.delete(pending.token);
      else if (pending.call === call) return pending;
    }
    return undefined;
  }

  async #add(call: string, about: OverLimit): Promise<Pending | undefined> {
    if (this.#isClosed || this.#pending.size >= MOST_OPEN) return undefined;
    const token = randomBytes(32).toString('base64url');
    const untilMs = Date.now() + this.#withinMs;
    const pending: Pending = { call, about, token, untilMs, decision: 'open', waiting: new Set() };
    this.#pending.set(token, pending);
    const address = `${await this.#base()}/${token}`;
    // Whoever hears of it finds it in the file too.
    await this.#writeFile();
    this.#notices.say(`A person is asked to allow ${about.instruction}, until ${timeOf(untilMs)}: ${address}`);
    this.#notify(pending);
    return pending;
  }

  /** Addresses of pages, one a line; no file when nothing waits. */
  #writeFile(): Promise<void> {
    this.#written = this.#written.then(() => this.#writeNow()).catch(this.#notices.onProblem);
    return this.#written;
  }

  async #writeNow(): Promise<void> {
    const { file } = this.#notices;
    const open = [...this.#pending.values()].filter(({ decision }) => decision === 'open');
    const base = open.length > 0 ? await this.#base() : '';
    const lines = open.map(
      ({ token, about, untilMs }) => `${base}/${token}  ${about.instruction}, until ${timeOf(untilMs)}`,
    );
    if (lines.length === 0) await rm(file, { force: true });
    else await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  }

  /** Tells what waits, without the address: nobody allows anything by reading it. */
  #notify({ about, untilMs }: Pending): void {
    const { notify, onProblem } = this.#notices;
    if (notify === undefined) return;
    const title = `Legwork: sign ${about.instruction}?`;
    const text = [
      ...about.details,
      `Asked because ${about.why}.`,
      `Decide at your machine until ${timeOf(untilMs)}.`,
    ].join('\n');
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title, text }),
    };
    // A call does not wait for somebody's phone.
    void fetch(notify, { ...request, redirect: 'error', signal: AbortSignal.timeout(NOTIFY_WITHIN_MS) }).catch(
      onProblem,
    );
  }

  async #base(): Promise<string> {
    this.#server ??= new Promise((resolve, reject) => {
      const server = createServer((request, response) => void this.#answer(request, response));
      server
        .unref()
        .once('error', reject)
        .listen(0, '127.0.0.1', () => resolve(server));
    });
    const { port } = (await this.#server).address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const base = await this.#base();
    const pending = this.#pending.get((request.url ?? '').slice(1));
    // A page that reaches us under another name (DNS rebinding), or sends its visitors here, learns and does nothing.
    const isOwn =
      `http://${request.headers.host}` === base && (request.method === 'GET' || request.headers.origin === base);
    if (!isOwn || pending === undefined || pending.untilMs <= Date.now()) return send(response, 404, NOTHING);
    if (request.method === 'GET')
      return send(response, 200, pending.decision === 'open' ? question(pending) : said(pending));
    if (request.method !== 'POST') return send(response, 405, NOTHING);
    const decision = new URLSearchParams(await bodyOf(request)).get('decision');
    if (pending.decision === 'open' && (decision === 'allow' || decision === 'refuse')) {
      pending.decision = decision === 'allow' ? 'allowed' : 'refused';
      for (const told of pending.waiting) told();
      await this.#writeFile();
    }
    return send(response, 200, pending.decision === 'open' ? question(pending) : said(pending));
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > MOST_BODY) return '';
  }
  return text;
}

const timeOf = (ms: number) => new Date(ms).toISOString();

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, HEADERS).end(page(body));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
button{font:inherit;padding:.6rem 1.4rem;margin:0 1rem .5rem 0}`;

const page = (body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Legwork: sign?</title><style>${STYLE}</style>${body}</html>`;

const NOTHING = '<h1>Nothing waits here</h1><p>It was decided, its time is over, or the bridge was restarted.</p>';

/** To refuse comes first: who presses what is first pays nothing. */
const question = ({ about, untilMs }: Pending) => `<h1>Sign ${escaped(about.instruction)}?</h1>
<ul>${about.details.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>
<p>You are asked because ${escaped(about.why)}. Nothing is signed unless you allow it, until ${timeOf(untilMs)}.</p>
<form method="post"><button name="decision" value="refuse">Refuse</button><button name="decision" value="allow">Sign it</button></form>`;

const said = ({ decision }: Pending) =>
  decision === 'allowed'
    ? '<h1>Allowed</h1><p>It is signed when the call of the model goes on; if it has ended, when the model calls again.</p>'
    : '<h1>Refused</h1><p>Nothing is signed.</p>';
