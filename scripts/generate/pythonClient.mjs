// The client: one async method an operation.
import { isNullable } from './pythonModels.mjs';
import { isName, literal, quoted, snake } from './pythonText.mjs';

/**
 * @param operations the contracts by name
 * @param described the same as OpenAPI tells them, by name
 * @param models types of what they take and answer
 */
export function pythonClient(operations, described, models) {
  const calls = Object.values(operations).map((contract) => {
    const operation = described.get(contract.name);
    return { contract, operation, ...inputOf(contract, operation, models), ...answerOf(operation, models) };
  });
  return [
    '\nfrom __future__ import annotations\n\nfrom datetime import datetime\nfrom typing import Any, Literal\n',
    '\nfrom .._call import LEFT_OUT, Caller, LeftOut, Operation, Page\nfrom . import models as m\n\n\n',
    'class Operations(Caller):\n    """One method an operation of the service, with its fields as keywords."""\n',
    ...calls.map((call) => methodOf(call, models)),
    '\n\n',
    ...calls.map(constantOf),
  ].join('');
}

function inputOf({ name }, { parameters, requestBody }, models) {
  const travelling = parameters.filter((one) => one.in !== 'header');
  const body = requestBody && models.resolve(requestBody.content['application/json'].schema);
  const bodyName = requestBody?.content['application/json'].schema.$ref?.split('/').at(-1);
  const fields = [
    ...travelling.map((one) => ({
      field: one.name,
      place: one.in,
      isRequired: one.required,
      schema: one.schema,
      about: one.description,
    })),
    ...Object.entries(body?.properties ?? {}).map(([field, schema]) => ({
      field,
      place: 'body',
      isRequired: body.required?.includes(field) === true,
      schema,
      about: schema.description,
    })),
  ];
  for (const one of fields) {
    // Elsewhere None leaves a field out.
    one.saysNull = isNullable(one.schema);
  }
  const bodySchemaName = bodyName ?? '';
  const forms = fields.map(({ field, schema, place }) => [
    field,
    models.formOf(schema, (place === 'body' ? bodySchemaName : name) + field.charAt(0).toUpperCase() + field.slice(1)),
  ]);
  return { fields, bodyName: bodySchemaName, takes: Object.fromEntries(forms.filter(([, form]) => form !== '')) };
}

function answerOf({ responses }, models) {
  const [success] = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, answer]) => answer);
  const { schema } = success.content['application/json'];
  const name = schema.$ref.split('/').at(-1);
  const resolved = models.resolve(schema);
  const isList = resolved.type === 'array';
  const type = isList ? models.typeOf(resolved.items, `${name}Item`) : name;
  return { isList, type: inModels(type), gives: models.formOf(schema, name) };
}

/** A type as the module of the client names it. */
const inModels = (type) =>
  type.replace(/"[^"]*"|\b[A-Z]\w*\b/g, (word) => (OWN.has(word) || word.startsWith('"') ? word : `m.${word}`));
const OWN = new Set(['Literal', 'None', 'Any']);

function methodOf({ contract, fields, bodyName, isList, type, operation }, models) {
  const { name } = contract;
  const ordered = [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)];
  const typeOf = ({ field, schema, place }) =>
    inModels(
      models.typeOf(schema, (place === 'body' ? bodyName : name) + field.charAt(0).toUpperCase() + field.slice(1)),
    );
  const isPost = contract.method === 'POST';
  const keywords = [
    ...ordered.map((one) => `        ${keyword(one.field)}: ${typeOf(one)}${defaultOf(one)},\n`),
    ...(isPost ? ['        idempotency_key: str | None = None,\n'] : []),
  ];
  const answers = isList ? `Page[${type}]` : type;
  const given = fields.map(({ field }) => `${quoted(field)}: ${keyword(field)}`).join(', ');
  const told = ordered
    .filter(({ about }) => about)
    .map(({ field, about }) => `\n        :param ${keyword(field)}: ${about}`);
  const words = [
    contract.summary,
    '.\n\n        ',
    operation.description,
    told.length > 0 ? '\n' : '',
    ...told,
    '\n        ',
  ].join('');
  return [
    `\n    async def ${snake(name)}(\n        self,\n${keywords.length > 0 ? '        *,\n' : ''}${keywords.join('')}    ) -> ${answers}:\n`,
    `        ${quoted(words, '"""')}\n`,
    `        answer: ${answers} = await self._call(${constant(name)}, {${given}}${isPost ? ', idempotency_key' : ''})\n`,
    '        return answer\n',
  ].join('');
}

/** What a field is called as a keyword: `for_` where Python has the word for itself. */
const keyword = (field) => (isName(snake(field)) ? snake(field) : `${snake(field)}_`);

/** How a keyword says that it may be left out. */
function defaultOf({ isRequired, saysNull }) {
  if (isRequired) return '';
  return saysNull ? ' | LeftOut = LEFT_OUT' : ' | None = None';
}

const constant = (name) => `_${snake(name).toUpperCase()}`;

function constantOf({ contract, fields, takes, gives, isList }) {
  const { name, method, path, auth, body } = contract;
  const names = (those) => literal(fields.filter(those).map(({ field }) => field));
  return `${constant(name)} = Operation(${quoted(name)}, ${quoted(method)}, ${quoted(path.replace(/:(\w+)/g, '{$1}'))}, ${quoted(auth)}, query=${names(({ place }) => place === 'query')}, nullable=${names(({ saysNull }) => saysNull)}, has_body=${literal(body !== undefined)}, takes=${literal(takes)}, gives=${quoted(gives)}, is_list=${literal(isList)})\n`;
}
