import { RefusedError } from './toolResult.js';
import type { ListedTool } from './serviceMcp.js';

/** Arguments that name the wallet for which a tool acts. */
const OWN_ARGUMENTS: ReadonlySet<string> = new Set(['agentPubkey', 'shipperPubkey']);

/** Reports whether an argument of this name is the own wallet where it is left out. */
export const isOwnArgument = (name: string): boolean => OWN_ARGUMENTS.has(name);

type Arguments = Readonly<Record<string, unknown>>;

/** The tool as the bridge lists it: the own wallet may be left out. */
export function withOwnKey(tool: ListedTool): ListedTool {
  const { properties = {}, required = [] } = tool.inputSchema;
  const own = Object.keys(properties).filter(isOwnArgument);
  if (own.length === 0) return tool;
  const shown = own.map((name) => [name, { type: 'string', description: 'default: your wallet' }] as const);
  const inputSchema = {
    ...tool.inputSchema,
    properties: { ...properties, ...Object.fromEntries(shown) },
    required: required.filter((name) => !own.includes(name)),
  };
  return { ...tool, inputSchema };
}

/**
 * The arguments with the own wallet where none is named. Rule A-71.
 *
 * @param names all arguments that there are
 * @throws {RefusedError} when the call would act in the name of another
 */
export function inOwnName(names: readonly string[], args: Arguments, own: string, onlyReads: boolean): Arguments {
  const filled: Record<string, unknown> = { ...args };
  for (const name of names.filter(isOwnArgument)) {
    filled[name] ??= own;
    if (filled[name] === own || onlyReads) continue;
    throw new RefusedError(
      'not_your_key',
      `${name} is another wallet; here everything is signed by ${own}`,
      `Leave ${name} out.`,
    );
  }
  return filled;
}
