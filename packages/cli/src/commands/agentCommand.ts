import { Argument, Command, Option } from 'commander';
import type { SettingOptions } from '@legwork/agents';
import type { Act } from '../agent/runAct.js';
import { parseAmount, parseId, parsePlace, wholeBetween } from '../optionValues.js';

/** The options of every command, and its data folder. */
export interface CommandOptions extends SettingOptions {
  readonly data?: string;
}

/** A command of an agent. Its arguments and options reach what it does by their names. */
export interface AgentCommand {
  readonly name: string;
  /** Without the program; ids and files of one's own in capitals. */
  readonly example: string;
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Where and as whom it acts where its options do not say. */
  readonly usual?: (given: CommandOptions) => Promise<Pick<CommandOptions, 'url' | 'key'>>;
  /** Its action; loaded when it is run. */
  readonly load: () => Promise<Act>;
  /** Commands under it; what is none of their names is its own argument. */
  readonly commands?: readonly AgentCommand[];
}

export const id = (name: string, meaning: string) => new Argument(`<${name}>`, meaning).argParser(parseId);
export const file = new Argument('[file]', 'the key file; left out, the one of the settings');
export const option = (flags: string, meaning: string) => new Option(flags, meaning);
export const amount = (flags: string, meaning: string) => option(flags, meaning).argParser(parseAmount);
export const place = (flags: string, meaning: string) => option(flags, meaning).argParser(parsePlace);
export const whole = (flags: string, meaning: string, least: number, most: number) =>
  option(flags, meaning).argParser(wholeBetween(least, most));
export const evenBeforePickup = option(
  '--even-before-pickup',
  'pay without asking, even before the parcel is picked up',
);
export const needed = (given: Option) => given.makeOptionMandatory();
/** A command of commands. */
export function group(name: string, summary: string, commands: readonly AgentCommand[]): Command {
  const parent = new Command(name).description(summary);
  for (const command of commands) parent.addCommand(agentCommand(command));
  return parent;
}

/** A command for an agent. */
export function agentCommand({
  name,
  example,
  summary,
  arguments: args = [],
  options = [],
  usual,
  load,
  commands = [],
}: AgentCommand): Command {
  const command = new Command(name).description(summary).addHelpText('after', `\nExample:\n  legwork ${example}`);
  for (const argument of args) command.addArgument(argument);
  for (const given of [...options, ...settings()]) command.addOption(given);
  // Their options are theirs, though they have the same names.
  if (commands.length > 0) command.enablePositionalOptions();
  for (const under of commands) command.addCommand(agentCommand(under));
  return command.action(async () => {
    const named = args.map((argument, index) => [argument.name(), command.processedArgs[index] as unknown]);
    const { runAct } = await import('../agent/runAct.js');
    const given = { ...(await usual?.(command.opts())), ...command.opts() };
    process.exitCode = await runAct(await load(), given, { ...given, ...Object.fromEntries(named) });
  });
}

/** The options that every command of an agent takes. */
function settings(): Option[] {
  return [
    option('--url <address>', 'address of the service').env('LEGWORK_URL'),
    option('--key <file>', 'your key file').env('LEGWORK_KEY'),
    option('--policy <file>', 'policy file with service, key and limits (default: ./legwork.yaml)'),
    option('--json', 'print one line of JSON'),
  ];
}
