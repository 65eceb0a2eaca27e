import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Characters that could move a terminal's cursor or turn the writing round: programs log what they like. */
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

type Told = {
  readonly params?: {
    readonly result: {
      readonly context: { readonly slot: number };
      readonly value: { readonly signature: string; readonly err: unknown; readonly logs: readonly string[] };
    };
  };
};

/** Tells each transaction of a ledger from now on as lines of text: slot, signature and result, and what its programs log. */
export async function followTransactions(wsUrl: string, tell: (line: string) => void): Promise<void> {
  const socket = new WebSocket(wsUrl);
  // The ledger ends the connection when it closes.
  socket.on('error', () => undefined);
  await once(socket, 'open');
  socket.on('message', (data: Buffer) => {
    const { params } = JSON.parse(data.toString()) as Told;
    if (params === undefined) return;
    const { context, value } = params.result;
    tell(
      `${context.slot} ${value.signature} ${value.err === null ? 'succeeded' : `failed: ${JSON.stringify(value.err)}`}`,
    );
    for (const log of value.logs) tell(`  ${log.replaceAll(UNSAFE, '·')}`);
  });
  const params = ['all', { commitment: 'processed' }];
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'logsSubscribe', params }));
}
