import { allTurns, formatSol, type LegTurnView, type MoveAction, sayMove } from '@legwork/sdk';
import type { Agent } from './agent.js';
import { minuteOf, type Shown } from './output.js';

/** The legs with terms whose clock runs for this key. */
export async function turns(agent: Agent): Promise<Shown> {
  const pubkey = await agent.pubkey();
  const all = await allTurns(agent.client, pubkey);
  const blocks = all.map((turn) => blockOf(agent, turn, pubkey));
  return { data: all, text: blocks.join('\n') || 'No clock runs for you.' };
}

function blockOf(agent: Agent, turn: LegTurnView, pubkey: string): string {
  const { legIndex, legId, stage, agentPubkey, paymentLamports, stakeLamports, until, silence, awaited, actor } = turn;
  const whose = agentPubkey === pubkey ? 'yours' : `of ${agentPubkey}`;
  const money = `pays ${formatSol(paymentLamports)} SOL, stake ${formatSol(stakeLamports)} SOL`;
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
