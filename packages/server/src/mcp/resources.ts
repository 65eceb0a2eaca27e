import { type Operation, type OperationName, operations } from '@legwork/protocol/contract';
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, UriTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { AppContext } from '../context.js';
import { parseInput } from '../api/parseInput.js';
import { toLegworkError } from '../api/problems.js';
import type { Caller, Run } from '../operations/run.js';
import type { Runs } from '../operations/index.js';

const MIME_TYPE = 'application/json';
/** No resource has a longer address. */
const MAX_URI = 500;

/** The resources and the operations that read them; the variable of an address is the operation's path parameter. Rule S-37. */
const RESOURCES = [
  {
    name: 'package',
    uri: 'relay://packages/{packageId}',
    title: 'A package with its swarm and legs',
    by: 'getPackage',
  },
  {
    name: 'digital-task',
    uri: 'relay://digital-tasks/{taskId}',
    title: 'A digital task with its legs and whole results',
    by: 'getDigitalTask',
  },
  { name: 'agent', uri: 'relay://agents/{agentPubkey}', title: 'An agent with reputation and history', by: 'getAgent' },
] as const satisfies { name: string; uri: string; title: string; by: OperationName }[];

/** The templates as MCP lists them. */
export const RESOURCE_TEMPLATES = RESOURCES.map(({ name, uri, title, by }) => ({
  name,
  uriTemplate: uri,
  title,
  description: operations[by].description,
  mimeType: MIME_TYPE,
}));

/**
 * Reads a resource: the JSON that the operation answers over REST.
 *
 * @throws ProtocolError -32602 when the address fits no template or there is nothing at it
 */
export async function readResource(context: AppContext, runs: Runs, uri: string, caller: Caller) {
  const { by, params } = resourceAt(uri);
  const contract: Operation = operations[by];
  const implementations: Record<string, Run<Operation> | undefined> = runs;
  try {
    const outcome = await implementations[by]?.(
      context,
      parseInput(contract, { params, query: {}, body: undefined }),
      caller,
    );
    const text = JSON.stringify(z.encode(contract.answer, outcome?.answer));
    return { contents: [{ uri, mimeType: MIME_TYPE, text }] };
  } catch (error) {
    if (toLegworkError(error).code === 'not_found') throw new ResourceNotFoundError(uri);
    throw notRead(context, error, { uri });
  }
}

/** The refusal of what cannot be read. Of faults of the service it tells what REST does, and the log has the rest. */
export function notRead({ log }: Pick<AppContext, 'log'>, error: unknown, about: object): ProtocolError {
  const { code, status, message } = toLegworkError(error);
  const asked = status < 500;
  if (!asked) log.warn({ err: error, ...about }, 'not read over MCP');
  return new ProtocolError(asked ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, message, {
    code,
  });
}

/** @throws ProtocolError -32602 when the address fits no template */
export function requireResource(uri: string): void {
  resourceAt(uri);
}

/** The addresses of what has changed. */
export function resourceUris(about: Record<string, string | undefined>): string[] {
  return RESOURCES.flatMap(({ uri }) => {
    const [, name = ''] = /\{(\w+)\}/.exec(uri) ?? [];
    const value = about[name];
    return value === undefined ? [] : [uri.replace(`{${name}}`, value)];
  });
}

function resourceAt(uri: string): { by: OperationName; params: object } {
  for (const resource of RESOURCES) {
    const params = uri.length <= MAX_URI ? new UriTemplate(resource.uri).match(uri) : null;
    if (params !== null) return { by: resource.by, params };
  }
  const known = RESOURCES.map((resource) => resource.uri).join(', ');
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such resource; there is ${known}.`);
}
