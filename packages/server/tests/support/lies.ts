import { getSignatureFromTransaction, getTransactionDecoder } from '@solana/kit';
import { setTimeout as sleep } from 'node:timers/promises';

/** A fault on the way to a ledger and back, or an untruth of its node. */
export type Lie =
  /** Nobody listens. */
  | { kind: 'refused' }
  /** Connections are taken, nothing is passed on, no answer ever comes: also not after the lie has ended. */
  | { kind: 'silent' }
  /** Everything takes so much longer. */
  | { kind: 'slow'; ms: number }
  /** The request is not passed on. */
  | { kind: 'http'; status: number }
  /** The request is not passed on. */
  | { kind: 'rpc'; code: number; message: string }
  /** The request is not passed on: the node says this, whatever is true. */
  | { kind: 'says'; result: unknown }
  /** The ledger gets what is sent to it and acts; every answer about those transactions is lost. */
  | { kind: 'unanswered' }
  /** Sent transactions, or these of them, are answered with their signature and go nowhere. */
  | { kind: 'swallowed'; signatures?: ReadonlySet<string> }
  /**
   * The node follows a fork, a ledger of its own: what is confirmed there is forgotten when the lie ends; with `payer`, only what
   * this wallet alone has signed, and all else that the fork takes reaches the ledger too.
   */
  | { kind: 'forked'; rpcUrl: string; payer?: string }
  /** Sent transactions reach the ledger twice, and every list shows everything twice. */
  | { kind: 'repeated' }
  /** Lists show the transactions of a slot in any order, another one each time, until they are final. */
  | { kind: 'reordered'; random: () => number }
  /** Until they are final, lists do not show these transactions, which the node knows otherwise: its index lags. */
  | { kind: 'unlisted'; signatures: Pick<ReadonlySet<string>, 'has'> }
  /** The node is 32 slots behind in all that it shows; what is sent to it reaches the others. */
  | { kind: 'behind' }
  /** The node has no history below this slot. */
  | { kind: 'pruned'; below: number }
  /** These transactions have a version that the node cannot show; undefined: all of them. */
  | { kind: 'unreadable'; signatures?: ReadonlySet<string> }
  /** No hint comes over the WebSocket, which stays open. */
  | { kind: 'unhinted' };

/** A JSON-RPC request. */
export interface Call {
  id: unknown;
  method: string;
  params: unknown[];
  /** The node to ask; undefined: the ledger. */
  target?: string;
}

export interface Reply {
  status: number;
  body: string;
}

export type Ask = (call: Call) => Promise<Reply>;

/** The effect of a lie on a request and its answer. */
export interface Behaviour {
  /** True if the lie changes anything about the call. */
  meets: (call: Call) => boolean;
  /** @throws Error when the connection breaks instead of an answer */
  answer: (call: Call, ask: Ask) => Promise<Reply>;
}

/** Slots between a transaction and its finality: so far back the ledger still knows all accounts. */
const FINALITY_SLOTS = 32;
const UNSUPPORTED_VERSION = -32_015;
const NOT_FOUND = -32_020;
const NOT_REACHED = -32_016;

/** An entry of a list of transactions, or a status. */
interface Shown {
  slot: number;
  confirmationStatus: string;
  confirmations?: number | null;
}

const always = () => true;
const among = (...methods: string[]) => {
  const these = new Set(methods);
  return ({ method }: Call) => these.has(method);
};
const isSend = among('sendTransaction');
const isList = among('getSignaturesForAddress');
const isHistory = among('getSignaturesForAddress', 'getSignatureStatuses', 'getTransaction');

const json = ({ id }: Call, said: { result: unknown } | { error: { code: number; message: string } }): Reply => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', id, ...said }),
});

const sent = ({ params }: Call) => getTransactionDecoder().decode(Buffer.from(String(params[0]), 'base64'));

/** The signature of what the call sends. */
const sentBy = (call: Call): string => getSignatureFromTransaction(sent(call));

// A fee payer has to sign, so that a single signer is the payer, too.
/** The only signer of the call's transaction; undefined: several have signed. */
const soleSignerOf = (call: Call): string | undefined => {
  const signers = Object.keys(sent(call).signatures);
  return signers.length === 1 ? signers[0] : undefined;
};

