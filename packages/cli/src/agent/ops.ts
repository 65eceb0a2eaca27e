import { formatSol, type LegworkClient } from '@legwork/sdk';
import type { Agent } from './agent.js';
import { minuteOf, type Shown, table } from './output.js';

type Operations = Awaited<ReturnType<LegworkClient['getOperations']>>;
type Attention = Operations['attention'][number];

/** Operators sign all that they ask. */
const clientOf = async (agent: Agent): Promise<LegworkClient> => (await agent.session()).client;

/** How the service stands. Rule S-260. */
export async function status(agent: Agent): Promise<Shown> {
  const stands = await (await clientOf(agent)).getOperations();
  const { intents, webhooks, attention } = stands;
  const waiting = intents.map(({ kind, status: of, intents: count, oldestSec }) => [
    kind,
    of,
    String(count),
    `${Math.round(oldestSec)} s`,
  ]);
  const lines = [
    ...healthOf(stands),
    `Webhooks      ${webhooks.active} active, ${webhooks.failing} failing, ${webhooks.disabled} switched off`,
    '',
    table(['to do', 'state', 'how many', 'oldest'], waiting, 'The coordinator has nothing to do.'),
    '',
    attention.length === 0 ? 'Nothing needs attention.' : 'Needs attention, the worst first:',
    ...attention.map((one) => blockOf(agent, one)),
  ];
  return { data: stands, text: lines.join('\n') };
}

function healthOf({ version, rebuilt, ledger, coordinator, unnumberedEvents }: Operations): string[] {
  const { pubkey, balanceLamports, reserveLamports, promisedLamports, advancedLamports } = coordinator;
  const has = balanceLamports === null ? 'a balance that is not known' : `${formatSol(balanceLamports)} SOL`;
  return [
    `Service       ${version}${rebuilt ? '' : ', rebuilding listings from the ledger'}`,
    ledger.slot === null
      ? 'Ledger        does not answer'
      : `Ledger        slot ${ledger.slot}, ${ledger.behindSec} s behind this clock, ${ledger.notFinal} transactions not final, ${ledger.halted} listings halted`,
    `Coordinator   ${pubkey} has ${has}; reserve ${formatSol(reserveLamports)}, promised ${formatSol(promisedLamports)}, advanced for posters ${formatSol(advancedLamports)}`,
    `Events        ${unnumberedEvents} without a number`,
  ];
}

function blockOf(agent: Agent, { of, subject, intentId, since, cause, advice, acts }: Attention): string {
  const id = subject?.slice(subject.indexOf(':') + 1);
  const commands = acts.map((act) => agent.command(act === 'retry' ? `ops retry ${intentId}` : `ops heal ${id}`));
  return [
    `${of}${subject === null ? '' : ` ${subject}`}${since === null ? '' : `, since ${minuteOf(since)}`}: ${cause}`,
    `    ${advice}`,
    ...commands.map((command) => `    ${command}`),
  ].join('\n');
}

/** Has an intent tried now. */
export function retry(agent: Agent, { intent }: { readonly intent: string }): Promise<Shown> {
  return done(agent, { act: 'retry', intentId: intent });
}

/** Has a halted listing healed now. */
export function heal(agent: Agent, { id }: { readonly id: string }): Promise<Shown> {
  return done(agent, { act: 'heal', listingId: id });
}

async function done(agent: Agent, asked: Parameters<LegworkClient['actAsOperator']>[0]): Promise<Shown> {
  const answer = await (await clientOf(agent)).actAsOperator(asked);
  return { data: answer, text: `${answer.isDone ? 'Done' : 'Not yet'}: ${answer.outcome}.` };
}

/** What operators had done. */
export async function acts(agent: Agent): Promise<Shown> {
  const { items } = await (await clientOf(agent)).listOperatorActs();
  const rows = items.map(({ at, operatorPubkey, act, target }) => [minuteOf(at), act, target, operatorPubkey]);
  return { data: items, text: table(['when', 'what', 'about', 'who'], rows, 'No operator had anything done.') };
}
