import type { FieldError } from '@legwork/protocol/contract';
import { clip, parseInput } from '../api/parseInput.js';
import type { Tool } from './tools.js';

/**
 * The decoded input of the operation behind a tool, judged by the operation's own contract. Rule S-35.
 *
 * @throws RelayError `invalid_input` that names every wrong or unknown argument (the first 20)
 */
export function parseArguments(tool: Tool, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { contract, names } = tool;
  const parts = { params: {}, query: {}, body: contract.body === undefined ? undefined : {} };
  const wrong: FieldError[] = [];
  const unknown = `is no argument of ${contract.tool.name}; ${telling(names.all)}`;
  for (const [name, value] of Object.entries(given)) {
    if (names.query.has(name) && Array.isArray(value))
      wrong.push({ field: name, message: 'must be one value, not a list' });
    else if (names.params.has(name)) Object.assign(parts.params, { [name]: value });
    else if (names.query.has(name)) Object.assign(parts.query, { [name]: value });
    else if (names.all.includes(name) && parts.body) Object.assign(parts.body, { [name]: value });
    else wrong.push({ field: clip(name), message: unknown });
  }
  return parseInput(contract, parts, wrong);
}

function telling(names: readonly string[]): string {
  return names.length === 0 ? 'it takes none' : `there is ${names.join(', ')}`;
}
