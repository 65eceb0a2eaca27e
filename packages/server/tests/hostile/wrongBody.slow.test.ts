import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type Operation, operations as contracts } from '@legwork/protocol/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../src/http/openApi.js';
import { withService } from '../support/service.js';
import { changesBetween, snapshot } from '../support/snapshot.js';
import { type Described, describedOperations, kindsOf } from './description.js';
import { bodyOf, type Draft, headersOf, send, targetOf } from './request.js';
import { createWorld, rightRequests, type World, WORLD_SETTINGS, walletsOf } from './world.js';
import { allRefused, invalid, outcomeOf, type Refused } from './wrongRequests.js';

const operations = describedOperations(openApiDocument({ publicUrl: 'http://relay.example', version: '0.0.0' }));
const posts = operations.filter(({ method }) => method !== 'GET');
const withBody = posts.filter(({ takesBody }) => takesBody);

const service = withService(WORLD_SETTINGS);
let world: World;

beforeAll(async () => {
  world = await createWorld(service.current);
});

const right = (operation: Described): Draft => {
  const [draft] = rightRequests(world, operation);
  if (draft === undefined) throw new Error(`nobody knows how to call ${operation.name}`);
  return draft;
};

const MALFORMED: Refused = { status: 400, code: 'malformed_body', fields: [] };
const NOT_TAKEN: Refused = { status: 415, code: 'unsupported_media_type', fields: [] };
const TOO_LARGE: Refused = { status: 413, code: 'body_too_large', fields: [] };

/** One way in which a body is wrong. `text` is a right body; operations without a body are sent `{}`. */
interface WrongBody {
  what: string;
  body: (text: string, draft: Draft) => string | Uint8Array;
  headers?: Record<string, string>;
  refused: Refused | ((draft: Draft) => Refused);
}

const contractOf = (name: string) => Object.values<Operation>(contracts).find((one) => one.name === name);

/** As many characters as no body of this request may have. */
function tooMany(character: string, { operation: { name } }: Draft): string {
  return character.repeat(Math.max(1_048_576, contractOf(name)?.bodyLimit ?? 0));
}

/** A little below the values that a body may hold. */
const DEEP = 9_000;
const deepObjects = `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`;
const fieldNames = ({ body }: Draft) => (Array.isArray(body) ? body.map(([name]) => name) : []);
/** Those of {@link fieldNames} that have to hold something. */
const filledNames = (draft: Draft) =>
  fieldNames(draft).filter(
    (name) => !draft.operation.fields.some((field) => field.name === name && field.schema.nullable),
  );
const takesObjects = ({ operation }: Draft, name: string) =>
  operation.fields.some((field) => field.name === name && kindsOf(field.schema).includes('object'));
const requiredNames = ({ operation }: Draft) =>
  operation.fields.filter(({ place, required }) => place === 'body' && required).map(({ name }) => name);
/** Adds to an object's text, before its last brace. */
const adding = (text: string, more: string) => `${text.slice(0, -1)}${text === '{}' ? '' : ','}${more}}`;

