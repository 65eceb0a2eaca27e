// JSON Schemas as Python types, and as tables by which answers are decoded: base units to int, instants to datetime.
import { capital, isName, literal, quoted } from './pythonText.mjs';

const REF = '#/components/schemas/';
/** What the contract's codecs look like on the wire: amounts in base units, and instants. */
const UNITS_PATTERN = '^(0|[1-9][0-9]{0,15})$';

/** Types and tables of the schemas; those without a name of their own get one from where they stand. */
export function pythonModels(schemas) {
  const models = new Models(schemas);
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.type !== 'array' && name !== 'Problem') models.define(name, schema);
  }
  return models;
}

class Models {
  #schemas;
  /** Python text by name, in the order of their definition. */
  #texts = new Map();
  /** For each model what is to be decoded in it, by field. */
  #decoded = new Map();
  #defaults = new Map();
  #required = new Map();

  constructor(schemas) {
    this.#schemas = schemas;
  }

  /** The schema behind a reference. */
  resolve(schema) {
    return schema.$ref === undefined ? schema : this.#schemas[schema.$ref.slice(REF.length)];
  }

  define(name, schema) {
    if (this.#texts.has(name)) return;
    this.#texts.set(name, '');
    if (schema.type === 'object' && schema.properties !== undefined) this.#defineObject(name, schema);
    else {
      this.#texts.set(name, `${name}: TypeAlias = ${quoted(this.typeOf(schema, `${name}Value`))}\n`);
      const form = this.formOf(schema, `${name}Value`);
      if (form !== '') this.#decoded.set(name, form);
    }
  }

  #defineObject(name, { properties, required = [], description }) {
    const isAsked = name.includes('Body');
    const defaults = isAsked ? {} : defaultsOf(properties, required);
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = this.typeOf(schema, name + capital(field));
      const isThere = required.includes(field) || field in defaults;
      return { field, type: isThere ? type : `NotRequired[${type}]`, about: schema.description };
    });
    const forms = Object.entries(properties).map(([field, schema]) => [
      field,
      this.formOf(schema, name + capital(field)),
    ]);
    this.#decoded.set(name, Object.fromEntries(forms.filter(([, form]) => form !== '')));
    if (Object.keys(defaults).length > 0) this.#defaults.set(name, defaults);
    const sure = isAsked ? [] : required.filter((field) => !(field in defaults));
    if (sure.length > 0) this.#required.set(name, sure);
    this.#texts.set(
      name,
      fields.every(({ field }) => isName(field)) ? asClass(name, fields, description) : asCall(name, fields),
    );
  }

  /** A schema's Python type. @param name for an object without a name of its own */
  typeOf(schema, name) {
    if (schema.$ref !== undefined) return this.#typeOfRef(schema.$ref.slice(REF.length));
    const options = schema.anyOf ?? schema.oneOf;
    if (options !== undefined) return union(options.map((one, at) => this.typeOf(one, optionName(name, options, at))));
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    if ('const' in schema) return schema.const === null ? 'None' : `Literal[${literal(schema.const)}]`;
    if (Array.isArray(schema.type)) return union(schema.type.map((type) => this.typeOf({ ...schema, type }, name)));
    return this.#plain(schema, name);
  }

  #typeOfRef(name) {
    const schema = this.#schemas[name];
    return schema.type === 'array' ? this.typeOf(schema, name) : name;
  }

  #plain(schema, name) {
    if (schema.type === 'string') return { units: 'int', instant: 'datetime' }[scalarForm(schema)] ?? 'str';
    if (schema.type === 'integer') return 'int';
    if (schema.type === 'number') return 'float';
    if (schema.type === 'boolean') return 'bool';
    if (schema.type === 'null') return 'None';
    if (schema.type === 'array') return `list[${this.typeOf(schema.items ?? {}, `${name}Item`)}]`;
    if (schema.properties !== undefined) {
      this.define(name, schema);
      return name;
    }
    if (schema.type !== 'object') return 'Any';
    const of = schema.additionalProperties;
    return `dict[str, ${typeof of === 'object' ? this.typeOf(of, `${name}Value`) : 'Any'}]`;
  }

  /**
   * How a value is decoded: `units`, `instant`, the name of a model, `[` or `{` before what a list or a record holds; `A|B` for one of several
   * models, of which each field is decoded in the same way. Empty: it is as it came.
   */
  formOf(schema, name) {
    if (schema.$ref !== undefined) {
      const at = schema.$ref.slice(REF.length);
      return this.#schemas[at].type === 'array' ? this.formOf(this.#schemas[at], at) : at;
    }
    const options = schema.anyOf ?? schema.oneOf;
    if (options !== undefined) {
      const forms = options
        .map((one, at) => this.formOf(one, optionName(name, options, at)))
        .filter((form) => form !== '');
      return [...new Set(forms)].join('|');
    }
    if (schema.type === 'array') return prefixed('[', this.formOf(schema.items ?? {}, `${name}Item`));
    if (schema.properties !== undefined) return name;
    const of = schema.additionalProperties;
    if (typeof of === 'object') return prefixed('{', this.formOf(of, `${name}Value`));
    return scalarForm(schema);
  }

  /** The module's text. */
  render() {
    const forms = [...this.#decoded].map(([name, form]) => `    ${quoted(name)}: ${literal(form)},\n`);
    const defaults = [...this.#defaults].map(([name, fields]) => `    ${quoted(name)}: ${literal(fields)},\n`);
    const required = [...this.#required].map(([name, fields]) => `    ${quoted(name)}: ${literal(fields)},\n`);
    return [
      '\nfrom __future__ import annotations\n\nfrom datetime import datetime\nfrom typing import Any, Literal, Mapping, Sequence, Union\n',
      '\nfrom typing_extensions import NotRequired, TypeAlias, TypedDict\n\n',
      [...this.#texts.values()].join('\n'),
      '\n#: How the fields of each model are decoded; what is left out is as it came.\n',
      `FORMS: Mapping[str, Union[str, Mapping[str, str]]] = {\n${forms.join('')}}\n`,
      '\n#: What an older service leaves out.\n',
      `DEFAULTS: Mapping[str, Mapping[str, Any]] = {\n${defaults.join('')}}\n`,
      '\n#: What every service answers.\n',
      `REQUIRED: Mapping[str, Sequence[str]] = {\n${required.join('')}}\n`,
    ].join('');
  }
}

/** What an answer says by leaving a field out: that it is null, unless the contract says otherwise. */
function defaultsOf(properties, required) {
  const left = Object.entries(properties).filter(([field, schema]) => !required.includes(field) || 'default' in schema);
  const known = left.filter(([, schema]) => 'default' in schema || isNullable(schema));
  return Object.fromEntries(known.map(([field, schema]) => [field, schema.default ?? null]));
}

export const isNullable = (schema) =>
  [schema, ...(schema.anyOf ?? [])].some(({ type }) => [type].flat().includes('null'));

const prefixed = (mark, form) => (form === '' ? '' : mark + form);

function scalarForm({ type, pattern, format }) {
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'));
  if (isText && pattern === UNITS_PATTERN) return 'units';
  return isText && format === 'date-time' ? 'instant' : '';
}

/** One object among nothing but scalars has the name of the field; several are told apart by their number. */
function optionName(name, options, at) {
  const objects = options.filter(({ properties }) => properties !== undefined);
  return objects.length > 1 ? `${name}${at + 1}` : name;
}

function union(types) {
  const all = [...new Set(types.flatMap((type) => type.split(' | ')))];
  return [...all.filter((type) => type !== 'None'), ...all.filter((type) => type === 'None')].join(' | ');
}

function asClass(name, fields, about) {
  const lines = fields.map(({ field, type, about: words }) => `    ${field}: ${type}\n${docstring(words)}`);
  return `\nclass ${name}(TypedDict):\n${docstring(about)}${lines.join('') || '    pass\n'}`;
}

/** A field that is no name of Python. */
function asCall(name, fields) {
  const entries = fields.map(({ field, type }) => `    ${quoted(field)}: ${quoted(type)},\n`);
  return `\n${name} = TypedDict(${quoted(name)}, {\n${entries.join('')}})\n`;
}

const docstring = (words) => (words === undefined ? '' : `    ${quoted(words, '"""')}\n`);

/** The codes by which the service refuses, and what to do next after each. */
export function errorCodes({ properties: { code } }, hints) {
  const lines = Object.entries(hints).map(([name, hint]) => `    ${quoted(name)}: ${quoted(hint)},\n`);
  return `\n#: Codes of refusals that this version knows; a newer service may have others.\nErrorCode: TypeAlias = Literal[\n${code.enum.map((one) => `    ${quoted(one)},\n`).join('')}]\n\n#: What to do next after each.\nHINTS: Mapping[str, str] = {\n${lines.join('')}}\n`;
}
