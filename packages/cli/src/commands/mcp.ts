import { Command, Option } from 'commander';
import type { SettingOptions, Settings } from '@legwork/agents';
import { HOSTS } from '../agent/mcpHosts.js';
import { listenForStop } from '../closers.js';
import { agentCommand, option } from './agentCommand.js';

/** Calls under way may end; what was signed and not sent by then costs nothing. */
const DRAIN_MS = 9_500;

const HELP = `
An MCP host starts it: standard input and output are MCP, the log is standard error. The key stays in its file.
Limits are those of the policy; without one, of a transaction 0.002 SOL, of a day 0.01 SOL. Above a limit a person is asked
by the host's own dialog, or on a page of this machine whose address the log has.

There is no --json: its output is MCP, which is JSON.

Example:
  legwork mcp --policy ada.yaml`;

/** `legwork mcp config`: what a host is told, so that it starts the bridge. */
const configCommand = () =>
  agentCommand({
    name: 'config',
    example: 'mcp config --host cursor --key ada.json',
    summary: 'print what an MCP host is told to start this for your key, and where that goes; changes no file',
    options: [
      option('--host <name>', 'the host; left out, lists them all').choices(Object.keys(HOSTS)),
      option('--service', "the service's own MCP server instead, which holds no key"),
    ],
    load: async () => (await import('../agent/mcpConfig.js')).mcpConfig,
  });

/** `legwork mcp`: a local bridge between a model and the service, which signs. */
export function mcpCommand(): Command {
  return (
    new Command('mcp')
      .description("run a local MCP server for a model: the service's tools, signed with your wallet")
      .addOption(
        new Option('--key <file>', "key file of the wallet (default: the policy's, or your own)").env('LEGWORK_KEY'),
      )
      .option('--policy <file>', 'policy with its spending limits (default: ./legwork.yaml)')
      .addOption(
        new Option('--url <url>', "address of the service (default: the policy's, or http://127.0.0.1:8080)").env(
          'LEGWORK_URL',
        ),
      )
      .addHelpText('after', HELP)
      // The command below it has options of the same names.
      .enablePositionalOptions()
      .action(serve)
      .addCommand(configCommand())
  );
}

async function serve(options: SettingOptions): Promise<void> {
  const { openBridge } = await import('@legwork/agents/bridge');
  const stop = listenForStop(() => process.exit(1));
  const policy = await policyOf(options);
  const bridge = await openBridge(policy, (line) => process.stderr.write(`${line}\n`));
  bridge.serve(({ message }) => process.stderr.write(`${message}\n`));
  process.stderr.write(`Legwork bridge: ${bridge.address} at ${policy.service}\n`);
  const hostGone = new Promise((gone) => process.stdin.once('close', gone).once('end', gone));
  await Promise.race([stop.requested, hostGone]);
  await Promise.race([bridge.close(), new Promise((late) => setTimeout(late, DRAIN_MS).unref())]);
}

/** @throws {PolicyError} for a fault of the policy, or an address that is none */
async function policyOf(options: SettingOptions): Promise<Settings> {
  const { PolicyError, policySchema, readSettings } = await import('@legwork/agents');
  const settings = await readSettings(options);
  const read = policySchema.shape.service.safeParse(settings.service);
  if (!read.success) throw new PolicyError(read.error.issues.map(({ message }) => `--url: ${message}`).join('\n'));
  return settings;
}
