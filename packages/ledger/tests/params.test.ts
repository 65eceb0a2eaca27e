import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { advanceTime, freshLedger, rawCall, rawPost, type RawAnswer } from './support/ledger.js';

const ledger = await freshLedger({}, 'file');

const ADDRESS = '11111111111111111111111111111111';
const SIGNATURE = '1'.repeat(64);
const INVALID = 'Invalid params: ';

/** A call whose parameters are JSON text: JavaScript writes `1.0` as `1`. */
async function call(method: string, params: string | undefined): Promise<RawAnswer> {
  const given = params === undefined ? '' : `,"params":${params}`;
  return (await rawPost(ledger, `{"jsonrpc":"2.0","id":1,"method":"${method}"${given}}`)) as RawAnswer;
}

/** Agave 4.2.0 answers each with exactly this message. */
const REFUSED: readonly [method: string, params: string | undefined, message: string, data?: string][] = [
  // How many
  ['getBalance', '[]', '`params` should have at least 1 argument(s)'],
  ['getBalance', '{}', '`params` should be an array'],
  ['getBalance', `["${ADDRESS}",{},1]`, 'Invalid parameters: Expected from 1 to 2 parameters.', '"Got: 3"'],
  ['getHealth', '[1]', 'Invalid parameters: No parameters were expected', 'Array([Number(1)])'],
  [
    'getHealth',
    '{"z":-1,"a":["x",null,true,1.5,{"b":2},[]]}',
    'Invalid parameters: No parameters were expected',
    'Map({"a": Array [String("x"), Null, Bool(true), Number(1.5), Object {"b": Number(2)}, Array []], "z": Number(-1)})',
  ],
  ['getBlockTime', undefined, `${INVALID}invalid type: null, expected a tuple of size 1.`],
  ['getBlockTime', '[]', `${INVALID}invalid length 0, expected a tuple of size 1.`],
  ['getBlockTime', '{}', `${INVALID}invalid type: map, expected a tuple of size 1.`],
  ['getBlockTime', '[1,2]', `${INVALID}invalid length 2, expected fewer elements in array.`],
  ['getSlotLeaders', '[1]', `${INVALID}invalid length 1, expected a tuple of size 2.`],
  // Which type
  ['getBalance', '[null]', `${INVALID}invalid type: null, expected a string.`],
  [
    'getBalance',
    `["${ADDRESS}","confirmed"]`,
    `${INVALID}invalid type: string "confirmed", expected struct RpcContextConfig.`,
  ],
  ['getBalance', `["${ADDRESS}",[]]`, `${INVALID}invalid type: sequence, expected struct RpcContextConfig.`],
  ['getMultipleAccounts', '[{}]', `${INVALID}invalid type: map, expected a sequence.`],
  ['getMultipleAccounts', '[[5]]', `${INVALID}invalid type: integer \`5\`, expected a string.`],
  ['getSignatureStatuses', `[["${SIGNATURE}"],{}]`, `${INVALID}missing field \`searchTransactionHistory\`.`],
  [
    'getSignatureStatuses',
    `[["${SIGNATURE}"],[]]`,
    `${INVALID}invalid length 0, expected struct RpcSignatureStatusConfig with 1 element.`,
  ],
  ['getAccountInfo', `["${ADDRESS}",{"dataSlice":{"offset":0}}]`, `${INVALID}missing field \`length\`.`],
  [
    'getAccountInfo',
    `["${ADDRESS}",{"dataSlice":[0,1,2]}]`,
    `${INVALID}invalid length 3, expected fewer elements in array.`,
  ],
  // Fields are looked at in the order of their names.
  [
    'getAccountInfo',
    `["${ADDRESS}",{"dataSlice":{"offset":-1,"length":"x"}}]`,
    `${INVALID}invalid type: string "x", expected usize.`,
  ],
  [
    'getAccountInfo',
    `["${ADDRESS}",{"encoding":"hex"}]`,
    `${INVALID}unknown variant \`hex\`, expected one of \`binary\`, \`base58\`, \`base64\`, \`jsonParsed\`, \`base64+zstd\`.`,
  ],
  ['getAccountInfo', `["${ADDRESS}",{"encoding":5}]`, `${INVALID}invalid type: integer \`5\`, expected string or map.`],
  ['getAccountInfo', `["${ADDRESS}",{"encoding":{}}]`, `${INVALID}invalid value: map, expected map with a single key.`],
  [
    'getAccountInfo',
    `["${ADDRESS}",{"encoding":{"base64":1}}]`,
    `${INVALID}invalid type: integer \`1\`, expected unit.`,
  ],
  ['sendTransaction', '["AAAA",{"skipPreflight":null}]', `${INVALID}invalid type: null, expected a boolean.`],
  [
    'getTransaction',
    `["${SIGNATURE}",5]`,
    `${INVALID}data did not match any variant of untagged enum RpcEncodingConfigWrapper.`,
  ],
  [
    'getLargestAccounts',
    '[{"filter":"x"}]',
    `${INVALID}unknown variant \`x\`, expected \`circulating\` or \`nonCirculating\`.`,
  ],
  // Which number
  ['getBalance', `["${ADDRESS}",{"minContextSlot":-1}]`, `${INVALID}invalid value: integer \`-1\`, expected u64.`],
  [
    'getBalance',
    `["${ADDRESS}",{"minContextSlot":1.0}]`,
    `${INVALID}invalid type: floating point \`1.0\`, expected u64.`,
  ],
  [
    'getBalance',
    `["${ADDRESS}",{"minContextSlot":1e3}]`,
    `${INVALID}invalid type: floating point \`1000.0\`, expected u64.`,
  ],
  [
    'getBalance',
    `["${ADDRESS}",{"minContextSlot":-0}]`,
    `${INVALID}invalid type: floating point \`-0.0\`, expected u64.`,
  ],
  [
    'getBalance',
    `["${ADDRESS}",{"minContextSlot":1e16}]`,
    `${INVALID}invalid type: floating point \`1e+16\`, expected u64.`,
  ],
  [
    'getBalance',
    `["${ADDRESS}",{"minContextSlot":18446744073709551616}]`,
    `${INVALID}invalid type: floating point \`1.8446744073709552e+19\`, expected u64.`,
  ],
  // Which filter
  [
    'getProgramAccounts',
    `["${ADDRESS}",{"filters":[{"color":1}]}]`,
    `${INVALID}unknown variant \`color\`, expected one of \`dataSize\`, \`memcmp\`, \`tokenAccountState\`.`,
  ],
  [
    'getProgramAccounts',
    `["${ADDRESS}",{"filters":["dataSize"]}]`,
    `${INVALID}invalid type: unit variant, expected newtype variant.`,
  ],
  ['getProgramAccounts', `["${ADDRESS}",{"filters":[{"memcmp":{}}]}]`, `${INVALID}missing field \`offset\`.`],
  [
    'getProgramAccounts',
    `["${ADDRESS}",{"encoding":"hex","withContext":5}]`,
    `${INVALID}invalid type: integer \`5\`, expected a boolean.`,
  ],
  [
    'getProgramAccounts',
    `["${ADDRESS}",{"filters":[{"memcmp":{"offset":0,"bytes":[256]}}]}]`,
    `${INVALID}data did not match any variant of untagged enum DataType.`,
  ],
  [
    'getProgramAccounts',
    `["${ADDRESS}",{"filters":[{"memcmp":{"offset":0,"bytes":"0O"}}]}]`,
    "Invalid param: Base58DecodeError(InvalidCharacter { character: '0', index: 0 })",
  ],
  [
    'getProgramAccounts',
    `["${ADDRESS}",{"filters":[{"memcmp":{"offset":0,"bytes":"!!","encoding":"base64"}}]}]`,
    'Invalid param: Base64DecodeError(InvalidByte(0, 33))',
  ],
  [
    'getProgramAccounts',
    `["${ADDRESS}",{"filters":[{"memcmp":{"offset":0,"bytes":"${'1'.repeat(129)}"}}]}]`,
    'Invalid param: DataTooLarge',
  ],
  [
    'getProgramAccounts',
    `["${ADDRESS}",{"filters":${JSON.stringify([1, 2, 3, 4, 5].map((dataSize) => ({ dataSize })))}}]`,
    'Too many filters provided; max 4',
  ],
  // Values are checked only once all types are right
  ['getBalance', '["abc"]', 'Invalid param: WrongSize'],
  ['getBalance', '["0OIl"]', 'Invalid param: Invalid'],
  ['getBalance', `["${'1'.repeat(45)}"]`, 'Invalid param: WrongSize'],
  ['isBlockhashValid', '["abc"]', 'WrongSize'],
  ['getMultipleAccounts', JSON.stringify([Array(101).fill('x')]), 'Too many inputs provided; max 100'],
  ['getSignatureStatuses', JSON.stringify([Array(257).fill('x')]), 'Too many inputs provided; max 256'],
  [
    'sendTransaction',
    '["AAAA",{"encoding":"json"}]',
    'unsupported encoding: json. Supported encodings: base58, base64',
  ],
  ['sendTransaction', '["é"]', 'invalid base58 encoding: NonAsciiCharacter { index: 0 }'],
  ['sendTransaction', '["AB==",{"encoding":"base64"}]', 'invalid base64 encoding: InvalidLastSymbol(1, 66)'],
  ['sendTransaction', '["AAAAA",{"encoding":"base64"}]', 'invalid base64 encoding: InvalidLength(5)'],
  ['sendTransaction', '["AA",{"encoding":"base64"}]', 'invalid base64 encoding: InvalidPadding'],
  ['sendTransaction', '["A===",{"encoding":"base64"}]', 'invalid base64 encoding: InvalidByte(1, 61)'],
  ['sendTransaction', '["AAAA=",{"encoding":"base64"}]', 'invalid base64 encoding: InvalidByte(4, 61)'],
  ['sendTransaction', '["AAA==",{"encoding":"base64"}]', 'invalid base64 encoding: InvalidByte(3, 61)'],
  ['sendTransaction', '["AA=",{"encoding":"base64"}]', 'invalid base64 encoding: InvalidPadding'],
  // The first field of this object has a default, also in a list.
  [
    'sendTransaction',
    '["AAAA",[]]',
    'Invalid params: invalid length 1, expected struct RpcSendTransactionConfig with 5 elements.',
  ],
  [
    'sendTransaction',
    `["${'1'.repeat(1684)}"]`,
    'base58 encoded solana_transaction::versioned::VersionedTransaction too large: 1684 bytes (max: encoded/raw 1683/1232)',
  ],
  [
    'sendTransaction',
    `["${'1'.repeat(1300)}"]`,
    'decoded solana_transaction::versioned::VersionedTransaction too large: 1300 bytes (max: 1232 bytes)',
  ],
];

