// Makes answers of two targets comparable: what must differ between any two nodes (slots, hashes, times, versions, keys of a run)
// becomes a placeholder that keeps its type. Everything else stays as it is.
import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { PROGRAMS } from './scene/instructions.mjs';

const BY_KEY = {
  slot: [
    'absoluteSlot',
    'blockHeight',
    'contextSlot',
    'firstNormalSlot',
    'fromSlot',
    'lastExtendedSlot',
    'lastExtendedSlotStartIndex',
  ]
    .concat(['lastValidBlockHeight', 'parent', 'parentSlot', 'recentSlot', 'root', 'slot', 'toSlot', 'minContextSlot'])
    .concat(['firstSlot', 'lastSlot', 'loadedSlot', 'nextSlot']),
  time: ['blockTime', 'timestamp', 'unixTimestamp', 'epochStartTimestamp'],
  bump: ['bumpSeed', 'bump'],
  version: ['apiVersion', 'solana-core', 'version'],
  featureSet: ['feature-set', 'featureSet'],
  count: ['transactionCount', 'epoch', 'slotIndex', 'postBalanceOfLeader'],
  hash: ['blockhash', 'previousBlockhash', 'recentBlockhash', 'parentBlockhash', 'hash'],
  bits: ['bits'],
  index: ['transactionIndex'],
  shred: ['shredVersion'],
};
const PLACEHOLDERS = new Map(Object.entries(BY_KEY).flatMap(([kind, keys]) => keys.map((key) => [key, kind])));

/** Methods whose result is one number or text that is never the same twice. */
const BARE = {
  getSlot: 'slot',
  getBlockHeight: 'slot',
  getTransactionCount: 'count',
  getFirstAvailableBlock: 'slot',
  minimumLedgerSlot: 'slot',
  getMaxRetransmitSlot: 'slot',
  getMaxShredInsertSlot: 'slot',
  getBlockTime: 'time',
  getGenesisHash: 'hash',
  getBlocks: 'slot',
  getBlocksWithLimit: 'slot',
};
/** Methods that tell how a node or its cluster fares: every number of theirs is a placeholder. */
const FARES = new Set([
  'getEpochInfo',
  'getVoteAccounts',
  'getBlockProduction',
  'getSupply',
  'getLargestAccounts',
  'getRecentPerformanceSamples',
  'getHighestSnapshotSlot',
  'getClusterNodes',
  'getBlockCommitment',
  'getLeaderSchedule',
  'getRecentPrioritizationFees',
  'slotsUpdatesSubscribe',
]);
/** Methods whose items come in no order, or in one that nobody can rely on. */
const UNORDERED = new Set([
  'getProgramAccounts',
  'getLargestAccounts',
  'getTokenAccountsByOwner',
  'getTokenAccountsByDelegate',
]);
/** Methods whose transactions are those of everybody. */
const BLOCKS = new Set(['getBlock', 'blockSubscribe']);
const ENCODINGS = new Set(['base58', 'base64', 'base64+zstd']);
const WELL_KNOWN = new Set([
  ...Object.values(PROGRAMS),
  'NativeLoader1111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
]);
/** A list of so many alike items is shown by one of them. */
const LONG = 20;
const isWellKnown = (text) => WELL_KNOWN.has(text) || text.startsWith('Sysvar') || text.startsWith('Feature');

/** @param scene the scene of the target that answered */
export function normalise(scene, method, answer) {
  const names = namesOf(scene);
  const context = { names, method, own: new Set(Object.values(scene.signatures)) };
  if (answer.error !== undefined) return { error: cleanError(answer.error, context) };
  return { result: clean(answer.result, BARE[method], context) };
}

/** Texts of this scene and what they are called. */
function namesOf({ addresses, signatures, slots }) {
  const names = new Map();
  for (const [name, address] of Object.entries(addresses)) names.set(address, `<${name}>`);
  for (const [name, signature] of Object.entries(signatures)) names.set(signature, `<signature of ${name}>`);
  for (const slot of Object.values(slots)) names.set(String(slot), '<slot>');
  return names;
}

function cleanError({ code, message, data }, context) {
  // Long numbers in a message are slots and heights, short ones are limits.
  const text = cleanText(String(message), context)
    .replaceAll(/\b[Ss]lot \d+/g, 'slot <slot>')
    .replaceAll(/character: '.', index: \d+/g, 'character <any>')
    .replaceAll(/\bblock \d+/g, 'block <slot>')
    .replaceAll(/\b(firstSlot|lastSlot), \d+/g, '$1, <slot>')
    .replaceAll(/\b(min|max) \d{2,}$/g, '$1 <slot>');
  return data === undefined ? { code, message: text } : { code, message: text, data: clean(data, undefined, context) };
}

