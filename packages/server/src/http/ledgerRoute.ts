import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { LAMPORTS_PER_SOL, LegworkError } from '@legwork/protocol/contract';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { servedHosts } from '../api/addresses.js';
import { clientKey, RateLimitedError } from '../api/limits.js';
import type { AppContext } from '../context.js';

export const LEDGER_PATH = '/rpc';
const ANSWER_WITHIN_MS = 30_000;

/** The methods that pages and the SDK call on a node, without those that only tests call or that cost a node much for a short question. */
const METHODS: ReadonlySet<string> = new Set([
  'getAccountInfo',
  'getBalance',
  'getBlockHeight',
  'getBlockTime',
  'getEpochInfo',
  'getFeeForMessage',
  'getFirstAvailableBlock',
  'getGenesisHash',
  'getHealth',
  'getLatestBlockhash',
  'getMinimumBalanceForRentExemption',
  'getMultipleAccounts',
  'getSignaturesForAddress',
  'getSignatureStatuses',
  'getSlot',
  'getTransaction',
  'getVersion',
  'isBlockhashValid',
  'requestAirdrop',
  'sendTransaction',
  'simulateTransaction',
]);

const call = z.looseObject({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.unknown().optional(),
});
type Call = z.output<typeof call>;

/** To whom, how much, and how. */
const airdropped = z.tuple([z.string(), z.int().min(1).max(Number(LAMPORTS_PER_SOL))]).rest(z.unknown());

type Reached = Pick<AppContext, 'certificate' | 'config' | 'publicUrl'>;

/** True if pages cannot ask the ledger directly: from a page over TLS, browsers ask nobody without. */
const isServed = ({ certificate, config }: Reached) => certificate !== undefined && config.rpcUrl.startsWith('http:');

/** Where the client of a request asks the ledger: beside the service, if it came by TLS and the ledger speaks none. Rule S-232. */
export function ledgerUrlFor(context: Reached, { socket, headers: { host = '' } }: IncomingMessage): string {
  if (!isServed(context) || !(socket instanceof TLSSocket)) return context.config.rpcUrl;
  const isOurs = servedHosts(context, socket.localPort).includes(host);
  return `${isOurs ? `https://${host}` : context.publicUrl}${LEDGER_PATH}`;
}

/** Passes calls on to the ledger for pages that came by TLS. */
export function routeLedger(app: FastifyInstance, context: AppContext): void {
  if (!isServed(context)) return;
  app.post(LEDGER_PATH, async (request, reply) => {
    const read = call.safeParse(request.body);
    if (!read.success) throw new LegworkError('invalid_input', 'Send one JSON-RPC call; lists of calls are not taken.');
    reply.header('content-type', 'application/json; charset=utf-8').header('cache-control', 'no-store');
    const refused = await refusalOf(context, read.data, clientKey(request.ip));
    if (refused !== undefined) {
      return { jsonrpc: '2.0', id: read.data.id ?? null, error: { code: -32601, message: refused } };
    }
    return passOn(context, read.data);
  });
}

/** Why a call is not passed on; undefined: it is. */
async function refusalOf({ config, limits }: AppContext, { method, params }: Call, client: string) {
  if (!METHODS.has(method)) return `${method.slice(0, 80)} is not passed on here: ask a node of the ledger itself`;
  if (method !== 'requestAirdrop') return undefined;
  if (!config.airdrop) return 'this service gives no airdrops';
  if (!airdropped.safeParse(params).success) return 'at most 1 SOL is given at a time, 1000000000 lamports';
  try {
    await limits.take('airdrops', client);
    return undefined;
  } catch (error) {
    if (!(error instanceof RateLimitedError)) throw error;
    // The refusal was counted too.
    await limits.giveBack('airdrops', client);
    return error.message;
  }
}

/** As it was read here, so that the ledger reads nothing else. */
async function passOn({ config, patience }: AppContext, asked: Call): Promise<Buffer> {
  const signal = AbortSignal.any([AbortSignal.timeout(ANSWER_WITHIN_MS), patience.givenUp]);
  try {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(config.rpcUrl, {
      method: 'POST',
      headers,
      body: JSON.stringify(asked),
      signal,
      redirect: 'error',
    });
    return Buffer.from(await answer.arrayBuffer());
  } catch {
    throw new LegworkError('ledger_unavailable', 'The ledger does not answer now; try again.');
  }
}
