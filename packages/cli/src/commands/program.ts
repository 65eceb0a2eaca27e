import { Command, InvalidArgumentError, Option } from 'commander';
import type { AssetOptions, DeployOptions } from '../deploy/deploy.js';
import { PROGRAM_FILE } from '../paths.js';

const HELP = `
The payer becomes the program's upgrade authority. Run it again after an interruption: it goes on where it
stopped, and sends nothing when all is done. With other program bytes it upgrades.

Example:
  legwork program deploy --url https://api.devnet.solana.com --keypair payer.json`;

/** `legwork program …`: work on the on-chain program itself. */
export function programCommand(): Command {
  return new Command('program')
    .description('deploy the on-chain program, and set which assets listings can be paid in')
    .addCommand(deployCommand())
    .addCommand(assetCommand());
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
    .option('--json', 'print one line of JSON; how it goes is on standard error', false)
    .addHelpText('after', HELP)
    .action(async (options: DeployOptions) => {
      const { deploy } = await import('../deploy/deploy.js');
      await deploy(options);
    });
}

const ASSET_HELP = `
A token of the classic Token program becomes what listings can be paid in. It keeps its number and its mint;
run it again with --close, and no new listing takes it, while what is listed goes on. Services list in what
their ASSETS names, such as ASSETS=usdc:1.

Example:
  legwork program asset --url https://api.devnet.solana.com --program PROGRAM --authority authority.json \\
    --number 1 --mint 4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU --least 10000`;

function assetCommand(): Command {
  return new Command('asset')
    .description('register a token as an asset of the program, or open or close it')
    .addOption(new Option('--url <rpc>', 'JSON-RPC of the cluster').argParser(parseRpcUrl).makeOptionMandatory())
    .requiredOption('--program <address>', 'address of the program')
    .requiredOption('--authority <file>', "key file of the program's authority, which signs and pays")
    .addOption(
      new Option('--number <n>', 'number of the asset, 1 to 255').argParser(parseWhole(1, 255)).makeOptionMandatory(),
    )
    .requiredOption('--mint <address>', 'mint of the token')
    .addOption(
      new Option('--least <units>', 'least budget and stake, base units of the token')
        .argParser(parseWhole(1, Number.MAX_SAFE_INTEGER))
        .makeOptionMandatory(),
    )
    .option('--close', 'stop new listings in it', false)
    .option('--json', 'print one line of JSON', false)
    .addHelpText('after', ASSET_HELP)
    .action(async (options: AssetOptions) => {
      const { nameAsset } = await import('../deploy/deploy.js');
      await nameAsset(options);
    });
}

const parseWhole = (least: number, most: number) => (text: string) => {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
};

function parseRpcUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:8899.');
}
