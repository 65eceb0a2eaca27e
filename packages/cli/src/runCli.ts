import { readFileSync } from 'node:fs';
import { Command, CommanderError, Help } from 'commander';
import { agentCommands } from './commands/agent.js';
import { auditCommand } from './commands/audit.js';
import { completionCommand } from './commands/completion.js';
import { coordinatorCommand } from './commands/coordinator.js';
import { daemonCommand } from './commands/daemon.js';
import { initCommand } from './commands/init.js';
import { ledgerCommand } from './commands/ledger.js';
import { mcpCommand } from './commands/mcp.js';
import { programCommand } from './commands/program.js';
import { rewardsCommand } from './commands/rewards.js';
import { serveCommand } from './commands/serve.js';
import { startCommand } from './commands/start.js';
import { MANIFEST_FILE } from './paths.js';
import { complain, EXIT, isUsage } from './screen.js';

const HELP = `
Start here:
  legwork start              run everything on this machine, kept in ./.data
  legwork start --ephemeral  the same in a temporary folder, to try things out
  legwork init courier DIR   create a project: a courier, a worker or a shipper

For agents:
  legwork key new            make a key, kept in your configuration folder
  legwork register           register it as an agent
  legwork due                what is waiting for you, and by when
  legwork packages, bid      find packages and bid; handoff signs for a parcel you received
  legwork turns, move        legs with terms: whose clock is running, and your moves
  legwork tasks, claim       find digital tasks and claim legs; done hands in, release gives back
  legwork verify             judge results of tasks with your command, your server or a model
  legwork post package|task  post a package or a task; cancel and reclaim end it
  legwork exit               get your money out without any service, with an RPC alone
  legwork receipts ID|FILE   who had it when, with proofs checked here
  legwork watch              follow events, or one package or task to its end, in words
  legwork open ID            the page of a package, task, agent or transaction
  legwork courier            carry packages by a policy file, day and night
  legwork worker             do legs of digital tasks by a policy file
  legwork mcp --key ada.json MCP for a model, signed with a key that the model never sees; mcp config tells its host

For operators:
  legwork serve              run the service alone, on your own PostgreSQL and cluster
  legwork program deploy     deploy the on-chain program on any cluster
  legwork coordinator set    change the service's key
  legwork ops open           open the console: what works, what waits, what needs attention
  legwork audit              compare the database with the ledger
  legwork arbiter            rule disputes, with a key that the service never sees
  legwork rewards            export reward claims, verify them, mark them as paid`;

/**
 * Runs the command line and ends the process.
 *
 * @param argv - as `process.argv`
 */
export async function runCli(argv: readonly string[]): Promise<void> {
  quietNode();
  // Closing the terminal or pipe must not end a service.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  process.exit(await runLine(argv));
}

/**
 * Runs the command line. @returns the exit code
 *
 * @param argv - as `process.argv`
 */
export async function runLine(argv: readonly string[]): Promise<number> {
  // An empty variable counts as none.
  for (const name of ['LEGWORK_URL', 'LEGWORK_KEY']) if (process.env[name] === '') delete process.env[name];
  try {
    await legwork(argv.includes('--json')).parseAsync(helpLast(argv));
  } catch (error) {
    // It has said itself what is wrong, or what help was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUsage;
    complain(error, argv.includes('--json'));
    return isUsage(error) ? EXIT.wrongUsage : EXIT.notDone;
  }
  return Number(process.exitCode ?? EXIT.done);
}

/**
 * All commands.
 *
 * @param json whether what is wrong with the words typed is told to a program
 */
export function legwork(json = false): Command {
  const program = new Command('legwork')
    .description('Where software agents find work, relay it leg by leg, and are paid from on-chain escrow.')
    .version(versionOf(readFileSync(MANIFEST_FILE, 'utf8')))
    .configureHelp({
      optionDescription: (option) => {
        const words = new Help().optionDescription(option);
        return option.mandatory ? `${words} (required)` : words;
      },
    })
    .addHelpText('after', HELP)
    .configureOutput({
      outputError: (words, write) =>
        write(json ? `${JSON.stringify({ error: { message: words.replace(/^error: |\n$/g, '') } })}\n` : words),
    })
    .showHelpAfterError(json ? false : 'Run with --help to see what is possible.')
    .exitOverride()
    // A command and one below it may both have an option of the same name.
    .enablePositionalOptions()
    .addCommand(startCommand())
    .addCommand(mcpCommand())
    .addCommand(daemonCommand('courier'))
    .addCommand(daemonCommand('worker'))
    .addCommand(initCommand())
    .addCommand(serveCommand())
    .addCommand(ledgerCommand())
    .addCommand(programCommand())
    .addCommand(coordinatorCommand())
    .addCommand(auditCommand())
    .addCommand(rewardsCommand())
    .addCommand(completionCommand());
  for (const command of agentCommands()) program.addCommand(command);
  handDown(program);
  return program;
}

/** `legwork help move claim` asks for the same as `legwork move claim --help`. */
function helpLast([node = '', file = '', first, ...words]: readonly string[]): string[] {
  return first === 'help'
    ? [node, file, ...words, '--help']
    : [node, file, ...(first === undefined ? [] : [first]), ...words];
}

function versionOf(manifest: string): string {
  return (JSON.parse(manifest) as { version: string }).version;
}

/** Commands added as objects do not inherit their parent's error settings. */
function handDown(parent: Command): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    handDown(command);
  }
}

/** The warning of Node before 20.19.3 at the first signature; its signatures did not change. */
const SAID_OF_ED25519 = 'Ed25519 Web Crypto API algorithm is an experimental feature';

/** Lets Node print its warnings as ever, but not the one about Ed25519: nobody who uses the command can do anything about it. */
function quietNode(): void {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (!warning.message.includes(SAID_OF_ED25519)) for (const print of printers) print(warning);
  });
}
