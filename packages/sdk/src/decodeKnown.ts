import type { Operation } from '@legwork/protocol/contract';

type Schema = Operation['answer'];
type Decoded = ReturnType<Schema['safeParse']>;
type Issue = NonNullable<Decoded['error']>['issues'][number];

/**
 * Decodes what the service sent, and leaves out the fields that this SDK does not know: a newer service may tell more.
 *
 * @param json parsed JSON of the caller's own; unknown fields are removed from it
 */
export function decodeKnown<S extends Pick<Schema, 'safeParse'>>(schema: S, json: unknown): ReturnType<S['safeParse']> {
  for (;;) {
    const result = schema.safeParse(json) as ReturnType<S['safeParse']>;
    if (result.success || !removeUnknown(json, result.error?.issues ?? [])) return result;
  }
}

/** Whether anything was there to remove. */
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
  return removed;
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
