// Which differences are known, and why. `differences.mjs` says what stays different; `gaps.json` lists, by method and call, what is
// different today and should not be: an entry that no longer holds fails too, so that the list can only shrink.
import { differences } from './compare.mjs';
import { DECLARED } from './differences.mjs';

const ABSENT = 'absent';
const NOT_ASKED = { error: { code: 0, message: 'not asked' } };

/**
 * @param ours answers by method and label, as are `theirs`
 * @param gaps by method the differences of each call, or `absent`
 * @returns a row a method: how many calls are equal, and of the others `{ label, differences }`, with `why` where it is declared
 */
export function judge(ours, theirs, gaps) {
  const methods = [...new Set([...Object.keys(theirs), ...Object.keys(ours), ...Object.keys(gaps)])].sort();
  return methods.map((method) => judgeMethod(method, ours[method] ?? {}, theirs[method] ?? {}, gaps[method] ?? {}));
}

function judgeMethod(method, ours, theirs, gaps) {
  const labels = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  const found = labels.map((label) => ({
    label,
    differences: differences(ours[label] ?? NOT_ASKED, theirs[label] ?? NOT_ASKED),
  }));
  const differing = found.filter((one) => one.differences.length > 0);
  const isAbsent = differing.length > 0 && differing.every((one) => one.differences[0] === ABSENT);
  const row = {
    method,
    isAbsent,
    calls: labels.length,
    equal: found.length - differing.length,
    declared: [],
    gaps: [],
    undeclared: [],
    closed: [],
  };
  for (const one of differing) sort(row, one, gaps);
  row.closed = closedGaps(row, gaps);
  return row;
}

function sort(row, { label, differences: all }, gaps) {
  const declared = all.map((difference) => declarationOf(row.method, label, difference));
  const left = all.filter((_, at) => declared[at] === undefined);
  const known = gaps === ABSENT ? [ABSENT] : gaps[label];
  if (left.length === 0) {
    const byChance = declared.every((one) => one.byChance === true);
    row.declared.push({ label, differences: all, why: declared[0].why, byChance });
  } else
    row[known !== undefined && left.every((one) => known.includes(one)) ? 'gaps' : 'undeclared'].push({
      label,
      differences: left,
    });
}

/** Listed gaps that are none any more. */
function closedGaps(row, gaps) {
  if (gaps === ABSENT) return row.isAbsent ? [] : [{ label: 'every call', differences: [ABSENT] }];
  const today = new Map([...row.gaps, ...row.undeclared].map((one) => [one.label, one.differences]));
  return Object.entries(gaps)
    .map(([label, listed]) => ({ label, differences: listed.filter((one) => !(today.get(label) ?? []).includes(one)) }))
    .filter((one) => one.differences.length > 0);
}

/** The declared reason for a difference; undefined where there is none. */
export const whyDeclared = (method, label, difference) => declarationOf(method, label, difference)?.why;

function declarationOf(method, label, difference) {
  const fits = (one) => matches(one.method, method) && matches(one.call, label) && matches(one.difference, difference);
  return DECLARED.find(fits);
}

function matches(pattern, text) {
  return pattern === undefined || (typeof pattern === 'string' ? pattern === text : pattern.test(text));
}

/** Today's gaps, for gaps.json. */
export function gapsNow(ours, theirs) {
  const rows = judge(ours, theirs, {}).filter(({ undeclared }) => undeclared.length > 0);
  const byLabel = ({ undeclared }) => Object.fromEntries(undeclared.map((one) => [one.label, one.differences]));
  return Object.fromEntries(rows.map((row) => [row.method, row.isAbsent ? ABSENT : byLabel(row)]));
}
