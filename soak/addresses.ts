import type { RelayClientOptions } from '@legwork/sdk';

/** Where a request comes from, as the proxy says that the services trust. */
export const FORWARDED_FOR = 'x-forwarded-for';

/** Sends requests that come from that address. */
export function fetchFrom(address: string): NonNullable<RelayClientOptions['fetch']> {
  return (url, init) => {
    const headers = new Headers(init.headers);
    headers.set(FORWARDED_FOR, address);
    return fetch(url, { ...init, headers });
  };
}

/** Where the people of one story are: to them too, budgets and caps by address are real. */
export function addressOf(story: number): string {
  return `10.1.${Math.floor(story / 250)}.${(story % 250) + 1}`;
}
