import { setTimeout as pause } from 'node:timers/promises';
import { formatAmount, serviceConfig } from '@legwork/sdk';
import type { Asset, DigitalTaskDetail, DigitalTaskDraft } from '@legwork/sdk';
import { signature } from '@solana/kit';
import type { Member } from '../company.js';
import { listTaskOnce } from '../listOnce.js';
import { DemoError, PATIENCE_MS } from '../stage.js';
import type { Stage } from '../stage.js';
import { COUNT, quoted } from './skills.js';

const [POSTER, AGENT] = ['Rosa', 'Ines'];
const LOOK_EVERY_MS = 250;

/** A goal that pays in test USDC; an odd budget, so that a unit that is lost shows. */
const GOAL = {
  title: 'a rhyme in numbers',
  description: `The text:
“Who has seen the wind?
Neither you nor I.”`,
  legs: [{ instruction: 'Count the lines, words and letters of the text.' }],
  maxBudget: '1500001',
  asset: 'usdc',
  terms: 'plain' as const,
} satisfies DigitalTaskDraft;

/**
 * One more task, in the USDC that came with registration, after the books of SOL are closed. Its own books are read from the ledger.
 *
 * @returns the faults, told already; none where the service has no USDC
 */
export async function playInUsdc({ client, company, folder, ledger, say }: Stage): Promise<readonly string[]> {
  const { assets } = await serviceConfig(client);
  const usdc = assets.find(({ asset }) => asset === GOAL.asset);
  if (usdc?.mint == null) return [];
  const [poster, agent] = [company.named(POSTER), company.named(AGENT)];
  say(`\n${POSTER}'s task in test USDC, which came with registration: ${GOAL.title}`);
  const { id: taskId, ...listed } = await listTaskOnce(folder, GOAL.title, poster, GOAL);
  say(`    ${formatAmount(listed.maxBudget, listed)} are in escrow, and no SOL`);
  await work(agent, taskId);
  const task = await completion(agent, taskId);
  const { listSignature, settleSignature } = task;
  const signatures = [listSignature, task.legs[0]?.confirmSignature, settleSignature].flatMap((one) => one ?? []);
  const moved = await movedBy(ledger, signatures, usdc.mint);
  return closeBooks(say, task, { poster, agent, moved });
}

/** Claims the leg, does it and hands it in until it is paid: repeating is safe. */
async function work({ client, signer }: Member, taskId: string): Promise<void> {
  const task = await client.getDigitalTask({ taskId });
  const [leg] = task.legs;
  if (leg === undefined) throw new DemoError(`task ${taskId} has no leg`);
  const ours = { taskId, legId: leg.id, agentPubkey: signer.address };
  if (leg.agentPubkey === null) await client.bidDigitalLeg({ ...ours, bid: String(task.paymentPerLeg) });
  const result = COUNT.work({ instruction: leg.instruction, text: quoted(task.description), previous: '' });
  for (const until = Date.now() + PATIENCE_MS; ; await pause(LOOK_EVERY_MS)) {
    if ((await client.completeDigitalLeg({ ...ours, result })).payment !== null) return;
    if (Date.now() > until) throw new DemoError(`${AGENT} is not paid for ${GOAL.title}`);
  }
}

async function completion({ client }: Member, taskId: string): Promise<DigitalTaskDetail> {
  for (const until = Date.now() + PATIENCE_MS; ; await pause(LOOK_EVERY_MS)) {
    const task = await client.getDigitalTask({ taskId });
    if (task.status === 'completed') return task;
    if (Date.now() > until) throw new DemoError(`task ${taskId} is not completed; it is ${task.status}`);
  }
}

/** By how much the transactions changed what each wallet has of a token, base units: as the ledger shows it. */
async function movedBy(
  { rpc }: Stage['ledger'],
  signatures: readonly string[],
  mint: string,
): Promise<ReadonlyMap<string, bigint>> {
  const moved = new Map<string, bigint>();
  for (const one of signatures) {
    const shown = await rpc
      .getTransaction(signature(one), {
        commitment: 'confirmed',
        encoding: 'base64',
        maxSupportedTransactionVersion: 0,
      })
      .send();
    if (shown?.meta == null) throw new DemoError(`the ledger does not show ${one}`);
    const { preTokenBalances = [], postTokenBalances = [] } = shown.meta;
    for (const [sign, balances] of [[-1n, preTokenBalances] as const, [1n, postTokenBalances] as const]) {
      for (const { owner = '', mint: of, uiTokenAmount } of balances) {
        if (of === mint) moved.set(owner, (moved.get(owner) ?? 0n) + sign * BigInt(uiTokenAmount.amount));
      }
    }
  }
  return moved;
}

interface Books {
  readonly poster: Member;
  readonly agent: Member;
  readonly moved: ReadonlyMap<string, bigint>;
}

/** The amount that left one wallet came to the other, and nothing is anywhere else. */
function closeBooks(say: Stage['say'], task: DigitalTaskDetail, { poster, agent, moved }: Books): readonly string[] {
  const of: Asset = task;
  const changeOf = ({ signer }: Member) => moved.get(signer.address) ?? 0n;
  const [lost, gained] = [-changeOf(poster), changeOf(agent)];
  const elsewhere = [...moved.values()].reduce((sum, amount) => sum + amount, 0n);
  say(`    ${AGENT} hands it in and is paid ${formatAmount(gained, of)}: ${task.legs[0]?.result ?? ''}`);
  say(
    `    In USDC ${POSTER} gave ${formatAmount(lost, of)}, ${AGENT} got ${formatAmount(gained, of)}; the rest: ${elsewhere}`,
  );
  const isRight = lost === task.maxBudget && gained === task.paymentPerLeg && elsewhere === 0n;
  const faults = isRight
    ? []
    : [`the books in USDC do not match: ${lost} given, ${gained} got, ${elsewhere} elsewhere`];
  for (const fault of faults) say(`    WRONG: ${fault}`);
  return faults;
}
