import { Command, Option } from 'commander';
import type { SetOptions } from '../coordinator/setCoordinator.js';

const HELP = `
It takes effect at once: the service must be started with the new key before it can form or settle anything again.
Safe to repeat. Credentials that the former coordinator issued keep verifying. docs/operators/upgrading.md has the
order of things.

Example:
  legwork coordinator set --data .data --coordinator hot.json

  legwork coordinator set --authority cold.json --coordinator hot.json --rpc-url https://api.devnet.solana.com --program-id <address>`;

/** `legwork coordinator …`: the service's hot key. */
export function coordinatorCommand(): Command {
  return new Command('coordinator').description("change the service's hot key").addCommand(setCommand());
}

function setCommand(): Command {
  return new Command('set')
    .description('set another coordinator, signed by the authority')
    .requiredOption('--coordinator <key>', "the new hot key's address or key file; a file is made if missing")
    .option('--authority <file>', "key file of the authority (with --data: the embedded ledger's)")
    .addOption(new Option('--rpc-url <url>', 'JSON-RPC of the cluster').env('SOLANA_RPC_URL'))
    .addOption(new Option('--program-id <address>', 'the program').env('RELAY_PROGRAM_ID'))
    .option('--data <folder>', 'data folder of legwork start, whose own ledger and key file are changed')
    .option('--json', 'print one line of JSON', false)
    .addHelpText('after', HELP)
    .action(async (options: SetOptions) => {
      const { runSetCoordinator } = await import('../coordinator/setCoordinator.js');
      await runSetCoordinator(options);
    });
}
