import { Command, Option } from 'commander';
import type { ExportOptions, MarkPaidOptions } from '../rewards/claims.js';
import type { VerifyOptions } from '../rewards/verifyClaims.js';
import { complain } from '../screen.js';

const HELP = `
export and mark-paid need ADMIN_KEY in the environment, the one that the service was started with. verify needs no key
and no service. docs/operators/rewards.md shows the three in order.`;

const VERIFY_HELP = `
Exit code 0: every figure is what the ledger says; 1: differences, a line each; 2: it could not do its work.

The ledger knows nothing of payout keys and of what was paid on mainnet: --sha256 says whether the file is the one
that was exported.

Example:
  legwork rewards verify --csv claims.csv --rpc-url http://127.0.0.1:8899 --program-id PROGRAM`;

/** Exit code of a command that could not do its work. */
const NOT_DONE = 2;

/** `legwork rewards …`: what the organiser of a reward programme does after the claim window. */
export function rewardsCommand(): Command {
  return new Command('rewards')
    .description('export reward claims, verify them against the ledger, mark them as paid')
    .addHelpText('after', HELP)
    .addCommand(exportCommand())
    .addCommand(verifyCommand())
    .addCommand(markPaidCommand());
}

function urlOption(): Option {
  return new Option('--url <address>', 'address of the service').default('http://127.0.0.1:8080');
}

const json = () => new Option('--json', 'print one line of JSON').default(false);

function exportCommand(): Command {
  return new Command('export')
    .description('write every claim, by rank, to a CSV file and print its sha256')
    .addOption(urlOption())
    .option('--out <file>', 'where to', 'reward-claims.csv')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  legwork rewards export --out claims.csv')
    .action((options: ExportOptions) =>
      orNotDone(options, async () => {
        const { exportClaims } = await import('../rewards/claims.js');
        return exportClaims(options, process.env);
      }),
    );
}

function verifyCommand(): Command {
  return new Command('verify')
    .description('recompute every figure of an export from the ledger alone')
    .requiredOption('--csv <file>', 'the export')
    .addOption(new Option('--rpc-url <url>', 'JSON-RPC of the ledger').env('SOLANA_RPC_URL').makeOptionMandatory())
    .addOption(new Option('--program-id <address>', 'the program').env('RELAY_PROGRAM_ID').makeOptionMandatory())
    .option('--sha256 <hex>', 'sha256 that the export printed')
    .addOption(json())
    .addHelpText('after', VERIFY_HELP)
    .action((options: VerifyOptions) =>
      orNotDone(options, async () => {
        const { verifyClaims } = await import('../rewards/verifyClaims.js');
        return verifyClaims(options);
      }),
    );
}

function markPaidCommand(): Command {
  return new Command('mark-paid')
    .description('record which mainnet transactions paid which claims; safe to repeat')
    .addOption(urlOption())
    .addOption(
      new Option('--file <file>', 'lines of a claim id, a comma and a signature, instead of the two arguments'),
    )
    .argument('[claimId]', 'of the claim')
    .argument('[signature]', 'of the transaction that paid it')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  legwork rewards mark-paid --file payouts.csv')
    .action((claimId: string | undefined, signature: string | undefined, options: MarkPaidOptions, command: Command) =>
      orNotDone(options, async () => {
        await checkArguments(command, claimId, signature);
        const { markPaid } = await import('../rewards/claims.js');
        return markPaid({ ...options, claimId, signature }, process.env);
      }),
    );
}

/** Refuses as commander does. Not an argParser, which is synchronous: only this command loads what knows UUIDs. */
async function checkArguments(command: Command, claimId?: string, signature?: string): Promise<void> {
  const [{ isClaimId }, { isSignature }] = await Promise.all([
    import('../rewards/payouts.js'),
    import('@legwork/protocol/contract'),
  ]);
  const refuse = (value: string, name: string, rule: string) =>
    command.error(`error: command-argument value '${value}' is invalid for argument '${name}'. ${rule}`);
  if (claimId !== undefined && !isClaimId(claimId)) refuse(claimId, 'claimId', 'It must be a UUID.');
  if (signature !== undefined && !isSignature(signature)) {
    refuse(signature, 'signature', 'It must be a transaction signature in base58.');
  }
}

/** Sets the exit code of the process to the result of `work`; an error means that it could not do its work. */
async function orNotDone(options: { readonly json: boolean }, work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    complain(error, options.json);
    process.exitCode = NOT_DONE;
  }
}
