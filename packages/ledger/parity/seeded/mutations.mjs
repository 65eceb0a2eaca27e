// The faults that a call can have. A mutation takes parameters, or a whole request, and returns others; it never changes its input.
const COMMITMENTS = [
  'processed',
  'confirmed',
  'finalized',
  'recent',
  'max',
  'single',
  'root',
  'singleGossip',
  'junk',
  'Confirmed',
  '',
  null,
  1,
  {},
];
const ENCODINGS = ['base58', 'base64', 'base64+zstd', 'json', 'jsonParsed', 'binary', 'hex', null, 5];
const JUNK = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  255,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  1e20,
  -1e20,
  '',
  'x',
  '0',
  '5',
  'null',
  'confirmed',
  '1'.repeat(32),
  '1'.repeat(44),
  'a'.repeat(200),
  '0OIl',
  'AAAA',
  '\u{1F600}',
  [],
  {},
  [null],
  [[]],
  [0, 1],
  { a: 1 },
  [{}],
  { encoding: 'base64' },
  { commitment: 'confirmed' },
];
const OPTIONS = [
  'commitment',
  'encoding',
  'minContextSlot',
  'dataSlice',
  'filters',
  'limit',
  'withContext',
  'identity',
  'epoch',
  'accounts',
  'skipPreflight',
].concat([
  'maxSupportedTransactionVersion',
  'transactionDetails',
  'rewards',
  'whatever',
  'before',
  'until',
  'searchTransactionHistory',
  'maxRetries',
  'range',
]);

/** Mutations of parameters, each as likely as another. */
export const ofParams = [
  replaceOne,
  replaceOne,
  replaceParameter,
  removeOne,
  addOption,
  otherCommitment,
  otherCommitment,
  otherEncoding,
  spoilText,
  spoilText,
  longList,
  dropLast,
  addParameters,
];

/** Mutations of a request. */
export const ofRequest = [
  (request, draws) => ({ ...request, id: draws.of([0, -1, 1.5, 'a', '', null, true, [], {}, 2 ** 53, '\u{1F600}']) }),
  (request) => without(request, 'id'),
  (request) => without(request, 'jsonrpc'),
  (request, draws) => ({ ...request, jsonrpc: draws.of(['1.0', '', 2, null, '2.00']) }),
  (request, draws) => ({
    ...request,
    method: draws.of([`${request.method}x`, request.method.toLowerCase(), '', null, 5, [request.method]]),
  }),
  (request, draws) => ({ ...request, params: draws.of([null, {}, 'x', 5, true, { 0: request.params[0] }]) }),
  (request) => without(request, 'params'),
  (request) => without(request, 'method'),
  (request) => ({ ...request, more: 1 }),
];

/** The places inside parameters, as lists of keys. */
function placesIn(value, at = []) {
  if (typeof value !== 'object' || value === null) return [at];
  const inside = Object.keys(value)
    .slice(0, 12)
    .flatMap((key) => placesIn(value[key], [...at, key]));
  return at.length === 0 ? inside : [at, ...inside];
}

function changed(value, [key, ...deeper], change) {
  if (key === undefined) return change(value);
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[key] = changed(copy[key], deeper, change);
  return copy;
}

const at = (value, place) => place.reduce((inside, key) => inside[key], value);

function replaceOne(params, draws) {
  const places = placesIn(params);
  return places.length === 0 ? [draws.of(JUNK)] : changed(params, draws.of(places), () => draws.of(JUNK));
}

function replaceParameter(params, draws) {
  return params.length === 0 ? [draws.of(JUNK)] : changed(params, [draws.below(params.length)], () => draws.of(JUNK));
}

function removeOne(params, draws) {
  const places = placesIn(params).filter((place) => place.length > 1 && !Array.isArray(at(params, place.slice(0, -1))));
  if (places.length === 0) return params.slice(1);
  const place = draws.of(places);
  return changed(params, place.slice(0, -1), (object) => without(object, place.at(-1)));
}

/** The last parameter that is an object is taken for the options; without one, they come last. */
function changeOptions(params, change) {
  const last = params.findLastIndex((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
  return last === -1 ? [...params, change({})] : changed(params, [last], change);
}

function addOption(params, draws) {
  const [key, value] = [draws.of(OPTIONS), draws.of(JUNK)];
  return changeOptions(params, (options) => ({ ...options, [key]: value }));
}

function otherCommitment(params, draws) {
  const commitment = draws.of(COMMITMENTS);
  return changeOptions(params, (options) => ({ ...options, commitment }));
}

function otherEncoding(params, draws) {
  const encoding = draws.of(ENCODINGS);
  return changeOptions(params, (options) => ({ ...options, encoding }));
}

/** Texts are addresses, signatures, encoded bytes: one character more, less, or another. */
function spoilText(params, draws) {
  const places = placesIn(params).filter((place) => typeof at(params, place) === 'string');
  if (places.length === 0) return [...params, 'x'];
  const spoil = draws.of([
    (text) => text.slice(1),
    (text) => `${text}1`,
    (text) => `0${text.slice(1)}`,
    (text) => ` ${text}`,
    (text) => text.repeat(2),
    (text) => `${text}=`,
  ]);
  return changed(params, draws.of(places), spoil);
}

function longList(params, draws) {
  const places = placesIn(params).filter((place) => Array.isArray(at(params, place)) && at(params, place).length > 0);
  const length = draws.of([5, 100, 101, 257]);
  if (places.length === 0) return params;
  return changed(params, draws.of(places), (list) => Array.from({ length }, (_, index) => list[index % list.length]));
}

function dropLast(params) {
  return params.slice(0, -1);
}

function addParameters(params, draws) {
  return [...params, ...Array.from({ length: 1 + draws.below(3) }, () => draws.of(JUNK))];
}

function without(object, key) {
  const { [key]: _, ...rest } = object;
  return rest;
}