describe('parameters', () => {
  test.each(REFUSED)('[L-62] %s %s is refused in the words of Agave', async (method, params, message, data) => {
    expect((await call(method, params)).error).toEqual({ code: -32602, message, ...(data !== undefined && { data }) });
  });

  test('[L-62] null and what is left out are the same', async () => {
    for (const params of [`["${ADDRESS}"]`, `["${ADDRESS}",null]`, `["${ADDRESS}",{"minContextSlot":null}]`]) {
      expect((await call('getBalance', params)).result).toMatchObject({ value: 1 });
    }
    expect((await call('getSlot', undefined)).error).toBeUndefined();
    expect((await call('getSlot', 'null')).error).toBeUndefined();
  });

  test('[L-62] a list of values in their order stands for an object, and an object for a name', async () => {
    const [list, named] = await Promise.all([
      call('getAccountInfo', `["${ADDRESS}",{"encoding":{"base64":null},"dataSlice":[0,4]}]`),
      call('getAccountInfo', `["${ADDRESS}",{"encoding":"base64","dataSlice":{"offset":0,"length":4}}]`),
    ]);
    expect(list.error).toBeUndefined();
    expect((list.result as { value: unknown }).value).toEqual((named.result as { value: unknown }).value);
  });

  test('[L-64] a slot beyond 2^53 keeps every digit', async () => {
    for (const slot of ['9007199254740993', '18446744073709551615']) {
      expect((await call('getBlockTime', `[${slot}]`)).error).toEqual({
        code: -32004,
        message: `Block not available for slot ${slot}`,
      });
      expect((await call('getBalance', `["${ADDRESS}",{"minContextSlot":${slot}}]`)).error?.code).toBe(-32016);
    }
  });
});

