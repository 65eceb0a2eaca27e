import { spawn } from 'node:child_process';
import { explorerLink, pagePath } from '@legwork/protocol/contract';
import { LegworkApiError, serviceConfig } from '@legwork/sdk';
import { parseAddress, parseId, parseSignature } from '../optionValues.js';
import { UsageError } from '../screen.js';
import type { Agent } from './agent.js';
import { kindOf } from './exits.js';
import type { Shown } from './output.js';

interface OpenInput {
  readonly of: string;
  readonly print?: true;
}

/** Opens a page of the service, or of the ledger's explorer, and says where it is. Rule A-175. */
export async function open(agent: Agent, { of, print }: OpenInput): Promise<Shown> {
  const url = await pageOf(agent, of);
  const isOpened = print ? false : await inBrowser(url);
  return { data: { url, isOpened }, text: url };
}

async function pageOf({ client }: Agent, of: string): Promise<string> {
  const base = client.url.replace(/\/$/, '');
  if (isA(parseId, of)) return base + pagePath(await kindOf({ client }, of.toLowerCase()), of.toLowerCase());
  const isAddress = isA(parseAddress, of);
  if (!isAddress && !isA(parseSignature, of)) {
    throw new UsageError(`${of} is no id of a package or task, no address and no signature of a transaction.`);
  }
  if (isAddress && (await isAgent(client, of))) return base + pagePath('agent', of);
  const { cluster, rpcUrl } = await serviceConfig(client);
  return explorerLink({ cluster, rpcUrl, publicUrl: base }, isAddress ? 'address' : 'tx', of);
}

function isA(parse: (text: string) => string, text: string): boolean {
  try {
    return parse(text) !== '';
  } catch {
    return false;
  }
}

async function isAgent(client: Agent['client'], agentPubkey: string): Promise<boolean> {
  try {
    await client.getAgent({ agentPubkey });
    return true;
  } catch (error) {
    if (error instanceof LegworkApiError && error.code === 'not_found') return false;
    throw error;
  }
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  // Not `start`, for which a shell would read the address.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Whether a browser was asked to show it; a machine without a desktop has none. */
function inBrowser(url: string): Promise<boolean> {
  const { platform, env } = process;
  const hasDesktop = platform in OPENERS || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  if (!hasDesktop) return Promise.resolve(false);
  const [program = '', ...args] = OPENERS[platform] ?? ['xdg-open'];
  return new Promise((done) => {
    const browser = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    browser.once('error', () => done(false));
    browser.once('spawn', () => {
      browser.unref();
      done(true);
    });
  });
}
