import { Argument, Command } from 'commander';
import { print } from '../screen.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const HELP = `
There is no --json: it prints a script. Print it again after an update.

Example:
  legwork completion bash > ~/.local/share/bash-completion/completions/legwork

  legwork completion zsh  > a file _legwork in a folder of $fpath
  legwork completion fish > ~/.config/fish/completions/legwork.fish`;

/** `legwork completion SHELL`. Rule A-178. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('print a script by which a shell completes commands, options and their values')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText('after', HELP)
    .action(async (shell: (typeof SHELLS)[number], _options: object, command: Command) => {
      const { SCRIPTS } = await import('../completion/scripts.js');
      const { completed } = await import('../completion/words.js');
      if (command.parent) await print(SCRIPTS[shell](completed(command.parent)));
    });
}
