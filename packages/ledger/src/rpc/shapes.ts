import { Float, floatText } from '../json.js';

/**
 * The form of a JSON value, and how it is read: the rules and the words of serde,
 * with which Agave reads parameters. Strict clients look at these messages.
 */
export type Shape<T = unknown> = {
  /** @throws ShapeError */
  readonly read: (value: unknown) => T;
  /** The value of a field that is left out; without it, the field is required. */
  readonly absent?: () => T;
  /** True if that goes for a list that is too short, too. */
  readonly hasDefault?: true;
};

/** A value has another shape. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

function wrongType(value: unknown, expected: string): ShapeError {
  return new ShapeError(`invalid type: ${describe(value)}, expected ${expected}`);
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return `boolean \`${value}\``;
  if (typeof value === 'number' || typeof value === 'bigint') return `integer \`${value}\``;
  if (typeof value === 'string') return `string ${quote(value)}`;
  if (value instanceof Float) return `floating point \`${floatText(value.value)}\``;
  return Array.isArray(value) ? 'sequence' : 'map';
}

/** A string as Rust's debug format writes it. */
export function quote(value: string): string {
  return JSON.stringify(value)
    .replaceAll(/\\u([0-9a-f]{4})/g, (_, hex: string) =>
      hex === '0000' ? '\\0' : `\\u{${parseInt(hex, 16).toString(16)}}`,
    )
    .replaceAll(/\\([bf])/g, (_, letter: string) => (letter === 'b' ? '\\u{8}' : '\\u{c}'));
}

export const text: Shape<string> = {
  read: (value) => {
    if (typeof value !== 'string') throw wrongType(value, 'a string');
    return value;
  },
};

export const flag: Shape<boolean> = {
  read: (value) => {
    if (typeof value !== 'boolean') throw wrongType(value, 'a boolean');
    return value;
  },
};

const MAX = { u8: 255n, u64: 18_446_744_073_709_551_615n, usize: 18_446_744_073_709_551_615n } as const;

/** A number without sign; a bigint where a number would lose digits. */
export function unsigned(type: keyof typeof MAX): Shape<number | bigint> {
  return {
    read: (value) => {
      if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongType(value, type);
      if (value < 0 || value > MAX[type]) throw new ShapeError(`invalid value: ${describe(value)}, expected ${type}`);
      return value;
    },
  };
}

/** May be null or left out. */
export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return {
    read: (value) => (value === null ? undefined : shape.read(value)),
    absent: () => undefined,
  };
}

/** May be left out, but not null. */
export function defaulted<T>(shape: Shape<T>, fallback: T): Shape<T> {
  return { read: shape.read, absent: () => fallback, hasDefault: true };
}

export function listOf<T>(shape: Shape<T>): Shape<T[]> {
  return {
    read: (value) => {
      if (!Array.isArray(value)) throw wrongType(value, 'a sequence');
      return value.map((one) => shape.read(one));
    },
  };
}

type Fields = Readonly<Record<string, Shape>>;

/** An object with these fields; other fields are ignored. A list of the fields' values in their order counts too. */
export function struct(name: string, fields: Fields): Shape<Readonly<Record<string, unknown>>> {
  return {
    read: (value) => {
      if (Array.isArray(value)) return readList(name, fields, value);
      if (!isMap(value)) throw wrongType(value, `struct ${name}`);
      return readMap(fields, value);
    },
  };
}

/**
 * As `struct`, but a list does not count: serde's rule for structs into which others are flattened. The fields of those
 * are read last.
 */
