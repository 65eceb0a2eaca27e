import type { Operation } from '@legwork/protocol/contract';

/** A call in the form HTTP takes it. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** JSON text, or the bytes of a part of a file; undefined: no body. */
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Spreads the fields of a call over path, query and body as the operation's contract says. A field the contract does not
 * know travels with the body (or the query), so that the service names it in its refusal.
 *
 * @param base the service's address; a path prefix in it is kept
 * @throws {TypeError} when a path parameter is missing
 */
export function toHttpRequest(operation: Operation, base: URL, input: Readonly<Record<string, unknown>>): HttpRequest {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name);
    if (typeof value !== 'string' || value === '') throw new TypeError(`${operation.name} needs ${name}`);
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const url = new URL(base.pathname.replace(/\/$/, '') + path, base);
  const inBody = (name: string) => operation.body !== undefined && !Object.hasOwn(operation.query?.shape ?? {}, name);
  for (const [name, value] of rest) {
    if (!inBody(name)) url.searchParams.set(name, String(value));
  }
  const body = Object.fromEntries([...rest].filter(([name]) => inBody(name)));
  return {
    method: operation.method,
    url,
    body: operation.body === undefined ? undefined : JSON.stringify(body),
  };
}