describe('commitments', () => {
  test('[L-63] an unknown or former one in a configuration counts as none: finalized', async () => {
    // Of slots that do not pass by themselves meanwhile.
    const slow = await freshLedger({ slotMs: 60_000 });
    const { slot: processed } = await advanceTime(slow, { slots: 40 });
    const slotAt = async (commitment: unknown): Promise<unknown> =>
      (await rawCall(slow, 'getSlot', [{ commitment }])).result;
    for (const unknown of ['recent', 'max', 'root', 'single', 'singleGossip', 'soon', 5, null, []]) {
      expect(await slotAt(unknown)).toBe(processed - 32);
    }
    expect(await slotAt('processed')).toBe(processed);
  });

  test('[L-63] an unknown one is refused where it stands alone', async () => {
    const message = `${INVALID}unknown variant \`recent\`, expected one of \`processed\`, \`confirmed\`, \`finalized\`.`;
    for (const [method, params] of [
      ['sendTransaction', '["AAAA",{"preflightCommitment":"recent"}]'],
      ['getMinimumBalanceForRentExemption', '[1,{"commitment":"recent"}]'],
      ['getInflationGovernor', '[{"commitment":"recent"}]'],
    ] as const) {
      expect((await call(method, params)).error).toEqual({ code: -32602, message });
    }
    expect((await rawCall(ledger, 'getMinimumBalanceForRentExemption', [1, {}])).error?.message).toBe(
      `${INVALID}missing field \`commitment\`.`,
    );
  });
});

