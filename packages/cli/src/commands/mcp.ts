import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { Policy } from '@legwork/agents';
import { UserError } from '../screen.js';
import { listenForStop } from '../stopSignal.js';

/** Calls under way may end; what was signed and not sent by then costs nothing. */
const DRAIN_MS = 9_500;

const HELP = `
An MCP host starts it: standard input and output are MCP, the log is standard error. The key stays in its file.
Limits are those of the policy; without one, of a transaction 0.002 SOL, of a day 0.01 SOL. Above a limit a person is asked
by the host's own dialog, or the call is refused.

Examples:
  claude mcp add legwork -- npx legwork mcp --key ada.json
  legwork mcp --policy ada.yaml`;

interface McpOptions {
  readonly key?: string;
  readonly policy?: string;
  readonly url?: string;
}

/** `legwork mcp`: a local bridge between a model and the service, which signs. */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description("a local MCP server for a model: the service's tools and those that need a wallet, signed")
    .addOption(
      new Option('--key <file>', "key file of the wallet (default: the policy's, or your own)").env('LEGWORK_KEY'),
    )
    .option('--policy <file>', 'policy with the limits of what it may spend')
    .addOption(
      new Option('--url <url>', "address of the service (default: the policy's, or http://127.0.0.1:8080)").env(
        'LEGWORK_URL',
      ),
    )
    .addHelpText('after', HELP)
    .action(serve);
}

async function serve(options: McpOptions): Promise<void> {
  const { openBridge } = await import('@legwork/agents/bridge');
  const stop = listenForStop(() => process.exit(1));
  const policy = await policyOf(options);
  const bridge = await openBridge(policy);
  bridge.serve(({ message }) => process.stderr.write(`${message}\n`));
  process.stderr.write(`Legwork bridge: ${bridge.address} at ${policy.service}\n`);
  const hostGone = new Promise((gone) => process.stdin.once('close', gone).once('end', gone));
  await Promise.race([stop.requested, hostGone]);
  await Promise.race([bridge.close(), new Promise((late) => setTimeout(late, DRAIN_MS).unref())]);
}

async function policyOf({ key, policy: file, url }: McpOptions): Promise<Policy> {
  const { policySchema, readPolicies } = await import('@legwork/agents');
  const { usualKeyFile } = await import('../agent/settings.js');
  const given = { ...(key !== undefined && { key: resolve(key) }), ...(url !== undefined && { service: url }) };
  if (file === undefined) {
    const read = policySchema.safeParse({ key: usualKeyFile(), ...given });
    if (!read.success) throw new UserError(read.error.issues.map(({ message }) => `--url: ${message}`).join('\n'));
    return read.data;
  }
  const [policy, ...more] = await readPolicies(file);
  if (policy === undefined || more.length > 0) throw new UserError(`${file} is a folder; give the file of one policy.`);
  return { ...policy, ...given };
}
