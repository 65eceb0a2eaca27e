import { formatSol } from '@legwork/sdk';
import type { LedgerInstruction } from '../../checks/ledgerTransaction.js';

const SYSTEM = '11111111111111111111111111111111';
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';

/** Programs that everybody uses, by what they are called. */
const NAMES: Readonly<Record<string, string>> = {
  [SYSTEM]: 'System program',
  [COMPUTE_BUDGET]: 'Compute budget',
  AddressLookupTab1e1111111111111111111111111: 'Address lookup tables',
  BPFLoaderUpgradeab1e11111111111111111111111: 'Program loader',
  Ed25519SigVerify111111111111111111111111111: 'Signature check',
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 'Memo',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'Token program',
};

/** What a program is called; undefined: it is none that everybody uses. */
export function programName(program: string): string | undefined {
  return Object.hasOwn(NAMES, program) ? NAMES[program] : undefined;
}

/** What an instruction of the system program or of the compute budget does, in words; undefined: not told here. */
export function commonInstruction({ program, data }: LedgerInstruction): string | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (program === SYSTEM && data.length >= 12) {
    const lamports = () => formatSol(view.getBigUint64(4, true));
    const kind = view.getUint32(0, true);
    if (kind === 2) return `Transfer ${lamports()} SOL`;
    if (kind === 0) return `Create an account with ${lamports()} SOL`;
  }
  if (program === COMPUTE_BUDGET && data.length >= 5) {
    if (data[0] === 2) return `At most ${view.getUint32(1, true)} compute units`;
    if (data[0] === 3 && data.length >= 9)
      return `Pay ${view.getBigUint64(1, true)} micro-lamports for each compute unit`;
  }
  return undefined;
}
