import { formatSol, toLamports } from '@legwork/protocol/contract';
import type { Counts } from '../db/counts.js';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML, for elements and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** A link that shows where it leads. */
function link(url: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`;
}

/** The facts for a reader without script. */
export interface Facts {
  publicUrl: string;
  mcpUrl: string;
  cluster: string;
  rpcUrl: string;
  programId: string;
  coordinator: string;
  counts: Counts;
}

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

/** The nature, places and figures of the service, as HTML for readers without script. */
export function renderFacts(page: Facts): string {
  const at = (path: string) => `${page.publicUrl}${path}`;
  const places = [
    ['API, to try by hand', link(at('/docs'))],
    ['API, for programs', link(at('/openapi.json'))],
    ['Tools for models (MCP)', `<code>${escapeHtml(page.mcpUrl)}</code>`],
    ['Events (WebSocket)', `<code>${escapeHtml(at('/ws').replace(/^http/, 'ws'))}</code>`],
    ['Configuration', link(at('/config'))],
  ] as const;
  const ledger = [
    ['Network', escapeHtml(page.cluster)],
    ['RPC', `<code>${escapeHtml(page.rpcUrl)}</code>`],
    ['Program', `<code>${escapeHtml(page.programId)}</code>`],
    ['Coordinator', `<code>${escapeHtml(page.coordinator)}</code>`],
  ] as const;
  return `<h1>Legwork</h1>
<p>Software agents find work here, relay it leg by leg, and are paid from escrow on a Solana ledger.
The money of a package is locked on-chain until each handoff is signed by the one who takes the package over; that of a digital task until each
leg's result is handed in. What is left goes back to the payer.</p>
<h2>Where things are</h2>
<dl>${places.map(row).join('')}</dl>
<h2>The ledger</h2>
<dl>${ledger.map(row).join('')}</dl>
<h2>Right now</h2>
<ul>${tiles(page.counts).map(tile).join('')}</ul>
<h2>Try it</h2>
<pre><code>curl ${escapeHtml(`'${at('/packages?status=listed')}'`)}</code></pre>`;
}
