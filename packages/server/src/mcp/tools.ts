import { isTool, type Operation, operations, toolAnswer, toolPageSize } from '@legwork/protocol/contract';
import type { ToolOperation } from '@legwork/protocol/contract';
import { z } from 'zod';
import type { Run } from '../operations/run.js';
import type { Runs } from '../operations/index.js';

/** An operation ready to be called as a tool. */
export interface Tool {
  /** The operation's contract; the page size of a list is the tools' own. */
  contract: ToolOperation;
  run: Run<Operation>;
  /** Of the answer, in the form a tool gives it. */
  answer: z.ZodType;
  /** Whether the answer is a list and gets its envelope. */
  list: boolean;
  /** The names of all arguments, and of those that travel in path and query. */
  names: { all: string[]; params: Set<string>; query: Set<string> };
}

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
  const { params, query, body, paged } = operation;
  const names = {
    params: new Set(Object.keys(params?.shape ?? {})),
    query: new Set(Object.keys(query?.shape ?? {})),
    all: [params, query, body].flatMap((schema) => Object.keys(schema?.shape ?? {})),
  };
  return {
    contract: paged ? { ...operation, query: query?.safeExtend({ limit: toolPageSize }) } : operation,
    run,
    answer: toolAnswer(operation),
    list: (operation.tool.answer ?? operation.answer) instanceof z.ZodArray,
    names,
  };
}
