import { shellWord } from '@legwork/agents';
import { IS_CLONE } from '../paths.js';
import type { Instance } from './instanceFile.js';

/** The facts that the block shows in addition to the instance's addresses. */
export interface ReadyFacts {
  readonly seconds: number;
  readonly ephemeral: boolean;
  /** The ledger's usual port, when it was taken. */
  readonly takenLedgerPort: number | undefined;
}

/** The last lines of a start: where everything is and what to do next. */
export function readyBlock(instance: Instance, facts: ReadyFacts): string {
  const { url, mcpUrl, wsUrl, rpcUrl, rpcSubscriptionsUrl, programId, coordinatorPubkey, arbiterPubkey, dataDir } =
    instance;
  const taken = facts.takenLedgerPort === undefined ? '' : ` (port ${facts.takenLedgerPort} was taken)`;
  const rows: [string, string][] = [
    ['Dashboard', `${url}/`],
    ['Service', url],
    ['API reference', `${url}/docs`],
    ['MCP', mcpUrl],
    ['Events', wsUrl],
    ['Ledger RPC', `${rpcUrl}${taken}`],
    ['Ledger events', rpcSubscriptionsUrl],
    ['Program', programId],
    ['Coordinator', coordinatorPubkey],
    ['Arbiter', arbiterPubkey ?? 'none'],
    ['Data folder', `${dataDir}${facts.ephemeral ? ' (removed in the end)' : ''}`],
  ];
  const kept = facts.ephemeral ? 'nothing is kept' : 'everything is kept, the next start goes on from here';
  const lines = [
    `Legwork is ready (${facts.seconds.toFixed(1)} s).`,
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(15)}${value}`),
    '',
    `  Try      ${IS_CLONE ? 'npm run demo --' : 'npx legwork init courier my-courier'} --url ${url}`,
    `  Agents   claude mcp add --transport http legwork ${mcpUrl}`,
    `  Operate  npx legwork ops open --data ${shellWord(dataDir)}`,
    `  Stop     Ctrl-C (${kept})`,
  ];
  return `\n${lines.join('\n')}\n\n`;
}

/** How a phone on the same network comes in: where, by which code, and what its browser will ask. */
export async function phoneBlock({ url, fingerprint }: { url: string; fingerprint: string }): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  const lines = [
    `  Phones   ${url}/`,
    '',
    ...renderUnicodeCompact(`${url}/`, { border: 2 })
      .split('\n')
      .map((line) => `    ${line}`),
    '',
    '  Scan this with a phone on the same network. Its browser warns, because nobody vouches for the certificate:',
    '  look at the certificate, compare its SHA-256 fingerprint with this one, and go on only if they are the same.',
    `  ${fingerprint}`,
  ];
  return `${lines.join('\n')}\n\n`;
}