describe('parameters of subscriptions', () => {
  async function answersTo(frames: readonly string[]): Promise<unknown[]> {
    const socket = new WebSocket(ledger.wsUrl);
    await new Promise((resolve) => socket.once('open', resolve));
    const answers: unknown[] = [];
    for (const frame of frames) {
      const answer = new Promise<Buffer>((resolve) => socket.once('message', resolve));
      socket.send(frame);
      answers.push(JSON.parse((await answer).toString()));
    }
    socket.terminate();
    return answers;
  }

  test.each([
    ['slotSubscribe', '[1]', 'Invalid parameters: No parameters were expected'],
    ['accountSubscribe', '[]', '`params` should have at least 1 argument(s)'],
    ['accountSubscribe', '["x"]', 'Invalid Request: Invalid pubkey provided'],
    ['signatureSubscribe', '["x"]', 'Invalid Request: Invalid signature provided'],
    ['logsSubscribe', '[{"mentions":["x"]}]', 'Invalid Request: Invalid mentions provided'],
    ['logsSubscribe', '[{"mentions":[]}]', 'Invalid Request: Only 1 address supported'],
    [
      'logsSubscribe',
      '["x"]',
      `${INVALID}unknown variant \`x\`, expected one of \`all\`, \`allWithVotes\`, \`mentions\`.`,
    ],
    ['slotUnsubscribe', '["x"]', `${INVALID}invalid type: string "x", expected u64.`],
    ['slotUnsubscribe', '[99]', 'Invalid subscription id.'],
    [
      'programSubscribe',
      `["${ADDRESS}",{"filters":[{"memcmp":{"offset":0,"bytes":"0O"}}]}]`,
      `${INVALID}Invalid param: Base58DecodeError(InvalidCharacter { character: '0', index: 0 })`,
    ],
  ])('[L-62] %s %s is refused in the words of Agave', async (method, params, message) => {
    const [answer] = await answersTo([`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`]);
    expect(answer).toMatchObject({ error: { code: -32602, message }, id: 1 });
  });

  test('[L-60] batches and getVersion work over WebSocket too', async () => {
    const version = '{"jsonrpc":"2.0","id":1,"method":"getVersion"}';
    const [batch] = await answersTo([`[${version},{"jsonrpc":"2.0","id":2,"method":"getSlot"}]`]);
    expect(batch).toEqual([
      { jsonrpc: '2.0', result: (await call('getVersion', undefined)).result, id: 1 },
      { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id: 2 },
    ]);
  });
});
