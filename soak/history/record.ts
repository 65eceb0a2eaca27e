import { ERROR_CODES, type ErrorCode, operations } from '@legwork/protocol/contract';

/** The part of `fetch` that clients use. */
export type Fetch = (url: URL | string, init: RequestInit) => Promise<Response>;

/** What is recorded: the calls that change or show what the checker knows. */
const NAMES = [
  'submitPackage',
  'postSponsored',
  'getPackage',
  'submitBid',
  'withdrawBid',
  'listBids',
  'confirmLeg',
  'mirrorLeg',
  'submitDigitalTask',
  'postSponsoredDigitalTask',
  'getDigitalTask',
  'bidDigitalLeg',
  'completeDigitalLeg',
  'releaseDigitalLeg',
] as const;
export type Name = (typeof NAMES)[number];

/** A call over REST or with a tool, as its client saw it. */
export interface Call {
  readonly name: Name;
  /** Path, query and body, or the arguments of the tool. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Milliseconds of a clock that never goes back. */
  readonly invoked: number;
  /** Infinity: no answer, or one that does not say whether it took place. */
  readonly returned: number;
  /** The code of a refusal. */
  readonly refused?: string | undefined;
  /** In wire form. */
  readonly answer?: unknown;
  /** Of a list: there are more items than these. */
  readonly hasMore: boolean;
}

const PATHS = NAMES.map((name) => {
  const { method, path } = operations[name];
  return { name, method, pattern: new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`) };
});
const TOOLS = new Map<string, Name>(
  NAMES.flatMap((name) => {
    const { tool } = operations[name];
    return tool === undefined ? [] : [[tool.name, name] as const];
  }),
);

type Asked = Pick<Call, 'name' | 'input'> & { readonly isTool: boolean };

/** Sends as `send` does, and tells of every call that counts once it is over. */
export function recorded(send: Fetch, tell: (call: Call) => void): Fetch {
  return async (url, init) => {
    const asked = askedBy(new URL(url), init);
    if (asked === undefined) return send(url, init);
    const { name, input, isTool } = asked;
    const invoked = performance.now();
    const end = (said: Partial<Call> & Pick<Call, 'returned'>) =>
      tell({ name, input, invoked, hasMore: false, ...said });
    try {
      const response = await send(url, init);
      const text = await response.text();
      const said = response.status >= 500 ? UNKNOWN : readAnswer(text, response, isTool);
      end({ returned: performance.now(), ...said });
      return new Response(text, response);
    } catch (error) {
      end(UNKNOWN);
      throw error;
    }
  };
}

const UNKNOWN = { returned: Infinity };

function askedBy({ pathname, searchParams }: URL, { method = 'GET', body }: RequestInit): Asked | undefined {
  const given = typeof body === 'string' ? (JSON.parse(body) as Record<string, unknown>) : {};
  if (pathname === '/mcp/call') {
    const { tool, arguments: input } = given as { tool: string; arguments: Record<string, unknown> };
    const name = TOOLS.get(tool);
    return name && { name, input, isTool: true };
  }
  for (const { name, method: its, pattern } of PATHS) {
    const found = its === method ? pattern.exec(pathname) : null;
    if (found)
      return { name, input: { ...Object.fromEntries(searchParams), ...found.groups, ...given }, isTool: false };
  }
  return undefined;
}

type Said = Pick<Call, 'answer' | 'refused'> & Partial<Pick<Call, 'returned' | 'hasMore'>>;

function readAnswer(text: string, { ok, headers }: Response, isTool: boolean): Said {
  const told: unknown = JSON.parse(text);
  if (!ok) return { refused: codeIn(told) };
  if (!isTool) return { answer: told, hasMore: headers.get('link')?.includes('rel="next"') ?? false };
  const { isError, content } = told as { isError: boolean; content: readonly [{ text: string }] };
  const said: unknown = JSON.parse(content[0].text);
  if (!isError) return { answer: said };
  const refused = codeIn(said);
  return ERROR_CODES[refused as ErrorCode].status >= 500 ? UNKNOWN : { refused };
}

const codeIn = (told: unknown) => String((told as { code?: unknown }).code);
