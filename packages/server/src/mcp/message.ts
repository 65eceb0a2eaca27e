import { RelayError } from '@legwork/protocol/contract';
import { readJsonText } from '../api/rawBody.js';

/** Methods of MCP that ask something of the market; the others are answered from what never changes. */
const COUNTED = new Set(['tools/call', 'resources/read']);

/** The body of a request to `/mcp`, read as JSON. */
export type ParsedMessage = { ok: true; body: unknown } | { ok: false; problem: string };

export function parseMessage(bytes: Buffer = Buffer.alloc(0)): ParsedMessage {
  try {
    return { ok: true, body: JSON.parse(readJsonText(bytes)) };
  } catch (error) {
    const problem = error instanceof RelayError ? error.message : 'the body is not JSON';
    return { ok: false, problem: `Parse error: ${problem}` };
  }
}

/** Most messages of a batch, which older clients may send. Rule S-37. */
export const MAX_BATCH = 10;

/** How many messages a body holds, and how many of them are calls. */
export function countMessages(body: unknown): { messages: number; calls: number } {
  const parts: unknown[] = Array.isArray(body) ? body : [body];
  return { messages: parts.length, calls: parts.filter((part) => isRequest(part) && COUNTED.has(part.method)).length };
}

function isRequest(part: unknown): part is { method: string } {
  return typeof part === 'object' && part !== null && 'method' in part && typeof part.method === 'string';
}
