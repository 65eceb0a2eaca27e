import { PAGES } from '@legwork/protocol/contract';
import { readKeyFile } from '@legwork/agents';
import { createLegworkClient, formatSol, type LegworkClient } from '@legwork/sdk';
import { createKeyPairSignerFromPrivateKeyBytes, getBase58Decoder } from '@solana/kit';
import type { Agent } from './agent.js';
import { counted, linesOf } from '../commands/audit.js';
import { minuteOf, type Shown, table } from './output.js';

type Operations = Awaited<ReturnType<LegworkClient['getOperations']>>;
type Attention = Operations['attention'][number];

/** Operators sign all that they ask, and no transaction: what they ask goes through while the ledger is silent, too. */
async function clientOf({ settings }: Agent): Promise<LegworkClient> {
  return createLegworkClient({ url: settings.service, signer: await readKeyFile(settings.key) });
}

/** How the service stands. Rule S-260. */
export async function status(agent: Agent): Promise<Shown> {
  const stands = await (await clientOf(agent)).getOperations();
  const { intents, webhooks, attention } = stands;
  const waiting = intents.map(({ kind, status: of, intents: count, oldestSec, lastError }) => [
    kind,
    of,
    String(count),
    `${Math.round(oldestSec)} s`,
    lastError ?? '',
  ]);
  const lines = [
    ...healthOf(stands),
    `Webhooks      ${webhooks.active} active, ${webhooks.failing} failing, ${webhooks.disabled} switched off`,
    '',
    table(['to do', 'state', 'how many', 'oldest', 'its last error'], waiting, 'The coordinator has nothing to do.'),
    '',
    attention.length === 0 ? 'Nothing needs attention.' : 'Needs attention, the worst first:',
    ...attention.map((one) => blockOf(agent, one)),
  ];
  return { data: stands, text: lines.join('\n') };
}

function healthOf(stands: Operations): string[] {
  const { version, rebuilt, service, database, ledger, coordinator, unnumberedEvents, audited } = stands;
  const { pubkey, balanceLamports, reserveLamports, promisedLamports, advancedLamports } = coordinator;
  const has = balanceLamports === null ? 'a balance that is not known' : `${formatSol(balanceLamports)} SOL`;
  return [
    `Service       ${version}, ${service.replicas} running${rebuilt ? '' : ', rebuilding listings from the ledger'}`,
    `Requests      ${service.refused} over a limit and ${service.failed} failed since ${minuteOf(service.startedAt)}`,
    `Database      ${database.connections} of ${database.mostConnections} connections`,
    ledger.slot === null
      ? 'Ledger        does not answer'
      : `Ledger        slot ${ledger.slot}, ${lagOf(ledger.behindSec)}, ${ledger.notFinal} transactions not final, ${ledger.halted} listings halted${ledger.paused ? ', the program is paused' : ''}`,
    `Coordinator   ${pubkey} has ${has}; reserve ${formatSol(reserveLamports)}, promised ${formatSol(promisedLamports)}, advanced for posters ${formatSol(advancedLamports)}`,
    `Events        ${unnumberedEvents} without a number`,
    `Last audit    ${audited === null ? 'none was told' : `${minuteOf(audited.at)}, ${counted(audited.differences)}`}`,
  ];
}

function lagOf(behindSec: number | null): string {
  if (behindSec === null) return 'its clock is not known';
  return behindSec < 0 ? `${-behindSec} s ahead of this clock` : `${behindSec} s behind this clock`;
}

function blockOf(agent: Agent, { of, subject, intentId, since, cause, advice, acts }: Attention): string {
  const id = subject?.slice(subject.indexOf(':') + 1);
  const words = {
    open: 'open',
    close: 'close',
    retry: `retry ${intentId}`,
    heal: `heal ${id}`,
    sweep: 'sweep',
    audit: 'audit',
  };
  const commands = acts.map((act) => agent.command(`ops ${words[act]}`));
  return [
    `${of}${subject === null ? '' : ` ${subject}`}${since === null ? '' : `, since ${minuteOf(since)}`}: ${cause}`,
    `    ${advice}`,
    ...commands.map((command) => `    ${command}`),
  ].join('\n');
}

/** Has an intent tried now, or every one of a kind. */
export function retry(agent: Agent, { intent }: { readonly intent: string }): Promise<Shown> {
  return done(agent, { act: 'retry', ...(/^[a-z_]+$/.test(intent) ? { kind: intent } : { intentId: intent }) });
}

/** Has a halted listing healed now, or each of them. */
export function heal(agent: Agent, { id }: { readonly id?: string }): Promise<Shown> {
  return done(agent, { act: 'heal', ...(id !== undefined && { listingId: id }) });
}

/** Has every worker look at once for what is due. */
export function sweep(agent: Agent): Promise<Shown> {
  return done(agent, { act: 'sweep' });
}

/** Compares the database with the ledger, and has the service keep what was found. Rule S-261. */
export async function audit(agent: Agent, { data = '.data' }: { readonly data?: string }): Promise<Shown> {
  const client = await clientOf(agent);
  // A key that is no operator's is refused now, not after the audit.
  await client.listOperatorActs({ limit: 1 });
  const { chooseSources } = await import('../audit/chooseSources.js');
  const { audit: run } = await import('@legwork/audit');
  const sources = await chooseSources(data, process.env);
  const report = await run({ ...sources, tell: (line) => process.stderr.write(`${line}\n`) });
  const { outcome } = await client.actAsOperator({ act: 'audit', differences: report.differences.length });
  return { data: report, text: `${linesOf(report)}\nKept for the console: ${outcome}.` };
}

async function done(agent: Agent, asked: Parameters<LegworkClient['actAsOperator']>[0]): Promise<Shown> {
  const answer = await (await clientOf(agent)).actAsOperator(asked);
  return { data: answer, text: `${answer.isDone ? 'Done' : 'Not yet'}: ${answer.outcome}.` };
}

/** Opens a key made for that, and says where a browser takes it: what follows the # is sent to nobody. Rule S-262. */
export async function open(agent: Agent): Promise<Shown> {
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const { address: key } = await createKeyPairSignerFromPrivateKeyBytes(secret);
  const client = await clientOf(agent);
  await client.actAsOperator({ act: 'open', key });
  const url = `${client.url.replace(/\/$/, '')}${PAGES.ops}#${getBase58Decoder().decode(secret)}`;
  return {
    data: { url, key },
    text: `${url}\n\nAnybody who has this address can act as an operator for an hour. Show it to nobody.`,
  };
}

/** So many of the newest acts are shown; the console has all. */
const MOST_ACTS = 200;

/** The acts of operators. */
export async function acts(agent: Agent): Promise<Shown> {
  const { items } = await (await clientOf(agent)).listOperatorActs({ limit: MOST_ACTS });
  const rows = items.map(({ at, operatorPubkey, openedBy, act, target }) => [
    minuteOf(at),
    act,
    target,
    operatorPubkey,
    openedBy ?? '',
  ]);
  return {
    data: items,
    text: table(['when', 'what', 'about', 'who', 'opened by'], rows, 'No operator had anything done.'),
  };
}