/** The answer with another result; an error stays. Only where no number is larger than JavaScript's are exact. */
function withResult(call: Call, reply: Reply, change: (result: never) => unknown): Reply {
  const said = JSON.parse(reply.body) as { result?: never };
  return said.result === undefined ? reply : json(call, { result: change(said.result) });
}

/** The history that the node shows: the call's answer without what `show` returns nothing for. */
function withShown(call: Call, reply: Reply, show: (one: Shown) => Shown | null): Reply {
  switch (call.method) {
    case 'getSignaturesForAddress':
      return withResult(call, reply, (list: Shown[]) => list.flatMap((one) => show(one) ?? []));
    case 'getSignatureStatuses':
      return withResult(call, reply, (statuses: { value: (Shown | null)[] }) => ({
        ...statuses,
        value: statuses.value.map((one) => one && show(one)),
      }));
    default:
      return withResult(call, reply, (found: Shown | null) => found && (show(found) === null ? null : found));
  }
}

/** The same behaviour for every request. */
const broken = (answer: Behaviour['answer']): Behaviour => ({ meets: always, answer });

async function onFork({ rpcUrl, payer }: Lie & { kind: 'forked' }, call: Call, ask: Ask): Promise<Reply> {
  const reply = await ask({ ...call, target: rpcUrl });
  // What a node refuses it passes on to nobody.
  const isTaken = isSend(call) && 'result' in (JSON.parse(reply.body) as object);
  if (isTaken && payer !== undefined && soleSignerOf(call) !== payer) await ask(call);
  return reply;
}

function unanswered(): Behaviour {
  const sent = new Set<string>();
  return {
    meets(call) {
      if (isSend(call)) sent.add(sentBy(call));
      const asked = call.method === 'getSignatureStatuses' ? (call.params[0] as string[]) : [];
      return isSend(call) || asked.some((signature) => sent.has(signature));
    },
    async answer(call, ask) {
      await ask(call);
      throw new Error('the answer is lost');
    },
  };
}

function swallowed(signatures: ReadonlySet<string> | undefined): Behaviour {
  return {
    meets: (call) => isSend(call) && (signatures?.has(sentBy(call)) ?? true),
    answer: async (call) => json(call, { result: sentBy(call) }),
  };
}

const repeated: Behaviour = {
  meets: (call) => isSend(call) || isList(call),
  async answer(call, ask) {
    const reply = await ask(call);
    if (isList(call)) return withResult(call, reply, (list: Shown[]) => list.flatMap((one) => [one, one]));
    await ask(call);
    return reply;
  },
};

function reordered(random: () => number): Behaviour {
  const shuffled = (list: Shown[]) =>
    list
      .map((one, index) => ({ one, rank: one.confirmationStatus === 'finalized' ? index : random() }))
      .sort((a, b) => b.one.slot - a.one.slot || a.rank - b.rank)
      .map(({ one }) => one);
  return { meets: isList, answer: async (call, ask) => withResult(call, await ask(call), shuffled) };
}

function unlisted(signatures: Pick<ReadonlySet<string>, 'has'>): Behaviour {
  const shown = (list: (Shown & { signature: string })[]) =>
    list.filter((one) => one.confirmationStatus === 'finalized' || !signatures.has(one.signature));
  return { meets: isList, answer: async (call, ask) => withResult(call, await ask(call), shown) };
}

const isHeight = among('getSlot', 'getBlockHeight');
const isState = among(
  'getAccountInfo',
  'getMultipleAccounts',
  'getBalance',
  'getProgramAccounts',
  'getLatestBlockhash',
  'isBlockhashValid',
);

interface Config {
  commitment?: string;
  minContextSlot?: number;
}

/** The configuration that the call ends with, and what stands before it. */
function splitConfig({ params }: Call): { given: unknown[]; config: Config } {
  const last = params.at(-1);
  const hasConfig = typeof last === 'object' && last !== null && !Array.isArray(last);
  return hasConfig ? { given: params.slice(0, -1), config: last } : { given: params, config: {} };
}

