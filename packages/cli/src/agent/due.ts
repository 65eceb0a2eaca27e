import { type Due, dueNow } from '@legwork/agents';
import { allTurns, formatAmount, type LegTurnView, type MoveAction, sayMove } from '@legwork/sdk';
import type { Agent } from './agent.js';
import { minuteOf, type Shown } from './output.js';

/** The actions that wait for this key: until when, with which command, and the cost of silence. */
export async function due(agent: Agent): Promise<Shown> {
  const found = (await dueNow(agent.client, await agent.pubkey())).map((one) => ({
    ...one,
    command: commandFor(agent, one),
  }));
  const now = Date.now();
  const blocks = found.map(({ what, until, silence, command }) =>
    [
      what,
      `    ${until === null ? 'no end' : `until ${minuteOf(until)}, ${distance(until.getTime() - now)}`}; else ${silence}`,
      ...(command === null ? [] : [`    ${command}`]),
    ].join('\n'),
  );
  return { data: found, text: blocks.join('\n') || 'Nothing waits for you.' };
}

/** The command for it; null where only the receiver of the parcel signs. */
function commandFor(agent: Agent, { act, legId, packageId, taskId, awaited }: Due): string | null {
  const commands = {
    hand_in: `done ${legId} --file FILE`,
    take_over: `handoff ${packageId}`,
    receive: `handoff ${packageId}`,
    cancel: `cancel ${packageId ?? taskId}`,
    reclaim: `reclaim ${packageId ?? taskId}`,
    carry: null,
    move: awaited == null || legId === undefined ? 'turns' : wordsOf(awaited, legId),
  };
  const words = commands[act];
  return words === null ? null : agent.command(words);
}

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const;

function distance(ms: number): string {
  const of = Math.abs(ms);
  const [name, size] = UNITS.find(([, unit]) => of >= 2 * unit) ?? ['seconds', 1_000];
  return ms < 0 ? `${Math.round(of / size)} ${name} ago` : `in ${Math.round(of / size)} ${name}`;
}

/** The legs with terms whose clock runs for this key. */
export async function turns(agent: Agent): Promise<Shown> {
  const pubkey = await agent.pubkey();
  const all = await allTurns(agent.client, pubkey);
  const blocks = all.map((turn) => blockOf(agent, turn, pubkey));
  return { data: all, text: blocks.join('\n') || 'No clock runs for you.' };
}

function blockOf(agent: Agent, turn: LegTurnView, pubkey: string): string {
  const { legIndex, legId, stage, agentPubkey, payment, stake, until, silence, awaited, actor } = turn;
  const whose = agentPubkey === pubkey ? 'yours' : `of ${agentPubkey}`;
  const money = `pays ${formatAmount(payment, turn)}, stake ${formatAmount(stake, turn)}`;
  return [
    `leg ${legIndex + 1} of ${turn.kind} ${turn.kind === 'package' ? turn.packageId : turn.taskId}, ${whose}, is ${stage}; ${money}`,
    `    ${until === null ? 'no end' : `until ${minuteOf(until)} (${actor})`}; else ${silence}`,
    ...(awaited === null ? ['    nothing is asked of you yet; you can'] : []),
    ...turn.moves.flatMap((move) => [
      `    ${agent.command(wordsOf(move.action, legId))}${move.action === awaited ? '    <- awaited' : ''}`,
      `        ${sayMove(move)}`,
    ]),
  ].join('\n');
}

/** The words of a move's command. */
export function wordsOf(action: MoveAction, legId: string): string {
  const more: Partial<Record<MoveAction, string>> = {
    claim: ' --file FILE',
    dispute: ' --file FILE',
    agree: ' --percent N',
    rule: ' --percent N',
  };
  return `${action === 'rule' ? 'arbiter' : 'move'} ${action} ${legId}${more[action] ?? ''}`;
}
