import { MEMO_PROGRAM_ADDRESS, type RelayInstruction } from '@legwork/program-client';
import { formatSol } from '@legwork/sdk';
import type { LedgerInstruction } from './ledgerTransaction.js';
import { wordsOf } from './transaction.js';

const SYSTEM = '11111111111111111111111111111111';
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

/** Programs that everybody uses, by what they are called. */
const NAMES: Readonly<Record<string, string>> = {
  [SYSTEM]: 'System program',
  [COMPUTE_BUDGET]: 'Compute budget',
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'Associated token program',
  AddressLookupTab1e1111111111111111111111111: 'Address lookup tables',
  BPFLoaderUpgradeab1e11111111111111111111111: 'Program loader',
  Ed25519SigVerify111111111111111111111111111: 'Signature check',
  [MEMO_PROGRAM_ADDRESS]: 'Memo',
  [TOKEN]: 'Token program',
};

/** What a program is called; undefined: it is none that everybody uses. */
export function programName(program: string): string | undefined {
  return Object.hasOwn(NAMES, program) ? NAMES[program] : undefined;
}

/** What an instruction of the system program, the token program or the compute budget does, in words; undefined: not told here. */
export function commonInstruction({ program, data }: Pick<LedgerInstruction, 'program' | 'data'>): string | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (program === SYSTEM && data.length >= 12) {
    const lamports = () => formatSol(view.getBigUint64(4, true));
    const kind = view.getUint32(0, true);
    if (kind === 2) return `Transfer ${lamports()} SOL`;
    if (kind === 0) return `Create an account with ${lamports()} SOL`;
  }
  if (program === TOKEN && data.length === 9 && data[0] === 3) {
    return `Transfer ${view.getBigUint64(1, true)} base units of a token`;
  }
  if (program === COMPUTE_BUDGET && data.length >= 5) {
    if (data[0] === 2) return `At most ${view.getUint32(1, true)} compute units`;
    if (data[0] === 3 && data.length >= 9)
      return `Pay ${view.getBigUint64(1, true)} micro-lamports for each compute unit`;
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
      ? [[`leg ${index + 1}`, leg.address]]
      : [
          [`leg ${index + 1}`, leg.taskLeg.address],
          [`rent payer of leg ${index + 1}`, leg.rentPayer.address],
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