/** The call as it is when the newest that the node has is what is final. */
function asOfFinal(call: Call): Call {
  const { given, config } = splitConfig(call);
  return { ...call, params: [...given, { ...config, commitment: 'finalized' }] };
}

/** One of history as a node shows it whose newest slot this is; null: not yet. */
function asOf(newest: number, one: Shown): Shown | null {
  if (one.slot > newest) return null;
  if (one.slot <= newest - FINALITY_SLOTS) return one;
  const confirmations = one.confirmations === undefined ? {} : { confirmations: newest - one.slot };
  return { ...one, confirmationStatus: 'confirmed', ...confirmations };
}

const behind: Behaviour = {
  meets: (call) => isHeight(call) || isState(call) || isHistory(call),
  async answer(call, ask) {
    const { body } = await ask({ id: 1, method: 'getSlot', params: [{ commitment: 'finalized' }] });
    const newest = (JSON.parse(body) as { result: number }).result;
    const { commitment = 'finalized', minContextSlot = 0 } = splitConfig(call).config;
    if (minContextSlot > newest) {
      const message = 'Minimum context slot has not been reached';
      return json(call, { error: { code: NOT_REACHED, message } });
    }
    if (isState(call)) return ask(asOfFinal(call));
    if (isHeight(call)) {
      return json(call, { result: commitment === 'finalized' ? Math.max(0, newest - FINALITY_SLOTS) : newest });
    }
    const shown = withShown(call, await ask(call), (one) => asOf(newest, one));
    if (call.method !== 'getSignatureStatuses') return shown;
    return withResult(call, shown, (statuses: object) => ({ ...statuses, context: { slot: newest } }));
  },
};

/** As a validator does, it does not know the place to stop at once that is pruned. */
function pruned(below: number): Behaviour {
  const isGone = async (signature: string, ask: Ask) => {
    const params = [signature, { commitment: 'confirmed', maxSupportedTransactionVersion: 1 }];
    const { body } = await ask({ id: 1, method: 'getTransaction', params });
    const { result } = JSON.parse(body) as { result: Shown | null };
    return result !== null && result.slot < below;
  };
  return {
    meets: (call) => isHistory(call) || call.method === 'getFirstAvailableBlock',
    async answer(call, ask) {
      if (call.method === 'getFirstAvailableBlock') return json(call, { result: below });
      const { until } = isList(call) ? (call.params[1] as { until?: string }) : {};
      if (until !== undefined && (await isGone(until, ask))) {
        return json(call, { error: { code: NOT_FOUND, message: `Transaction ${until} not found` } });
      }
      return withShown(call, await ask(call), (one) => (one.slot < below ? null : one));
    },
  };
}

function unreadable(signatures: ReadonlySet<string> | undefined): Behaviour {
  const message = 'Transaction version (99) is not supported by the requesting client.';
  return {
    meets: ({ method, params }) =>
      method === 'getTransaction' && (signatures === undefined || signatures.has(String(params[0]))),
    answer: async (call) => json(call, { error: { code: UNSUPPORTED_VERSION, message } }),
  };
}

export function behaviourOf(lie: Lie): Behaviour {
  switch (lie.kind) {
    case 'refused':
    case 'silent':
      return broken(() => new Promise(() => undefined));
    case 'slow':
      return broken((call, ask) => sleep(lie.ms).then(() => ask(call)));
    case 'http':
      return broken(async () => ({ status: lie.status, body: '<h1>An error page</h1>' }));
    case 'rpc':
      return broken(async (call) => json(call, { error: { code: lie.code, message: lie.message } }));
    case 'says':
      return broken(async (call) => json(call, { result: lie.result }));
    case 'unanswered':
      return unanswered();
    case 'swallowed':
      return swallowed(lie.signatures);
    case 'forked':
      return broken((call, ask) => onFork(lie, call, ask));
    case 'repeated':
      return repeated;
    case 'reordered':
      return reordered(lie.random);
    case 'unlisted':
      return unlisted(lie.signatures);
    case 'behind':
      return behind;
    case 'pruned':
      return pruned(lie.below);
    case 'unreadable':
      return unreadable(lie.signatures);
    case 'unhinted':
      break;
  }
  // Of the hints alone.
  return { meets: () => false, answer: (call, ask) => ask(call) };
}
