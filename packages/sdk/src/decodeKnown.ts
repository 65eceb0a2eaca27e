import type { Operation } from '@legwork/protocol/contract';

type Schema = Operation['answer'];
type Decoded = ReturnType<Schema['safeParse']>;
type Issue = NonNullable<Decoded['error']>['issues'][number];

/**
 * Decodes what the service sent, and leaves out what this SDK does not know, as a newer service may tell more: fields, and
 * items of a list that are of a kind of their own. An older one lists in SOL alone, and tells amounts as lamports only.
 *
 * @param json parsed JSON of the caller's own; what is unknown is removed from it, and amounts are added
 */
export function decodeKnown<S extends Pick<Schema, 'safeParse'>>(schema: S, json: unknown): ReturnType<S['safeParse']> {
  for (;;) {
    const result = schema.safeParse(json) as ReturnType<S['safeParse']>;
    const issues = result.error?.issues ?? [];
    if (result.success || !(removeUnknown(json, issues) || addAmounts(json, issues))) return result;
  }
}

/** Adds missing amounts from their lamports, which are the base units of SOL. Returns true if there were any. */
function addAmounts(json: unknown, issues: readonly Issue[]): boolean {
  let added = false;
  for (const { path } of issues) {
    const name = path.at(-1);
    const holder = at(json, path.slice(0, -1));
    if (holder === undefined || typeof name !== 'string' || Object.hasOwn(holder, name)) continue;
    const lamports = holder[name === 'amount' ? 'lamports' : `${name}Lamports`];
    if (lamports !== null && typeof lamports !== 'number') continue;
    holder[name] = lamports === null ? null : String(lamports);
    added = true;
  }
  return added;
}

/** Removes unknown members. Returns true if there were any. */
function removeUnknown(json: unknown, issues: readonly Issue[]): boolean {
  let removed = false;
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const holder = at(json, issue.path);
    for (const key of issue.keys) {
      if (holder === undefined || !Object.hasOwn(holder, key)) continue;
      delete holder[key];
      removed = true;
    }
  }
  // From the back, so that the items before stay in their places.
  for (const issue of issues.toReversed()) if (removeUnknownItem(json, issue)) removed = true;
  return removed;
}

/** Removes the issue's item if it says its kind, and the kind is unknown. Returns true if it did. */
function removeUnknownItem(json: unknown, issue: Issue): boolean {
  if (issue.code !== 'invalid_union' || issue.discriminator === undefined) return false;
  const place = issue.path.slice(0, -1);
  const list = at(json, place.slice(0, -1));
  const kind = at(json, place)?.[issue.discriminator];
  if (!Array.isArray(list) || typeof kind !== 'string') return false;
  list.splice(Number(place.at(-1)), 1);
  return true;
}

function at(json: unknown, path: readonly PropertyKey[]): Record<PropertyKey, unknown> | undefined {
  let here = json;
  for (const key of path) {
    if (!isObject(here)) return undefined;
    here = here[key];
  }
  return isObject(here) ? here : undefined;
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
