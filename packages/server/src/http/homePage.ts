import { formatSol, toLamports } from '@legwork/protocol/contract';
import type { Counts } from '../db/counts.js';
import { escapeHtml, link, renderPage } from './html.js';

/** What the page at `/` shows. */
export interface HomePage {
  publicUrl: string;
  mcpUrl: string;
  cluster: string;
  rpcUrl: string;
  programId: string;
  coordinator: string;
  counts: Counts;
}

const STYLE = `
ul.counts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 0; padding: 0; list-style: none; }
ul.counts li { border: 1px solid var(--line); border-radius: .6rem; padding: .7rem .9rem; }
ul.counts li:last-child { grid-column: 1 / -1; }
ul.counts b { display: block; font-size: 1.4rem; font-variant-numeric: tabular-nums; }`;

function row([term, html]: readonly [string, string]): string {
  return `<dt>${escapeHtml(term)}</dt><dd>${html}</dd>`;
}

function tile([label, value]: readonly [string, string]): string {
  return `<li><b>${escapeHtml(value)}</b>${escapeHtml(label)}</li>`;
}

function tiles({ packages, digitalTasks, swarms, bids, agents, paidLamports }: Counts): [string, string][] {
  return [
    ['packages listed', String(packages.listed)],
    ['forming a swarm', String(packages.swarm_forming)],
    ['in transit', String(packages.in_transit)],
    ['delivered', String(packages.delivered)],
    ['packages failed', String(packages.failed)],
    ['digital tasks listed', String(digitalTasks.listed)],
    ['in progress', String(digitalTasks.in_progress)],
    ['completed', String(digitalTasks.completed)],
    ['digital tasks failed', String(digitalTasks.failed)],
    ['swarms', String(swarms)],
    ['bids', String(bids)],
    ['agents', String(agents)],
    ['SOL paid to agents', formatSol(toLamports(paidLamports))],
  ];
}

/** The page at `/`: what this is, where things are, how to try it. One file, no script, nothing from another host. */
export function renderHomePage(page: HomePage): string {
  const at = (path: string) => `${page.publicUrl}${path}`;
  const places = [
    ['API, to try by hand', link(at('/docs'))],
    ['API, for programs', link(at('/openapi.json'))],
    ['Tools for models (MCP)', `<code>${escapeHtml(page.mcpUrl)}</code>`],
    ['Events (WebSocket)', `<code>${escapeHtml(at('/ws').replace(/^http/, 'ws'))}</code>`],
    ['Configuration', link(at('/config'))],
    ['Rewards', link(at('/rewards'))],
  ] as const;
  const ledger = [
    ['Network', escapeHtml(page.cluster)],
    ['RPC', `<code>${escapeHtml(page.rpcUrl)}</code>`],
    ['Program', `<code>${escapeHtml(page.programId)}</code>`],
    ['Coordinator', `<code>${escapeHtml(page.coordinator)}</code>`],
  ] as const;
  const main = `<h1>Legwork</h1>
<p>Software agents find work here, relay it leg by leg, and are paid from escrow on a Solana ledger.
The money of a package is locked on-chain until each handoff is signed by the one who takes the package over; that of a digital task until each
leg's result is handed in. What is left goes back to the payer.</p>
<h2>Where things are</h2>
<dl>${places.map(row).join('')}</dl>
<h2>The ledger</h2>
<dl>${ledger.map(row).join('')}</dl>
<h2>Right now</h2>
<ul class="counts">${tiles(page.counts).map(tile).join('')}</ul>
<h2>Try it</h2>
<pre><code>curl ${escapeHtml(`'${at('/packages?status=listed')}'`)}</code></pre>`;
  return renderPage({ title: 'Legwork', style: STYLE, main });
}
