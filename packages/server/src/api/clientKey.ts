import { isIPv6 } from 'node:net';

const MAPPED_V4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const NETWORK_GROUPS = 4;

/**
 * What stands for a client in counts: its IPv4 address, or the /64 of its IPv6 address, since whoever has one address of
 * a /64 has them all. Rule S-18.
 */
export function clientKey(ip: string): string {
  const mapped = MAPPED_V4.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(ip) ? `${networkOf(ip)}::/64` : ip;
}

function networkOf(ip: string): string {
  const [address = ''] = ip.split('%', 1);
  const [head = [], tail] = address.split('::', 2).map((part) => (part === '' ? [] : part.split(':')));
  const groups = tail === undefined ? [...head] : [...head, ...zeros(8 - head.length - tail.length), ...tail];
  return groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

function zeros(count: number): string[] {
  return Array.from({ length: Math.max(count, 0) }, () => '0');
}
