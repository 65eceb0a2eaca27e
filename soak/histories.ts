import type { Address } from '@solana/kit';
import type { LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import type { Comparison } from './comparison.js';
import type { Carried } from './journey.js';
import { type Entry, historyOf } from './ledgerHistory.js';

/** What one transaction has to be: its instructions, who sent it, and its signature where the service shows that. */
type Due = readonly [names: readonly string[], payer: string, signature: string | null];

/**
 * Compares the transactions of a package with what became of it: each once, by whom it should be, and nothing else. Where
 * a cancellation met a formation, the one that came too late may have failed.
 *
 * @returns all of them
 */
export async function compareHistory(
  { rpc, programId, coordinator }: { rpc: LedgerRpc; programId: Address; coordinator: Address },
  carried: Carried,
  comparison: Comparison,
): Promise<Entry[]> {
  const { item, raced } = carried;
  const history = await historyOf(rpc, programId, item.onChainPackage as Address);
  const due = dueOf(carried, coordinator);
  const counted = raced ? history.filter(({ failed, names }) => !(failed && isRacing(names))) : history;
  const found = counted.map(({ failed, names, payer, signature }, index) => {
    const isShown = due[index]?.[2] != null;
    return [failed ? ['FAILED', ...names] : names, payer, isShown ? signature : null];
  });
  comparison.equal(`package ${item.id}: its transactions`, found, due);
  return history;
}

function isRacing([first]: Entry['names']): boolean {
  return first === 'formSwarm' || first === 'cancelPackage';
}

function dueOf({ item, endedBy, closed }: Carried, coordinator: Address): Due[] {
  const { funderPubkey: funder, swarm, status, failureReason } = item;
  const due: Due[] = [[['listPackage'], funder, item.listSignature]];
  if (swarm?.formSignature != null) {
    due.push([['formSwarm', ...swarm.legs.map(() => 'assignLeg')], coordinator, swarm.formSignature]);
    for (const { legIndex, confirmSignature } of swarm.legs) {
      const recipient = swarm.legs[legIndex + 1]?.agentPubkey ?? item.shipperPubkey;
      if (confirmSignature !== null) due.push([['confirmLeg'], recipient, confirmSignature]);
    }
  }
  if (status === 'delivered') due.push([['settle'], coordinator, item.settleSignature]);
  if (failureReason === 'cancelled') due.push([['cancelPackage'], endedBy, item.endSignature]);
  if (failureReason === 'reclaimed') due.push([['reclaimPackage'], endedBy, item.endSignature]);
  if (closed) due.push([['closePackage'], funder, null]);
  return due;
}