/** Faults that any body may have, whatever the operation takes: all routes have one parser, with the limits of their contracts. */
const IN_ANY_BODY: WrongBody[] = [
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonx',
    'application/merge-patch+json',
    'nonsense',
    '',
  ].map(
    (type): WrongBody => ({
      what: `of type "${type}"`,
      body: (text) => text,
      headers: { 'content-type': type },
      refused: NOT_TAKEN,
    }),
  ),
  {
    what: 'of a megabyte or two',
    body: (text, draft) => adding(text, `"a":"${tooMany('a', draft)}"`),
    refused: TOO_LARGE,
  },
  {
    what: 'of a megabyte of spaces or two',
    body: (text, draft) => `${text}${tooMany(' ', draft)}`,
    refused: TOO_LARGE,
  },
  { what: 'cut in half', body: (text) => text.slice(0, text.length / 2), refused: MALFORMED },
  { what: 'without its last brace', body: (text) => text.slice(0, -1), refused: MALFORMED },
  { what: 'of one brace', body: () => '{', refused: MALFORMED },
  { what: 'with something behind it', body: (text) => `${text}{}`, refused: MALFORMED },
  { what: 'with a comment', body: (text) => `/* right */${text}`, refused: MALFORMED },
  { what: 'with a comma too many', body: (text) => `${text.slice(0, -1)},}`, refused: MALFORMED },
  { what: 'in single quotes', body: () => "{'a':'b'}", refused: MALFORMED },
  { what: 'with NaN', body: (text) => adding(text, '"a":NaN'), refused: MALFORMED },
  { what: 'with a NUL behind it', body: (text) => `${text}\u0000`, refused: MALFORMED },
  { what: 'of lists, deep and never closed', body: () => '['.repeat(DEEP), refused: MALFORMED },
  { what: 'in UTF-16', body: (text) => Buffer.from(`\ufeff${text}`, 'utf16le'), refused: MALFORMED },
  {
    what: 'with a byte that is no UTF-8',
    body: (text) => Buffer.from(adding(text, '"a":"\u00ff"'), 'latin1'),
    refused: MALFORMED,
  },
  {
    what: 'with an overlong slash',
    body: () => Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
    refused: MALFORMED,
  },
  { what: 'compressed', body: (text) => gzipSync(text), headers: { 'content-encoding': 'gzip' }, refused: MALFORMED },
  { what: 'with __proto__', body: (text) => adding(text, '"__proto__":{"status":"listed"}'), refused: MALFORMED },
  { what: 'with __proto__ escaped', body: (text) => adding(text, '"\\u005f_proto__":{}'), refused: MALFORMED },
  {
    what: 'with __proto__ deep in it',
    body: (text) => adding(text, '"a":[{"b":{"__proto__":1}}]'),
    refused: MALFORMED,
  },
  {
    what: 'with constructor.prototype',
    body: (text) => adding(text, '"constructor":{"prototype":{}}'),
    refused: MALFORMED,
  },
  {
    what: 'with a constructor',
    body: (text) => adding(text, '"constructor":{"name":"Object"}'),
    refused: invalid('constructor'),
  },
  {
    what: 'with a mark of its byte order and a field too many',
    body: (text) => `\ufeff${adding(text, '"a":1')}`,
    refused: invalid('a'),
  },
  {
    what: 'with deep objects in a field too many',
    body: (text) => adding(text, `"a":${deepObjects}`),
    refused: invalid('a'),
  },
  { what: 'with a field too many, twice', body: (text) => adding(text, '"a":1,"a":2'), refused: invalid('a') },
  { what: 'null', body: () => 'null', refused: invalid('') },
  { what: 'true', body: () => 'true', refused: invalid('') },
  { what: 'of a number with 400 digits', body: () => '9'.repeat(400), refused: invalid('') },
  { what: 'of text', body: (text) => JSON.stringify(text), refused: invalid('') },
  { what: 'an empty list', body: () => '[]', refused: invalid('') },
  { what: 'in a list', body: (text) => `[${text}]`, refused: invalid('') },
  { what: 'of more values than any body has', body: () => `[${'0,'.repeat(20_000)}0]`, refused: invalid('') },
  {
    what: 'of more values than any body has, and never closed',
    body: () => '['.repeat(20_000),
    refused: invalid(''),
  },
  { what: 'of deep lists', body: () => `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`, refused: invalid('') },
];

/** The fields that an object has to have, where it has to have some. */
const NEEDED_WITHIN: Readonly<Record<string, readonly string[]>> = { keys: ['keys.auth', 'keys.p256dh'] };

