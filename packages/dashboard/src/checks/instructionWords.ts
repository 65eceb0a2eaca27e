import { MEMO_PROGRAM_ADDRESS, type RelayInstruction } from '@legwork/program-client';
import type { LedgerInstruction } from './ledgerTransaction.js';
import { wordsOf } from './transaction.js';
import { figureIn, m, type Message, t } from '../language.js';

const SYSTEM = '11111111111111111111111111111111';
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

/** Programs that everybody uses, by what they are called. */
const NAMES: Readonly<Record<string, Message>> = {
  [SYSTEM]: m('System program'),
  [COMPUTE_BUDGET]: m('Compute budget'),
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: m('Associated token program'),
  AddressLookupTab1e1111111111111111111111111: m('Address lookup tables'),
  BPFLoaderUpgradeab1e11111111111111111111111: m('Program loader'),
  Ed25519SigVerify111111111111111111111111111: m('Signature check'),
  [MEMO_PROGRAM_ADDRESS]: m('Memo'),
  [TOKEN]: m('Token program'),
};

/** What a program is called; undefined: it is none that everybody uses. */
export function programName(program: string): string | undefined {
  const name = Object.hasOwn(NAMES, program) ? NAMES[program] : undefined;
  return name && t(name);
}

/** What an instruction of the system program, the token program or the compute budget does, in words; undefined: not told here. */
export function commonInstruction({ program, data }: Pick<LedgerInstruction, 'program' | 'data'>): string | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (program === SYSTEM && data.length >= 12) {
    const lamports = () => figureIn(view.getBigUint64(4, true));
    const kind = view.getUint32(0, true);
    if (kind === 2) return t('Transfer {amount} SOL', { amount: lamports() });
    if (kind === 0) return t('Create an account with {amount} SOL', { amount: lamports() });
  }
  if (program === TOKEN && data.length === 9 && data[0] === 3) {
    return t('Transfer {amount} base units of a token', { amount: String(view.getBigUint64(1, true)) });
  }
  if (program === COMPUTE_BUDGET && data.length >= 5) {
    if (data[0] === 2) return t('At most {count} compute units', { count: view.getUint32(1, true) });
    if (data[0] === 3 && data.length >= 9)
      return t('Pay {amount} micro-lamports for each compute unit', { amount: String(view.getBigUint64(1, true)) });
  }
  return undefined;
}

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
      ? [[t('leg {number}', { number: index + 1 }), leg.address]]
      : [
          [t('leg {number}', { number: index + 1 }), leg.taskLeg.address],
          [t('rent payer of leg {number}', { number: index + 1 }), leg.rentPayer.address],
        ],
  );
}

/** What each account is in a transaction: its roles in the program's instructions. */
export function rolesByAddress(instructions: readonly Pick<LedgerInstruction, 'relay'>[]): ReadonlyMap<string, string> {
  const roles = new Map<string, Set<string>>();
  for (const { relay } of instructions) {
    for (const [role, address] of relay === undefined ? [] : rolesOf(relay)) {
      roles.set(address, (roles.get(address) ?? new Set()).add(role));
    }
  }
  return new Map([...roles].map(([address, names]) => [address, [...names].join(', ')]));
}
