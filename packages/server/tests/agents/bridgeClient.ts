import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createKeyFile, journalOf, policySchema } from '@legwork/agents';
import { openBridge } from '@legwork/agents/bridge';
import { Client, type ClientCapabilities, InMemoryTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { lamports } from '@solana/kit';
import { onTestFinished } from 'vitest';
import type { TestService } from '../support/service.js';

type Json = Record<string, unknown>;

export const COMMAND = fileURLToPath(new URL('../../../cli/bin/legwork.mjs', import.meta.url));

/** A key file of its own, with so many SOL, and what its journal holds. */
export async function fundedKey({ rpc }: Pick<TestService, 'rpc'>, sol = 2) {
  const key = join(await mkdtemp(join(tmpdir(), 'legwork-bridge-')), 'ada.json');
  const { address } = await createKeyFile(key);
  if (sol > 0) await rpc.requestAirdrop(address, lamports(BigInt(sol) * 1_000_000_000n)).send();
  const journal = async () => {
    const lines = (await readFile(journalOf(key), 'utf8')).trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Json);
  };
  return { key, pubkey: address, journal };
}

/** A person before a dialog: what it was asked, and what it says. */
export interface Person {
  readonly asked: string[];
  answer: 'accept' | 'decline' | 'cancel';
}

/** How a client connects to a bridge. */
interface Connection {
  readonly revision?: '2026' | '2025';
  /** Without one, the client has no dialogs. */
  readonly person?: Person;
  /** Extensions of MCP that it declares. */
  readonly extensions?: NonNullable<ClientCapabilities['extensions']>;
}

/** A bridge in this process over this key, and an MCP client of it. */
export async function openedBridge(
  { key, ...rest }: { key: string; service: string; limits?: Json; approvals?: Json },
  connection: Connection = {},
) {
  // Nobody looks at the pages of most tests.
  const policy = policySchema.parse({ approvals: { waitSec: 0 }, key, ...rest });
  const said: string[] = [];
  const bridge = await openBridge(policy, (line) => said.push(line));
  const problems: Error[] = [];
  const [theirs, ours] = InMemoryTransport.createLinkedPair();
  bridge.serve((problem) => problems.push(problem), ours);
  onTestFinished(() => bridge.close());
  return { ...(await connect(theirs, connection)), bridge, problems, said };
}

/** An MCP client of the built `legwork mcp` with these arguments, over its standard input and output, in a folder if one is told. */
export async function startedBridge(args: readonly string[], connection: Connection & { cwd?: string } = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [COMMAND, 'mcp', ...args],
    stderr: 'pipe',
    ...(connection.cwd !== undefined && { cwd: connection.cwd }),
  });
  let stderr = '';
  transport.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
  const connected = await connect(transport, connection).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${stderr}`);
  });
  // Texts on standard output that are no message.
  const problems: string[] = [];
  Object.assign(transport, { onerror: (error: Error) => problems.push(String(error)) });
  return { ...connected, problems, stderr: () => stderr };
}

async function connect(transport: Transport, { revision = '2026', person, extensions }: Connection) {
  const mode = revision === '2026' ? ({ pin: '2026-07-28' } as const) : ('legacy' as const);
  const capabilities: ClientCapabilities = { ...(person && { elicitation: {} }), ...(extensions && { extensions }) };
  const client = new Client({ name: 'tests', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (person) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      person.asked.push(params.message);
      const { answer: action } = person;
      return action === 'accept' ? { action, content: { allow: true } } : { action };
    });
  }
  onTestFinished(() => client.close());
  await client.connect(transport);
  const call = async (name: string, given: Json = {}) => {
    const { isError, content } = await client.callTool({ name, arguments: given });
    const [first] = content as unknown as [{ text: string }];
    return { isError: isError === true, told: JSON.parse(first.text) as Json };
  };
  const answerOf = async (name: string, given: Json = {}) => {
    const { isError, told } = await call(name, given);
    if (isError) throw new Error(`${name} failed: ${JSON.stringify(told)}`);
    return told;
  };
  const refusalOf = async (name: string, given: Json = {}) => {
    const { isError, told } = await call(name, given);
    if (!isError) throw new Error(`${name} was not refused: ${JSON.stringify(told)}`);
    return told;
  };
  return { client, call, answerOf, refusalOf };
}
