// Thousands of calls that a seed decides, the same on every target, and the classes into which their differences fall.
import { callsOn, METHODS } from '../calls/calls.mjs';
import { differences } from '../compare.mjs';
import { normalise } from '../normalise.mjs';
import { whyDeclared } from '../verdict.mjs';
import { post } from '../rpc.mjs';
import { ofParams, ofRequest } from './mutations.mjs';
import { drawsOf } from './random.mjs';

/** Signed transactions age: the calls are made again after so many. */
const FRESH = 200;

/**
 * Sends the calls one after the other.
 *
 * @returns for each `{ method, methods, request, status, answers, isBatch }`: as many normalised answers as requests, one unless it
 * is a batch
 */
export async function seededAnswers(scene, { seed, count }) {
  const draws = drawsOf(seed);
  const sent = [];
  let byMethod;
  while (sent.length < count) {
    if (sent.length % FRESH === 0) byMethod = grouped(await callsOn(scene));
    sent.push(await sendOne(scene, draw(byMethod, draws)));
  }
  return sent;
}

const byName = ({ method }) => method;

/** Calls by method: as Map.groupBy, which Node 20 lacks. */
function grouped(list) {
  const groups = new Map();
  for (const one of list) groups.set(one.method, [...(groups.get(one.method) ?? []), one]);
  return groups;
}

const NAMES = Object.keys(METHODS);

function draw(byMethod, draws) {
  if (draws.chance(0.03)) {
    const requests = Array.from({ length: 1 + draws.below(4) }, (_, id) => ({ ...drawRequest(byMethod, draws), id }));
    return { method: 'a batch', body: requests, methods: requests.map(byName) };
  }
  const request = drawRequest(byMethod, draws);
  if (!draws.chance(0.05)) return { method: request.method, body: request, methods: [request.method] };
  return { method: 'the envelope', body: draws.of(ofRequest)(request, draws), methods: [request.method] };
}

function drawRequest(byMethod, draws) {
  const { method, params } = draws.of(byMethod.get(draws.of(NAMES)));
  let mutated = params;
  // One in five stays as it is.
  for (let times = draws.of([0, 1, 1, 1, 2]); times > 0; times -= 1) {
    if (Array.isArray(mutated)) mutated = draws.of(ofParams)(mutated, draws);
  }
  return { jsonrpc: '2.0', id: 1, method, params: mutated };
}

async function sendOne(scene, { method, body, methods }) {
  const { status, answer } = await post(scene.target, body);
  const isBatch = Array.isArray(answer);
  const answers = (isBatch ? answer : [answer]).map((one, at) => {
    // A notification has no answer, and a body that is no request may have one that is no JSON.
    if (typeof one !== 'object' || one === null) return { result: one };
    return { id: one.id, ...normalise(scene, methods[at] ?? '', one) };
  });
  return { method, methods, request: body, status, answers, isBatch };
}

/**
 * @returns the classes of differences: `{ method, difference, why, count, request, ours, theirs }`, the most frequent first, with
 * an example
 */
export function classesOf(ours, theirs) {
  const classes = new Map();
  ours.forEach((one, at) => {
    for (const found of differencesOf(one, theirs[at])) {
      const name = `${found.method}: ${found.difference}`;
      const known = classes.get(name);
      if (known !== undefined) known.count += 1;
      else classes.set(name, { ...found, why: whyDeclared(found.method, 'seeded', found.difference), count: 1 });
    }
  });
  return [...classes.values()].sort((a, b) => b.count - a.count);
}

function differencesOf(one, other) {
  const whole = { method: one.method, request: one.request, ours: one.answers, theirs: other.answers };
  if (one.status !== other.status) return [{ ...whole, difference: `HTTP ${one.status} here, ${other.status} there` }];
  if (one.isBatch !== other.isBatch || one.answers.length !== other.answers.length) {
    return [{ ...whole, difference: 'another number of answers' }];
  }
  return one.answers.flatMap((ours, at) => {
    const theirs = other.answers[at];
    // In a batch, and in an envelope that is good, each request counts for its own method.
    const isGood = ours.result !== undefined || theirs.result !== undefined;
    const method = one.isBatch || isGood ? (one.methods[at] ?? one.method) : one.method;
    const each = { ...whole, method, request: one.isBatch ? one.request[at] : one.request };
    const found = differences(ours, theirs);
    if (found.length === 0 && JSON.stringify(ours.id) !== JSON.stringify(theirs.id)) found.push('id');
    return found.map((difference) => ({ ...each, difference, ours, theirs }));
  });
}
