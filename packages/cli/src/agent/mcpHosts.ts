import { UsageError } from '../screen.js';

/** What a host starts, or where it connects to. */
export type McpServer = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

interface Host {
  /** The file in which it goes. */
  readonly where: string;
  /**
   * As the host reads it.
   *
   * @param word a word as a shell takes it
   * @throws UsageError when this host takes no such thing
   */
  readonly say: (server: McpServer, word: (word: string) => string) => string;
}

const FOLDERS: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '~/Library/Application Support',
  win32: '%APPDATA%',
};
/** Where programs of this system keep their settings. */
const APPS = FOLDERS[process.platform] ?? '~/.config';

/** JSON with the server under `section`; `named` gives it the fields of this host. */
const inJson =
  (section: string, named: (server: McpServer) => object = (server) => server) =>
  (server: McpServer) =>
    JSON.stringify({ [section]: { legwork: named(server) } }, null, 2);

/** As the documentation of each describes it. A file holds other settings, too: `legwork` goes among them. */
export const HOSTS = {
  'claude-code': {
    where: 'run it in a terminal; Claude Code keeps it in ~/.claude.json',
    say: (server, word) =>
      'url' in server
        ? `claude mcp add --scope user --transport http legwork ${word(server.url)}`
        : `claude mcp add --scope user legwork -- ${[server.command, ...server.args].map(word).join(' ')}`,
  },
  'claude-desktop': {
    where: `${APPS}/Claude/claude_desktop_config.json`,
    say: (server) => {
      if ('command' in server) return inJson('mcpServers')(server);
      throw new UsageError(
        'Claude Desktop reads no addresses from its file. Leave --service out for the bridge, or add the address among its connectors, under Settings, if the internet reaches it.',
      );
    },
  },
  cursor: { where: '~/.cursor/mcp.json, or .cursor/mcp.json of a project', say: inJson('mcpServers') },
  vscode: {
    where: ".vscode/mcp.json of a project, or your profile's mcp.json",
    say: inJson('servers', (server) => ({ type: 'url' in server ? 'http' : 'stdio', ...server })),
  },
  codex: {
    where: '~/.codex/config.toml',
    say: (server) =>
      // JSON's texts and lists of them are TOML's, except for one character that TOML wants escaped.
      ['[mcp_servers.legwork]', ...Object.entries(server).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)]
        .join('\n')
        .replaceAll('\u007f', '\\u007f'),
  },
  gemini: {
    where: '~/.gemini/settings.json',
    say: inJson('mcpServers', (server) => ('url' in server ? { httpUrl: server.url } : server)),
  },
  zed: {
    where: process.platform === 'win32' ? '%APPDATA%/Zed/settings.json' : '~/.config/zed/settings.json',
    say: inJson('context_servers'),
  },
  windsurf: {
    where: '~/.codeium/windsurf/mcp_config.json',
    say: inJson('mcpServers', (server) => ('url' in server ? { serverUrl: server.url } : server)),
  },
} satisfies Record<string, Host>;

export type HostName = keyof typeof HOSTS;
