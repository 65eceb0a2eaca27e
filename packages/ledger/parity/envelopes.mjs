// Faults before any method: bodies that are no request, ids, batches.
import { post } from './rpc.mjs';

const health = { jsonrpc: '2.0', id: 1, method: 'getHealth' };

const BODIES = {
  'no JSON': '{"jsonrpc":',
  empty: '',
  'empty batch': '[]',
  'a number': '5',
  null: 'null',
  'a text': '"getHealth"',
  'version 1': { ...health, jsonrpc: '1.0' },
  'no version': { id: 1, method: 'getHealth' },
  'version is a number': { ...health, jsonrpc: 2 },
  'no method': { jsonrpc: '2.0', id: 1 },
  'method is a number': { ...health, method: 7 },
  'method of another case': { ...health, method: 'gethealth' },
  'parameters are null': { ...health, params: null },
  'parameters are text': { ...health, params: 'x' },
  'parameters are a number': { ...health, params: 5 },
  'parameters are an empty object': { ...health, params: {} },
  'unknown field': { ...health, more: 1 },
  'id is a text': { ...health, id: 'a' },
  'id is null': { ...health, id: null },
  'id is a fraction': { ...health, id: 1.5 },
  'id is negative': { ...health, id: -1 },
  'id is a boolean': { ...health, id: true },
  'id is a list': { ...health, id: [1] },
  'id is an object': { ...health, id: {} },
  'id of 64 bits': '{"jsonrpc":"2.0","id":18446744073709551615,"method":"getHealth"}',
  'no id': { jsonrpc: '2.0', method: 'getHealth' },
  'method twice': '{"jsonrpc":"2.0","id":1,"method":"getSlot","method":"getHealth"}',
  'white space around': ` ${JSON.stringify(health)} \n`,
  'something behind': `${JSON.stringify(health)} x`,
  'batch of two': [health, { ...health, id: 2 }],
  'batch with a wrong one': [health, { ...health, id: 2, method: 'nope' }, 5],
  'batch of notifications': [{ jsonrpc: '2.0', method: 'getHealth' }],
  'batch with a notification': [health, { jsonrpc: '2.0', method: 'getHealth' }],
  'batch in a batch': [[health]],
  'a thousand and one': Array.from({ length: 1_001 }, () => health),
  '60 KiB': { ...health, params: ['x'.repeat(60 * 1024)] },
  'four-byte character': { ...health, id: '\u{1F600}' },
};

/** @returns `{ method, label, answer }` each, with the HTTP status in the answer */
export async function envelopeAnswers({ target }) {
  const rows = [];
  for (const [label, body] of Object.entries(BODIES)) {
    const { status, answer } = await post(target, body);
    const brief = Array.isArray(answer) && answer.length > 10 ? answer.slice(0, 1) : answer;
    rows.push({ method: 'the envelope', label, answer: { result: { status, answer: brief } } });
  }
  return rows;
}
