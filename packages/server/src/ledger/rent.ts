import { type Lamports, toLamports } from '@legwork/protocol/contract';
import type { Ledger } from './ledger.js';

/** The ledger charges every account for so many bytes beside its data. */
const OVERHEAD_BYTES = 128n;

/** What an account with so many bytes of data must hold at least: rent is linear in the bytes. */
export function rentOf({ rentExemptMinimum }: Pick<Ledger, 'rentExemptMinimum'>, bytes: number): Lamports {
  return toLamports((rentExemptMinimum * (OVERHEAD_BYTES + BigInt(bytes))) / OVERHEAD_BYTES);
}
