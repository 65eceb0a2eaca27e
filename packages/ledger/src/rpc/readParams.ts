import { Float, floatText } from '../json.js';
import type { ParamList } from './paramLists.js';
import { invalidParams } from './rpcError.js';
import { quote, ShapeError, tuple } from './shapes.js';

/**
 * The parameters of a call as the list reads them, `undefined` for each that was left out: types and number
 * first, before anything else is looked at, as Agave does.
 *
 * @throws RpcError in Agave's words
 */
export function readParams({ required, trailing }: ParamList, params: unknown): readonly unknown[] {
  const given = params ?? [];
  const least = required.length;
  const most = least + trailing.length;
  if (most === 0) return readNone(given);
  if (trailing.length > 0) requireCount(given, least, most);
  const shapes = trailing.length === 0 ? required : [...required, ...trailing].slice(0, (given as unknown[]).length);
  // With no parameters at all, serde reads null.
  const value = params === undefined && trailing.length === 0 ? null : given;
  try {
    const read = tuple(shapes).read(value);
    return Array.from({ length: most }, (_, index) => read[index]);
  } catch (error) {
    if (error instanceof ShapeError) throw invalidParams(`Invalid params: ${error.message}.`);
    throw error;
  }
}

function readNone(given: unknown): readonly unknown[] {
  if (Array.isArray(given) && given.length === 0) return [];
  const shown = Array.isArray(given)
    ? `Array(${debug(given).slice('Array '.length)})`
    : `Map(${debug(given).slice('Object '.length)})`;
  throw invalidParams('Invalid parameters: No parameters were expected', shown);
}

function requireCount(given: unknown, least: number, most: number): void {
  if (!Array.isArray(given)) throw invalidParams('`params` should be an array');
  if (given.length < least) throw invalidParams(`\`params\` should have at least ${least} argument(s)`);
  if (given.length <= most) return;
  throw invalidParams(`Invalid parameters: Expected from ${least} to ${most} parameters.`, `"Got: ${given.length}"`);
}

/** A JSON value as Rust's debug format writes it, with the names of an object in order. */
function debug(value: unknown): string {
  if (value === null || value === undefined) return 'Null';
  if (typeof value === 'string') return `String(${quote(value)})`;
  if (typeof value === 'boolean') return `Bool(${value})`;
  if (typeof value === 'number' || typeof value === 'bigint') return `Number(${value})`;
  if (value instanceof Float) return `Number(${floatText(value.value)})`;
  if (Array.isArray(value)) return `Array [${value.map(debug).join(', ')}]`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `Object {${fields.map(([name, field]) => `${quote(name)}: ${debug(field)}`).join(', ')}}`;
}
