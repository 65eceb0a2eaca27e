import type { RelayClientOptions } from '@agent-relay/sdk';

/** What a request says that comes through the proxy which the services trust. */
export const forwardedFor = (address: string) => ({ 'x-forwarded-for': address });

/** Sends requests that come from that address. */
export function fetchFrom(address: string): NonNullable<RelayClientOptions['fetch']> {
  return (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...forwardedFor(address) } });
}

/** Where the people of one story are, so that budgets and caps by address are as real for them as for anybody. */
export function addressOf(story: number): string {
  return `10.1.${Math.floor(story / 250)}.${(story % 250) + 1}`;
}