/** Faults of bodies that an operation needs. */
const IN_NEEDED_BODY: WrongBody[] = [
  { what: 'empty', body: () => '', refused: invalid('') },
  {
    what: 'whose every field is null',
    body: (_text, draft) =>
      `{${fieldNames(draft)
        .map((name) => `"${name}":null`)
        .join(',')}}`,
    refused: (draft) => invalid(...filledNames(draft)),
  },
  {
    // A name given twice means its last value, as everywhere in JavaScript.
    what: 'whose fields are right first and then wrong',
    body: (text, draft) =>
      adding(
        text,
        fieldNames(draft)
          .map((name) => `"${name}":${takesObjects(draft, name) ? '[]' : '{}'}`)
          .join(','),
      ),
    refused: (draft) => invalid(...fieldNames(draft)),
  },
  {
    what: 'whose every field holds deep objects',
    body: (_text, draft) =>
      `{${fieldNames(draft)
        .map((name) => `"${name}":${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)
        .join(',')}}`,
    refused: (draft) =>
      invalid(
        ...fieldNames(draft).flatMap((name) =>
          takesObjects(draft, name) ? [`${name}.a`, ...(NEEDED_WITHIN[name] ?? [])] : [name],
        ),
      ),
  },
];

/** Where no field has to be there, some of them do: a proof is missed by a name, a way by its ends, a profile as a whole. */
const MISSED: Readonly<Record<string, readonly string[]>> = {
  confirmLeg: ['signature'],
  quote: ['destLat', 'destLng', 'originLat', 'originLng'],
};

/** The fault of bodies that need some field. */
const WITHOUT_FIELD: WrongBody = {
  what: 'without any field',
  body: () => '{}',
  refused: (draft) => {
    const missed = MISSED[draft.operation.name] ?? [''];
    return invalid(...(requiredNames(draft).length > 0 ? requiredNames(draft) : missed));
  },
};

/** One of each way in which the parser refuses: every operation gets these, and the first of each kind of operation all. */
const IN_EVERY_BODY: ReadonlySet<string> = new Set([
  'of type "text/plain"',
  'of type ""',
  'of a megabyte or two',
  'cut in half',
  'with a byte that is no UTF-8',
  'with __proto__ deep in it',
  'with a constructor',
  'with a field too many, twice',
  'null',
  'in a list',
]);
const kindOf = ({ name, takesBody }: Described) => `${takesBody} ${contractOf(name)?.bodyLimit}`;
const isFirstOfItsKind = (operation: Described) =>
  posts.find((other) => kindOf(other) === kindOf(operation)) === operation;

function faultsOf(operation: Described): WrongBody[] {
  const { name, takesBody } = operation;
  const any = IN_ANY_BODY.filter(({ what }) => IN_EVERY_BODY.has(what) || isFirstOfItsKind(operation));
  if (!takesBody) return any;
  const mayBeEmpty = contractOf(name)?.body?.safeParse({}).success === true;
  return [...any, ...IN_NEEDED_BODY, ...(mayBeEmpty ? [] : [WITHOUT_FIELD])];
}

describe('a wrong body is refused and changes nothing', () => {
  test.each(posts)('sent to $name', async (operation) => {
    const draft = right(operation);
    const text = bodyOf(draft)?.toString() ?? '{}';
    const faults = faultsOf(operation);
    const wrongs = faults.map(({ what, body, headers, refused }) => ({
      what,
      draft: { ...draft, body: body(text, draft), ...(headers && { headers }) },
      refused: typeof refused === 'function' ? refused(draft) : refused,
    }));
    expect(await outcomeOf(service.current, world, wrongs)).toEqual(allRefused(wrongs));
  });
});

/** Sends a request and ends the connection before the body it announced is there; gives back what is answered. */
async function sendCutOff(draft: Draft): Promise<string> {
  const { port, host } = new URL(service.current.server.url);
  const body = String(bodyOf(draft));
  const headers = { host, ...(await headersOf(service.current, draft)), 'content-length': String(body.length + 1) };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.end(`${draft.operation.method} ${targetOf(draft)} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`),
    );
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}

describe('a body whose connection ends before it does', () => {
  test.each(withBody)('is refused by $name and changes nothing', async (operation) => {
    const before = await snapshot(service.current, walletsOf(world));
    const answer = await sendCutOff(right(operation));
    expect(answer.split('\r\n', 1)).toEqual(['HTTP/1.1 400 Bad Request']);
    expect(answer).toContain('application/problem+json');
    expect(changesBetween(before, await snapshot(service.current, walletsOf(world)))).toEqual([]);
  });
});

test('every operation that takes no body takes an empty one, and no body at all', async () => {
  for (const operation of posts.filter(({ takesBody }) => !takesBody)) {
    for (const body of [undefined, '', '{}']) {
      // One that was taken away is gone.
      if (operation.name.includes('Webhook')) {
        world.webhookId = (await world.courier.client.registerWebhook({ url: world.receiverUrl })).id;
      }
      const answer = await send(service.current, { ...right(operation), body });
      expect({ name: operation.name, status: answer.status }).toEqual({
        name: operation.name,
        status: operation.success,
      });
    }
  }
});
