import type { RelayInstruction } from '@legwork/program-client';
import { wordsOf } from '../../checks/transaction.js';
import type { LedgerInstruction } from '../../checks/ledgerTransaction.js';

/** The accounts of an instruction of the program, by what they are to it, in its order. */
export function rolesOf(relay: RelayInstruction): [role: string, address: string][] {
  const named = Object.entries(relay.accounts).flatMap(([role, account]): [string, string][] =>
    account === undefined ? [] : [[wordsOf(role), account.address]],
  );
  return [...named, ...legsOf(relay)];
}

function legsOf(relay: RelayInstruction): [string, string][] {
  if (!('legs' in relay)) return [];
  return relay.legs.flatMap((leg, index): [string, string][] =>
    'address' in leg
      ? [[`leg ${index + 1}`, leg.address]]
      : [
          [`leg ${index + 1}`, leg.taskLeg.address],
          [`rent payer of leg ${index + 1}`, leg.rentPayer.address],
        ],
  );
}

/** What each account is in a transaction: its roles in the program's instructions. */
export function rolesByAddress(instructions: readonly LedgerInstruction[]): ReadonlyMap<string, string> {
  const roles = new Map<string, Set<string>>();
  for (const { relay } of instructions) {
    for (const [role, address] of relay === undefined ? [] : rolesOf(relay)) {
      roles.set(address, (roles.get(address) ?? new Set()).add(role));
    }
  }
  return new Map([...roles].map(([address, names]) => [address, [...names].join(', ')]));
}