function clean(value, kind, context) {
  if (typeof value === 'string') return kind === undefined ? cleanText(value, context) : `<${kind}>`;
  if (typeof value === 'number') {
    if (kind !== undefined) return `<${kind}>`;
    return FARES.has(context.method) ? '<number>' : value;
  }
  if (Array.isArray(value)) return cleanList(value, kind, context);
  if (typeof value === 'object' && value !== null) return cleanObject(value, context);
  return value;
}

function cleanList(list, kind, context) {
  // Bytes of an account are as they are; those of a transaction hold a blockhash.
  if (list.length === 2 && ENCODINGS.has(list[1])) {
    if (kind === 'wire') return [`<${Buffer.from(list[0], 'base64').length} bytes>`, list[1]];
    // Every compressor has its own way.
    return list[1] === 'base64+zstd' ? ['<compressed>', list[1]] : list;
  }
  const cleaned = list.map((item) => clean(item, kind, context));
  if (UNORDERED.has(context.method)) cleaned.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const isRow = kind !== undefined || FARES.has(context.method) || list.length > LONG;
  return isRow
    ? cleaned.filter((item, at) => at === 0 || JSON.stringify(item) !== JSON.stringify(cleaned[at - 1]))
    : cleaned;
}

/** Keyed accounts by their key: their contents may be what differs. */
const orderOf = (item) => JSON.stringify(item?.pubkey ?? item);

function cleanObject(object, context) {
  // Updates come in kinds, and which one comes first is chance.
  if (context.method === 'slotsUpdatesSubscribe' && 'timestamp' in object)
    return { slot: '<slot>', timestamp: '<time>', type: typeof object.type };
  // A nonce is a blockhash.
  const data = object.space === 80 && !isParsed(object.data) ? '<nonce>' : object.data;
  const cleaned = {};
  for (const key of Object.keys(object).sort()) {
    cleaned[cleanText(key, context)] = cleanField(key, key === 'data' ? data : object[key], context);
  }
  return cleaned;
}

const isParsed = (data) => typeof data === 'object' && !Array.isArray(data);

function cleanField(key, value, context) {
  if (key === 'transactions' || key === 'signatures') {
    // Other people's transactions, votes first of all, share the blocks.
    if (Array.isArray(value) && BLOCKS.has(context.method))
      return clean(
        value.filter((one) => isOwn(one, context)),
        undefined,
        context,
      );
  }
  if (key === 'transaction' && Array.isArray(value)) return clean(value, 'wire', context);
  if (key === 'transaction' && typeof value === 'string') return '<wire>';
  if (key === 'rewards' && BLOCKS.has(context.method)) return Array.isArray(value) ? ['<rewards>'] : value;
  // A root is told as a bare number.
  if (key === 'result' && typeof value === 'number') return '<slot>';
  // Those that a vote is about.
  if (key === 'slots') return clean(value, 'slot', context);
  if (key === 'err' || key === 'data' || typeof value === 'object') return clean(value, undefined, context);
  return clean(value, value === null ? undefined : PLACEHOLDERS.get(key), context);
}

function isOwn(transaction, { own }) {
  if (typeof transaction === 'string') return own.has(transaction);
  const inside = transaction?.transaction;
  if (!Array.isArray(inside)) return (inside?.signatures ?? []).some((signature) => own.has(signature));
  const [text, encoding] = inside;
  const bytes = encoding === 'base58' ? getBase58Encoder().encode(text) : Buffer.from(text, 'base64');
  // After the count of signatures comes the first.
  return own.has(getBase58Decoder().decode(bytes.subarray(1, 65)));
}

function cleanText(text, { names }) {
  const whole = names.get(text);
  if (whole !== undefined) return whole;
  if (/^\d+\.\d+\.\d+\.\d+:\d+$/.test(text)) return '<host:port>';
  return text.replaceAll(/[1-9A-HJ-NP-Za-km-z]{32,}/g, (word) => {
    const name = names.get(word);
    if (name !== undefined) return name;
    if (isWellKnown(word) || new Set(word).size < 8) return word;
    if (word.length >= 86 && word.length <= 88) return '<signature>';
    return word.length >= 43 && word.length <= 44 ? '<address>' : word;
  });
}
