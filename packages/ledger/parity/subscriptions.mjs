// Every subscription of Agave 4.2: what it answers to good and bad parameters, and what it then tells about the same transaction.
import { PROGRAMS, tokenProgram, transfer } from './scene/instructions.mjs';
import { pause, until } from './rpc.mjs';

/** The subscriptions, and how many notifications are waited for. */
function wanted({ addresses }, signature) {
  const { payer, bob, stranger } = addresses;
  const confirmed = { commitment: 'confirmed' };
  const ofBob = [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: bob } }];
  return [
    ['slotSubscribe', 'good', [], 1],
    ['rootSubscribe', 'good', [], 1],
    ['slotsUpdatesSubscribe', 'good', [], 1],
    ['voteSubscribe', 'good', [], 1],
    ['signatureSubscribe', 'confirmed', [signature, confirmed], 1],
    ['signatureSubscribe', 'received', [signature, { ...confirmed, enableReceivedNotification: true }], 1],
    ['signatureSubscribe', 'processed', [signature, { commitment: 'processed' }], 1],
    ['accountSubscribe', 'base64', [bob, { ...confirmed, encoding: 'base64' }], 1],
    ['accountSubscribe', 'parsed', [bob, { ...confirmed, encoding: 'jsonParsed' }], 1],
    ['accountSubscribe', 'no options', [payer], 1],
    ['accountSubscribe', 'of nobody', [stranger, confirmed], 0],
    ['logsSubscribe', 'mentions', [{ mentions: [bob] }, confirmed], 1],
    ['logsSubscribe', 'mentions nobody', [{ mentions: [stranger] }, confirmed], 0],
    [
      'programSubscribe',
      'tokens of a wallet',
      [PROGRAMS.token, { ...confirmed, encoding: 'base64', filters: ofBob }],
      1,
    ],
    ['programSubscribe', 'parsed', [PROGRAMS.token, { ...confirmed, encoding: 'jsonParsed', filters: ofBob }], 1],
    [
      'blockSubscribe',
      'mentions',
      [{ mentionsAccountOrProgram: bob }, { ...confirmed, maxSupportedTransactionVersion: 0 }],
      1,
    ],
    [
      'blockSubscribe',
      'signatures',
      [{ mentionsAccountOrProgram: bob }, { ...confirmed, transactionDetails: 'signatures', showRewards: false }],
      1,
    ],
  ];
}

function refused({ addresses }) {
  const { payer } = addresses;
  return [
    ['accountSubscribe', 'no parameters', []],
    ['accountSubscribe', 'wrong address', ['nope']],
    ['accountSubscribe', 'unknown encoding', [payer, { encoding: 'hex' }]],
    ['accountSubscribe', 'commitment recent', [payer, { commitment: 'recent' }]],
    ['accountSubscribe', 'one too many', [payer, {}, 1]],
    ['logsSubscribe', 'no parameters', []],
    ['logsSubscribe', 'two mentions', [{ mentions: [payer, payer] }]],
    ['logsSubscribe', 'no mention', [{ mentions: [] }]],
    ['logsSubscribe', 'other text', ['some']],
    ['programSubscribe', 'wrong program', ['nope']],
    [
      'programSubscribe',
      'five filters',
      [PROGRAMS.system, { filters: [1, 2, 3, 4, 5].map((dataSize) => ({ dataSize })) }],
    ],
    ['signatureSubscribe', 'wrong signature', ['nope']],
    ['signatureSubscribe', 'an address', [payer]],
    ['slotSubscribe', 'one too many', [1]],
    ['blockSubscribe', 'no parameters', []],
    ['blockSubscribe', 'processed', ['all', { commitment: 'processed' }]],
    ['blockSubscribe', 'wrong address', [{ mentionsAccountOrProgram: 'nope' }]],
    ['slotUnsubscribe', 'unknown', [987_654]],
    ['accountUnsubscribe', 'text', ['1']],
    ['nothingSubscribe', 'unknown', []],
    ['getSlot', 'over WebSocket', []],
  ];
}

/** @returns `{ method, label, answer }` each; the answer of a good subscription is its first notification, or null for none */
export async function subscriptionAnswers(scene) {
  const { payer, bob, mint, payerTokens, bobTokens } = scene.addresses;
  const tokens = tokenProgram(PROGRAMS.token).transferChecked(payerTokens, mint, bobTokens, payer, 9, 6);
  const first = await scene.sign([transfer(payer, bob, 11), tokens]);
  const socket = await Socket.open(scene.target.wsUrl);
  try {
    const rows = [];
    for (const [method, label, params] of refused(scene)) {
      const { result, error } = await socket.request(method, params);
      rows.push({ method, label, answer: error === undefined ? { result: typeof result } : { error } });
    }
    const good = [];
    for (const [method, label, params, count] of wanted(scene, first.signature)) {
      const answer = await socket.request(method, params);
      if (answer.error !== undefined) rows.push({ method, label, answer: { error: answer.error } });
      else good.push({ method, label, id: answer.result, count });
    }
    await scene.sendSigned('while subscribed', first);
    await scene.target.settle(scene.slots['while subscribed']);
    const end = Date.now() + scene.target.patience * 1000;
    for (const one of good) rows.push({ method: one.method, label: one.label, answer: await socket.told(one, end) });
    return rows;
  } finally {
    socket.close();
  }
}

/** One WebSocket, its answers by id and its notifications by subscription. */
class Socket {
  #answers = new Map();
  #told = new Map();
  #next = 1;

  static async open(url) {
    const webSocket = new (await import('ws')).WebSocket(url);
    await new Promise((resolve, reject) => {
      webSocket.once('open', resolve);
      webSocket.once('error', reject);
    });
    return new Socket(webSocket);
  }

  constructor(webSocket) {
    this.webSocket = webSocket;
    webSocket.on('error', () => undefined);
    webSocket.on('message', (data) => {
      const { id, method, params, ...answer } = JSON.parse(data.toString());
      if (method === undefined) this.#answers.set(id, answer);
      else
        this.#told.set(params.subscription, [
          ...(this.#told.get(params.subscription) ?? []),
          { method, result: params.result },
        ]);
    });
  }

  async request(method, params) {
    const id = this.#next;
    this.#next += 1;
    this.webSocket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return until(`an answer to ${method}`, async () => this.#answers.get(id), 10).catch(() => ({
      error: { code: 0, message: 'no answer' },
    }));
  }

  /** The first notification; where none is awaited, any that came anyway; null for none until `end`. */
  async told({ id, count }, end) {
    while (count > 0 && !this.#told.has(id) && Date.now() < end) await pause(25);
    return { result: this.#told.get(id)?.[0] ?? null };
  }

  close() {
    this.webSocket.terminate();
  }
}