export function openStruct(
  name: string,
  fields: Fields,
  flattened: Fields = {},
): Shape<Readonly<Record<string, unknown>>> {
  return {
    read: (value) => {
      if (!isMap(value)) throw wrongType(value, `struct ${name}`);
      return { ...readMap(fields, value), ...readMap(flattened, value) };
    },
  };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

/** Reads the fields that are there in the order of their names, and only then looks for those that are not. */
function readMap(fields: Fields, map: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  let isWhole = true;
  for (const [name, shape] of sortedFields(fields)) {
    if (Object.hasOwn(map, name)) found[name] = shape.read(map[name]);
    else if (shape.absent !== undefined) found[name] = shape.absent();
    else isWhole = false;
  }
  if (isWhole) return found;
  const missing = Object.keys(fields).find((name) => !Object.hasOwn(found, name));
  throw new ShapeError(`missing field \`${missing}\``);
}

const sorted = new WeakMap<Fields, readonly (readonly [name: string, shape: Shape])[]>();

function sortedFields(fields: Fields): readonly (readonly [name: string, shape: Shape])[] {
  const known = sorted.get(fields);
  if (known !== undefined) return known;
  const entries = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  sorted.set(fields, entries);
  return entries;
}

function readList(name: string, fields: Fields, list: readonly unknown[]): Readonly<Record<string, unknown>> {
  const names = Object.keys(fields);
  const found: Record<string, unknown> = {};
  names.forEach((field, index) => {
    const shape = fields[field];
    if (index < list.length) found[field] = shape?.read(list[index]);
    else if (shape?.hasDefault === true) found[field] = shape.absent?.();
    else {
      const count = `${names.length} element${names.length === 1 ? '' : 's'}`;
      throw new ShapeError(`invalid length ${index}, expected struct ${name} with ${count}`);
    }
  });
  requireNoMore(list, names.length);
  return found;
}

function requireNoMore(list: readonly unknown[], count: number): void {
  if (list.length > count) throw new ShapeError(`invalid length ${list.length}, expected fewer elements in array`);
}

/** A list of a fixed length. */
export function tuple(shapes: readonly Shape[]): Shape<unknown[]> {
  const expected = `a tuple of size ${shapes.length}`;
  return {
    read: (value) => {
      if (!Array.isArray(value)) throw wrongType(value, expected);
      const found = shapes.map((shape, index) => {
        if (index >= value.length) throw new ShapeError(`invalid length ${value.length}, expected ${expected}`);
        return shape.read(value[index]);
      });
      requireNoMore(value, shapes.length);
      return found;
    },
  };
}

/** One of several names, each alone (`'unit'`) or as the only field of an object, with a value of its shape. */
export function variants(
  options: Readonly<Record<string, Shape | 'unit'>>,
): Shape<string | Readonly<Record<string, unknown>>> {
  return {
    read: (value) => {
      const [name, content] = taggedValue(value);
      const shape = Object.hasOwn(options, name) ? options[name] : undefined;
      if (shape === undefined)
        throw new ShapeError(`unknown variant \`${name}\`, expected ${listNames(Object.keys(options))}`);
      if (shape === 'unit') {
        if (content !== null) throw wrongType(content, 'unit');
        return name;
      }
      if (typeof value === 'string') throw new ShapeError('invalid type: unit variant, expected newtype variant');
      return { [name]: shape.read(content) };
    },
  };
}

function taggedValue(value: unknown): readonly [name: string, content: unknown] {
  if (typeof value === 'string') return [value, null];
  if (!isMap(value)) throw wrongType(value, 'string or map');
  const entries = Object.entries(value);
  if (entries[0] === undefined || entries.length > 1) {
    throw new ShapeError('invalid value: map, expected map with a single key');
  }
  return entries[0];
}

function listNames(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length === 2 ? quoted.join(' or ') : `${quoted.length > 2 ? 'one of ' : ''}${quoted.join(', ')}`;
}

/** The first shape that fits. `name` is the enum's in Agave. */
export function anyOf<T>(name: string, shapes: readonly Shape<T>[]): Shape<T> {
  return {
    read: (value) => {
      for (const shape of shapes) {
        const found = attempt(shape, value);
        if (found !== undefined) return found.value;
      }
      throw new ShapeError(`data did not match any variant of untagged enum ${name}`);
    },
  };
}

/** The value read, undefined when it has another shape: serde's rule for an optional struct flattened into another. */
export function tolerant<T>(shape: Shape<T>): Shape<T | undefined> {
  return { read: (value) => attempt(shape, value)?.value, absent: () => undefined };
}

function attempt<T>(shape: Shape<T>, value: unknown): { readonly value: T } | undefined {
  try {
    return { value: shape.read(value) };
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}
