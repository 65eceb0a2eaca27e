import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createKeyFile } from '@legwork/agents';
import { Client, type ClientCapabilities } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { lamports } from '@solana/kit';
import { onTestFinished } from 'vitest';
import type { TestService } from '../support/service.js';

type Json = Record<string, unknown>;

const COMMAND = fileURLToPath(new URL('../../../cli/bin/legwork.mjs', import.meta.url));

/** A key file of its own, with so many SOL. */
export async function fundedKey({ rpc }: Pick<TestService, 'rpc'>, sol = 2): Promise<{ key: string; pubkey: string }> {
  const key = join(await mkdtemp(join(tmpdir(), 'legwork-bridge-')), 'ada.json');
  const { address } = await createKeyFile(key);
  if (sol > 0) await rpc.requestAirdrop(address, lamports(BigInt(sol) * 1_000_000_000n)).send();
  return { key, pubkey: address };
}

/** How a client connects to a bridge. */
interface Connection {
  readonly revision?: '2026' | '2025';
  readonly capabilities?: ClientCapabilities;
}

/** An MCP client of the built `legwork mcp` with these arguments, over its standard input and output. */
export async function connectBridge(
  args: readonly string[],
  { revision = '2026', capabilities = {} }: Connection = {},
) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [COMMAND, 'mcp', ...args],
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
  const mode = revision === '2026' ? ({ pin: '2026-07-28' } as const) : ('legacy' as const);
  const client = new Client({ name: 'tests', version: '1' }, { capabilities, versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(transport).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${stderr}`);
  });
  const call = async (name: string, given: Json = {}) => {
    const { isError, content } = await client.callTool({ name, arguments: given });
    const [first] = content as [{ text: string }];
    return { isError: isError === true, told: JSON.parse(first.text) as Json };
  };
  const answerOf = async (name: string, given: Json = {}) => {
    const { isError, told } = await call(name, given);
    if (isError) throw new Error(`${name} failed: ${JSON.stringify(told)}`);
    return told;
  };
  return { client, call, answerOf, stderr: () => stderr };
}
