import { readKeyFile, readSettings, shellWord } from '@legwork/agents';
import { COMMAND_FILE } from '../paths.js';
import type { Agent } from './agent.js';
import { type HostName, HOSTS, type McpServer } from './mcpHosts.js';
import { type Shown, table } from './output.js';

interface McpConfigInput {
  readonly host?: HostName;
  readonly service?: true;
}

/** What a host is told to have the bridge of this key, or the service's own MCP server. Changes no file. Rule A-174. */
export async function mcpConfig(agent: Agent, { host, service }: McpConfigInput): Promise<Shown> {
  if (host === undefined) {
    const rows = Object.entries(HOSTS).map(([name, { where }]) => [name, where]);
    const data = rows.map(([name, where]) => ({ host: name, where }));
    return { data, text: `${table(['host', 'where it goes'], rows, '')}\n\nSay which one with --host.` };
  }
  const server = service ? { url: `${agent.settings.service.replace(/\/$/, '')}/mcp` } : await bridgeOf(agent);
  const { where, say } = HOSTS[host];
  const config = say(server, shellWord);
  // Beside the configuration, which alone goes into a file or a pipe.
  process.stderr.write(`${host}: ${where}\n`);
  return { data: { host, where, config }, text: config };
}

/** By whole paths: a host starts it in a folder, and with a search path, of its own. */
async function bridgeOf({ settings }: Agent): Promise<McpServer> {
  const { file, key, service } = settings;
  await readKeyFile(key);
  const said = file === undefined ? undefined : await readSettings({ policy: file });
  const options = [
    ...(file === undefined ? [] : ['--policy', file]),
    ...(said?.key === key ? [] : ['--key', key]),
    ...(said?.service === service ? [] : ['--url', service]),
  ];
  return { command: process.execPath, args: [COMMAND_FILE, 'mcp', ...options] };
}
