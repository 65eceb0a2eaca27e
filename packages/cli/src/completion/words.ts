import { type Command, Help, type Option } from 'commander';

/** A word that can be typed next. */
export interface Word {
  readonly word: string;
  readonly means: string;
}

/** A command, as its words are completed. */
export interface Completed {
  /** `legwork post package`. */
  readonly path: string;
  /** Commands under it, and what its first argument can be. */
  readonly words: readonly Word[];
  readonly options: readonly (Word & {
    /** Undefined: it takes no value; empty: any, so files are offered. */
    readonly values: readonly string[] | undefined;
  })[];
}

const help = new Help();

/** Every command, from the tree that also writes the help. */
export function completed(command: Command, before: readonly string[] = []): Completed[] {
  const path = [...before, command.name()];
  const under = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  const [argument] = command.registeredArguments;
  const words = [
    ...under.map((one) => ({ word: one.name(), means: one.description() })),
    ...(argument?.argChoices ?? []).map((word) => ({ word, means: argument?.description ?? '' })),
  ];
  const options = help.visibleOptions(command).flatMap(completedOption);
  return [{ path: path.join(' '), words, options }, ...under.flatMap((one) => completed(one, path))];
}

function completedOption({ long, description, argChoices, required, optional }: Option) {
  const values = required || optional ? (argChoices ?? []) : undefined;
  return long ? [{ word: long, means: description, values }] : [];
}
