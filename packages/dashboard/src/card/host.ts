import type {
  McpUiHostContext,
  McpUiInitializeRequest,
  McpUiInitializeResult,
  McpUiOpenLinkResult,
  McpUiToolResultNotification,
} from '@modelcontextprotocol/ext-apps';

/**
 * The card's side of MCP Apps (SEP-1865, 2026-01-26): JSON-RPC by messages between windows. Of the client library only types are used:
 * it is 67 KB compressed, half again as much as the whole card may be, since it checks by schemas what its host says.
 */

export type ToolResult = McpUiToolResultNotification['params'];

/** What the host is; one may tell no context. */
type Hello = Pick<McpUiInitializeResult, 'hostCapabilities'> & Partial<Pick<McpUiInitializeResult, 'hostContext'>>;

/** What the host tells without being asked. */
export interface Told {
  readonly result: (result: ToolResult) => void;
  readonly cancelled: () => void;
  /** Only what has changed. */
  readonly context: (context: McpUiHostContext) => void;
}

const PROTOCOL: McpUiInitializeRequest['params'] = {
  protocolVersion: '2026-01-26',
  appInfo: { name: 'legwork', version: '0.1.0' },
  appCapabilities: { availableDisplayModes: ['inline'] },
};
const METHOD_NOT_FOUND = -32_601;

/** A message of either side, as far as it can be told what it is. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: object;
  readonly result?: object;
  readonly error?: { readonly message?: string };
}

const waiting = new Map<number, (answer: Message) => void>();

/** The sandbox that this page is in has no origin that it could name. */
const send = (message: object) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

/** Asks the host. @throws Error in the host's words */
function ask<Result>(method: string, params: object): Promise<Result> {
  const id = waiting.size + 1;
  return new Promise((resolve, reject) => {
    waiting.set(id, ({ error, result }) => (error ? reject(new Error(error.message)) : resolve(result as Result)));
    send({ id, method, params });
  });
}

/** Shakes hands with the host that shows this page. The host tells nothing before {@link ready}. */
export function connect(told: Told): Promise<Hello> {
  window.addEventListener('message', ({ source, data }) => {
    // Frames beside this one can write to it as well.
    if (source === window.parent && typeof data === 'object' && data !== null) take(data as Message, told);
  });
  return ask('ui/initialize', PROTOCOL);
}

function take(message: Message, told: Told): void {
  const { id, method, params = {} } = message;
  if (method === undefined) {
    if (id !== undefined) waiting.get(id)?.(message);
  } else if (id !== undefined) {
    const known = method === 'ping' || method === 'ui/resource-teardown';
    send({ id, ...(known ? { result: {} } : { error: { code: METHOD_NOT_FOUND, message: `no method ${method}` } }) });
  } else if (method === 'ui/notifications/tool-result') told.result(params as ToolResult);
  else if (method === 'ui/notifications/tool-cancelled') told.cancelled();
  else if (method === 'ui/notifications/host-context-changed') told.context(params as McpUiHostContext);
}

/** Asks for what there is to show, and says from now on how much room it takes. */
export function ready(): void {
  send({ method: 'ui/notifications/initialized' });
  const root = document.documentElement;
  new ResizeObserver(() => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    send({ method: 'ui/notifications/size-changed', params: { width: window.innerWidth, height } });
  }).observe(root);
}

/** Has the host call a tool of the service that the card came from. @throws Error */
export const callTool = (name: string, args: object) => ask<ToolResult>('tools/call', { name, arguments: args });

/** Has the host open an address in a browser. @returns false: it does not */
export async function openLink(url: string): Promise<boolean> {
  try {
    return !(await ask<McpUiOpenLinkResult>('ui/open-link', { url })).isError;
  } catch {
    return false;
  }
}
