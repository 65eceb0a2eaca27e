import {
  type FieldError,
  isTool,
  type Operation,
  operations,
  LegworkError,
  toolAnswer,
  toolInput,
  type ToolOperation,
  toolPageSize,
} from '@legwork/protocol/contract';
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { clip, parseInput } from '../api/parseInput.js';
import type { Run } from '../operations/run.js';
import type { Runs } from '../operations/index.js';

/** An operation ready to be called as a tool. */
export interface Tool {
  /** The operation's contract; the page size of a list is the tools' own. */
  contract: ToolOperation;
  run: Run<Operation>;
  /** The schema of the answer in the form of a tool. */
  answer: z.ZodType;
  /** The answer is a list, which gets an envelope. */
  list: boolean;
  /** The names of all arguments, and of those that travel in path and query. */
  names: { all: string[]; params: Set<string>; query: Set<string> };
}

/** How many names the refusal of an unknown one suggests. */
const SUGGESTED = 3;
/** Most characters of a name that a refusal shows; longer ones are another word altogether. */
const MAX_NAME = 64;

export type Tools = ReadonlyMap<string, Tool>;

/** Every operation that is a tool, by the tool's name, in the order of the contracts. */
export function loadTools(runs: Runs): Tools {
  const implementations: Record<string, Run<Operation>> = runs;
  const tools = new Map<string, Tool>();
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const run = implementations[name];
    if (isTool(operation) && run !== undefined) tools.set(operation.tool.name, asTool(operation, run));
  }
  return tools;
}

function asTool(operation: ToolOperation, run: Run<Operation>): Tool {
  const { params, query, paged } = operation;
  const names = {
    params: new Set(Object.keys(params?.shape ?? {})),
    query: new Set(Object.keys(query?.shape ?? {})),
    all: Object.keys(toolInput(operation).shape),
  };
  return {
    contract: paged ? { ...operation, query: query?.safeExtend({ limit: toolPageSize }) } : operation,
    run,
    answer: toolAnswer(operation),
    list: (operation.tool.answer ?? operation.answer) instanceof z.ZodArray,
    names,
  };
}

/**
 * The decoded input of the operation behind a tool, checked by the operation's own contract. Rule S-35.
 *
 * @throws LegworkError `invalid_input` that names every wrong or unknown argument (the first 20)
 */
export function parseArguments(tool: Tool, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { contract, names } = tool;
  const parts = { params: {}, query: {}, body: contract.body === undefined ? undefined : {} };
  const wrong: FieldError[] = [];
  const unknown = `is no argument of ${contract.tool.name}; ${listing(names.all)}`;
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

function listing(names: readonly string[]): string {
  return names.length === 0 ? 'it takes none' : `there is ${names.join(', ')}`;
}

/** The refusal of a name that no tool has, with the names most like it. Rule S-36. */
export function unknownTool(tools: Tools, name: string): LegworkError {
  const shown = name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}…`;
  const nearest = nearestNames(name, tools.keys(), SUGGESTED).join(', ');
  return LegworkError.field(
    'unknown_tool',
    'tool',
    `there is no tool ${JSON.stringify(shown)}; the nearest are ${nearest}`,
  );
}

/** The `count` known names that are most like the given one, nearest first. */
function nearestNames(given: string, known: Iterable<string>, count: number): string[] {
  const clipped = given.slice(0, MAX_NAME).toLowerCase();
  return [...known]
    .map((name) => ({ name, distance: distance(clipped, name) }))
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, count)
    .map(({ name }) => name);
}
