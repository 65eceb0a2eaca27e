import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ShownAccount {
  owner: string;
  lamports: number;
  data: [string, string];
}

/** The part that a lie can change: an account that an answer shows, of this address; undefined: nothing is there. */
export type ChangeAccount = (address: string, account: ShownAccount) => ShownAccount | undefined;

export interface Lies {
  /** Of every answer that shows accounts. */
  readonly account?: ChangeAccount;
  /** Answers in the ledger's place. @returns whether it did */
  readonly instead?: (method: string, answer: ServerResponse) => boolean;
}

/** Changes bytes of an account. */
export function withBytes(account: ShownAccount, at: number, bytes: Uint8Array): ShownAccount {
  const data = Buffer.from(account.data[0], 'base64');
  Buffer.from(bytes).copy(data, at);
  return { ...account, data: [data.toString('base64'), 'base64'] };
}

/** Stands between somebody who leaves and the ledger, and says of accounts what is not so. */
export async function lyingRpc(
  ledgerUrl: string,
  { account, instead }: Lies,
): Promise<{ url: string; close: () => void }> {
  const server = createServer((incoming, answer) => {
    void (async () => {
      // A page from a disk asks first.
      answer.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*');
      if (incoming.method === 'OPTIONS') {
        answer.end();
        return;
      }
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part as Buffer);
      const body = Buffer.concat(parts).toString();
      const { method, params } = JSON.parse(body) as { method: string; params: unknown[] };
      if (instead?.(method, answer)) return;
      const response = await fetch(ledgerUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const told = (await response.json()) as { result?: unknown };
      if (account !== undefined) told.result = changed(method, params, told.result, account);
      answer.writeHead(response.status, { 'content-type': 'application/json' }).end(JSON.stringify(told));
    })().catch(() => answer.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function changed(method: string, params: unknown[], result: unknown, change: ChangeAccount): unknown {
  if (method === 'getMultipleAccounts') {
    const { value, ...rest } = result as { value: (ShownAccount | null)[] };
    const addresses = params[0] as string[];
    return {
      ...rest,
      value: value.map((one, at) => (one === null ? null : (change(addresses[at] ?? '', one) ?? null))),
    };
  }
  if (method !== 'getProgramAccounts') return result;
  return (result as { pubkey: string; account: ShownAccount }[]).flatMap(({ pubkey, account }) => {
    const shown = change(pubkey, account);
    return shown === undefined ? [] : [{ pubkey, account: shown }];
  });
}
