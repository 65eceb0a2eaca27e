// Where two normalised answers differ, in words without values: `result.value.data is missing here`.
import { isDeepStrictEqual } from 'node:util';

/** The code of what is no answer at all, such as a check of a client that fails. */
const FAILS = 0;
const METHOD_NOT_FOUND = -32601;
/** More would only repeat what the first ones say. */
const MOST = 8;

/** @returns the differences of our answer from theirs, sorted; none when they are equal */
export function differences(ours, theirs) {
  if (ours.error?.code === FAILS || theirs.error?.code === FAILS) return failures(ours, theirs);
  if (isDeepStrictEqual(ours.result, theirs.result) && isDeepStrictEqual(ours.error, theirs.error)) return [];
  if (ours.error?.code === METHOD_NOT_FOUND && theirs.error?.code !== METHOD_NOT_FOUND) return ['absent'];
  if (ours.error !== undefined && theirs.error === undefined) return [`refused here with ${ours.error.code}`];
  if (ours.error === undefined && theirs.error !== undefined) return [`refused there with ${theirs.error.code}`];
  if (ours.error !== undefined) return errorDifferences(ours.error, theirs.error);
  const found = new Set();
  walk(ours.result, theirs.result, 'result', found);
  return [...found].sort(byText).slice(0, MOST);
}

function failures(ours, theirs) {
  if (ours.error?.code !== FAILS) return ['fails there'];
  return theirs.error?.code === FAILS ? ['fails on both'] : ['fails here'];
}

/** The same order on every machine. */
export const byText = (a, b) => (a < b ? -1 : 1);

function errorDifferences(ours, theirs) {
  if (ours.code !== theirs.code) return [`code ${ours.code} here, ${theirs.code} there`];
  const found = new Set();
  if (ours.message !== theirs.message) found.add('message');
  walk(ours.data, theirs.data, 'data', found);
  return [...found].sort(byText);
}

function walk(ours, theirs, path, found) {
  if (isDeepStrictEqual(ours, theirs)) return;
  if (ours === undefined) found.add(`${path} is missing here`);
  else if (theirs === undefined) found.add(`${path} is only here`);
  else if (kindOf(ours) !== kindOf(theirs)) found.add(`${path} is ${kindOf(ours)} here, ${kindOf(theirs)} there`);
  else if (Array.isArray(ours)) walkLists(ours, theirs, path, found);
  else if (kindOf(ours) === 'object') walkObjects(ours, theirs, path, found);
  else found.add(`${path} has another value`);
}

function walkLists(ours, theirs, path, found) {
  if (ours.length !== theirs.length) found.add(`${path} has another length`);
  for (let at = 0; at < Math.min(ours.length, theirs.length); at += 1) walk(ours[at], theirs[at], `${path}[]`, found);
}

function walkObjects(ours, theirs, path, found) {
  for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)]))
    walk(ours[key], theirs[key], `${path}.${key}`, found);
}

function kindOf(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}
