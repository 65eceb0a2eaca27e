import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { type HostName, HOSTS } from '../src/agent/mcpHosts.js';
import { temporaryFolders } from './support/command.js';
import { runHere } from './support/line.js';
import { openTown, type Town } from './support/town.js';

const newFolder = temporaryFolders();
const NAMES = Object.keys(HOSTS) as HostName[];
/** Where each keeps its servers, and what it calls an address. */
const SECTIONS: Partial<Record<HostName, string>> = { vscode: 'servers', zed: 'context_servers', codex: 'mcp_servers' };
const ADDRESSES: Partial<Record<HostName, string>> = { gemini: 'httpUrl', windsurf: 'serverUrl' };

/** What a host finds under the name `legwork`. */
function entryOf(host: HostName, config: string): Record<string, unknown> {
  const file = host === 'codex' ? parse(config) : (JSON.parse(config) as Record<string, unknown>);
  const section = SECTIONS[host] ?? 'mcpServers';
  expect(Object.keys(file)).toEqual([section]);
  return (file[section] as { legwork: Record<string, unknown> }).legwork;
}

/** The names of the tools that a host would have there. */
async function toolsAt(transport: Transport): Promise<string[]> {
  const client = new Client({ name: 'host', version: '1' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

/** Prints what a host is told. */
async function told({ instance }: Town, ...args: string[]) {
  const said = await runHere(['mcp', 'config', '--url', instance.url, ...args], { LEGWORK_KEY: undefined });
  expect(said).toMatchObject({ code: 0 });
  return said;
}

/** Starts what a host is told, in another folder. */
async function startedBy(host: HostName, town: Town): Promise<string[]> {
  const { stdout, stderr } = await told(town, '--host', host, '--key', join(town.folder, 'ada.json'));
  expect(stderr).toBe(`${host}: ${HOSTS[host].where}\n`);
  const { command, args, ...rest } =
    host === 'claude-code'
      ? { command: 'sh', args: ['-c', stdout] }
      : (entryOf(host, stdout) as { command: string; args: string[] });
  expect(rest).toEqual(host === 'vscode' ? { type: 'stdio' } : {});
  const env = { PATH: `${town.folder}${delimiter}${process.env['PATH']}` };
  return toolsAt(new StdioClientTransport({ command, args, cwd: '/', env, stderr: 'ignore' }));
}

/** Goes where a host is told that the service is. */
async function reachedBy(host: HostName, town: Town): Promise<string[]> {
  const { stdout } = await told(town, '--host', host, '--service');
  const name = ADDRESSES[host] ?? 'url';
  const url = host === 'claude-code' ? stdout.trim().split(' ').at(-1) : entryOf(host, stdout)[name];
  return toolsAt(new StreamableHTTPClientTransport(new URL(String(url))));
}

test('what each host is told starts the bridge of the key, from any folder, or leads to the service (A-174)', async () => {
  const town = await openTown(await newFolder(), ['ada']);
  // Stands for Claude Code: what it is told to keep, it starts.
  const claude = join(town.folder, 'claude');
  await writeFile(claude, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n');
  await chmod(claude, 0o755);
  for (const host of NAMES) {
    expect(await startedBy(host, town)).toEqual(expect.arrayContaining(['wallet', 'due_now', 'svc_list_packages']));
    if (host === 'claude-desktop') continue;
    const tools = await reachedBy(host, town);
    expect({ host, has: tools.includes('svc_list_packages'), signs: tools.includes('wallet') }).toEqual({
      host,
      has: true,
      signs: false,
    });
  }
  const policy = join(town.folder, 'legwork.yaml');
  await writeFile(policy, `service: ${town.instance.url}\nkey: ada.json\n`);
  const { stdout } = await told(town, '--host', 'cursor', '--policy', policy);
  expect(entryOf('cursor', stdout)['args']).toEqual([
    expect.stringMatching(/legwork\.mjs$/),
    'mcp',
    '--policy',
    policy,
  ]);
});

test('what cannot be started is not printed, and Claude Desktop is told why it takes no address (A-174)', async () => {
  const keyless = await runHere(['mcp', 'config', '--host', 'zed', '--key', '/nobody.json']);
  expect(keyless).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('legwork key new') });
  const remote = await runHere(['mcp', 'config', '--host', 'claude-desktop', '--service']);
  expect(remote).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('connectors') });
});

test('whatever a path is called, TOML reads it as it is (A-174)', () => {
  const paths = fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 });
  fc.assert(
    fc.property(fc.string(), paths, (command, args) => {
      expect(entryOf('codex', HOSTS.codex.say({ command, args }))).toEqual({ command, args });
    }),
  );
});

/** JSON as what it says; lines of a cell stand beside each other. */
const meaning = (text: string): unknown => (text.startsWith('{') ? JSON.parse(text) : text.replace('\n', ' · '));

test('the documentation shows what the command prints, and where it goes (A-174)', async () => {
  const page = await readFile(new URL('../../../docs/agents/mcp.md', import.meta.url), 'utf8');
  const all = JSON.parse((await runHere(['mcp', 'config', '--json'])).stdout) as { host: string }[];
  expect(all.map(({ host }) => host)).toEqual(NAMES);
  for (const host of NAMES.filter((name) => name !== 'claude-desktop')) {
    const args = ['mcp', 'config', '--host', host, '--service', '--json', '--url', 'http://127.0.0.1:8080'];
    const { config } = JSON.parse((await runHere(args)).stdout) as { config: string };
    const row = page.split('\n').find((line) => line.startsWith(`| \`${host}\` |`));
    const shown = /\| `([^`]+)` \|$/.exec(row ?? '')?.[1] ?? '';
    expect(meaning(shown)).toEqual(meaning(config));
  }
});
