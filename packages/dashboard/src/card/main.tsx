/** @jsxImportSource preact */
import type { McpUiHostContext } from '@modelcontextprotocol/ext-apps';
import { render } from 'preact';
import '../tokens.css';
import './card.css';
import { speak, t } from '../language.js';
import { type Acts, Card, type Known } from './Card.js';
import { callTool, connect, openLink, ready, type ToolResult } from './host.js';
import { pageFor, readResult, RefusedError, toolFor } from './listing.js';

const root = document.getElementById('card');
if (root === null) throw new Error('the shell has no #card');
const service = document.documentElement.dataset['service'] ?? '';

let known: Known = {};
let acts: Acts = {};

function show(news: Known): void {
  known = { ...known, ...news };
  if (root === null) return;
  root.ariaBusy = String(known.listing === undefined && known.problem === undefined);
  render(<Card known={known} acts={acts} />, root);
}

function take(result: ToolResult): void {
  const now = new Date();
  try {
    show({ listing: readResult(result, now.getTime()), readAt: now, problem: undefined, isReading: false });
  } catch (error) {
    const problem = error instanceof RefusedError ? error.message : t('This is neither a package nor a task.');
    show({ problem, isReading: false });
  }
}

async function again(): Promise<void> {
  if (known.listing === undefined) return;
  const { name, arguments: args } = toolFor(known.listing);
  show({ isReading: true });
  try {
    take(await callTool(name, args));
  } catch (error) {
    show({ problem: (error as Error).message, isReading: false });
  }
}

async function check(): Promise<void> {
  if (known.listing === undefined) return;
  const page = pageFor(known.listing, service);
  show({ address: (await openLink(page)) ? undefined : page });
}

/** Looks as its host does. */
function dress({ theme, styles }: McpUiHostContext): void {
  const { dataset, style } = document.documentElement;
  if (theme) dataset['theme'] = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) if (value) style.setProperty(name, value);
}

const host = await connect({
  result: take,
  cancelled: () => show({ problem: t('The call was cancelled.') }),
  context: dress,
});
const { hostCapabilities, hostContext: context = {} } = host;
const { serverTools, openLinks } = hostCapabilities;
dress(context);
await speak(context.locale);
acts = {
  again: serverTools && (() => void again()),
  check: openLinks && (() => void check()),
};
show({});
ready();
