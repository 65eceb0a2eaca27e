import { Command, InvalidArgumentError, Option } from 'commander';
import type { DeployOptions } from '../deploy/deploy.js';
import { PROGRAM_FILE } from '../paths.js';

const HELP = `
The payer becomes the program's upgrade authority. Run it again after an interruption: it goes on where it
stopped, and sends nothing when all is done. With other program bytes it upgrades.

Example:
  legwork program deploy --url https://api.devnet.solana.com --keypair payer.json`;

/** `legwork program …`: work on the on-chain program itself. */
export function programCommand(): Command {
  return new Command('program').description('deploy the on-chain program').addCommand(deployCommand());
}

function deployCommand(): Command {
  return new Command('deploy')
    .description('deploy the program on a cluster, or upgrade it, and name its authority and coordinator')
    .addOption(new Option('--url <rpc>', 'JSON-RPC of the cluster').argParser(parseRpcUrl).makeOptionMandatory())
    .requiredOption('--keypair <file>', 'key file of the payer: fees, rent, later upgrades')
    .option(
      '--program-keypair <file>',
      "key file whose address is the program's; made if missing",
      'relay-program.json',
    )
    .option('--authority <key>', "the cold key's address or key file (default: the payer)")
    .option(
      '--coordinator <key>',
      "the hot key's address or key file; a file is made if missing",
      'relay-coordinator.json',
    )
    .option('--so <file>', 'the built program (default: the one that comes with this version)', PROGRAM_FILE)
    .addHelpText('after', HELP)
    .action(async (options: DeployOptions) => {
      const { deploy } = await import('../deploy/deploy.js');
      await deploy(options);
    });
}

function parseRpcUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:8899.');
}
