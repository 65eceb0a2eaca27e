import type { RelayInstruction } from '@legwork/program-client';
import type { Movement } from '@legwork/protocol/contract';
import type { Claim } from './transaction.js';

type Names = readonly RelayInstruction['name'][];

/** Which instructions move the escrow of what, and what the one who is paid for a leg is called there. */
const OF = {
  package: { lock: ['listPackage'], payment: ['confirmLeg'], refund: ['settle', 'cancelPackage', 'reclaimPackage'] },
  task: { lock: ['listTask'], payment: ['confirmTaskLeg'], refund: ['settleTask', 'cancelTask', 'reclaimTask'] },
} as const satisfies Record<string, Record<string, Names>>;

/** As `getPackageMoney` and `getTaskMoney` give it. */
interface Escrow {
  readonly onChainVault: string;
  readonly vaultRentLamports: bigint;
  readonly movements: readonly Movement[];
}

/**
 * What a movement of an escrow says that its transaction did; undefined: a kind that is not known here.
 *
 * @param listing whether the escrow is of a package or of a digital task
 */
export function claimOf(
  listing: keyof typeof OF,
  escrow: Escrow,
  { what, from, to, lamports, signature }: Movement,
): Claim | undefined {
  const { onChainVault: vault } = escrow;
  const moved = [{ account: vault, lamports: netOf(escrow, signature) }];
  switch (what) {
    case 'lock':
      return {
        signature,
        instruction: OF[listing].lock,
        accounts: { funder: from, vault: to },
        data: { maxBudget: lamports },
        signer: from,
      };
    case 'payment': {
      const paid = listing === 'package' ? 'courier' : 'agent';
      return { signature, instruction: OF[listing].payment, accounts: { vault: from, [paid]: to }, moved };
    }
    case 'refund':
      return { signature, instruction: OF[listing].refund, accounts: { vault: from, funder: to }, moved };
    default:
      return undefined;
  }
}

/** By how much one transaction changes the vault: it may pay several legs, and the refund takes the vault's own rent along. */
function netOf({ onChainVault, vaultRentLamports, movements }: Escrow, signature: string): bigint {
  const those = movements.filter((one) => one.signature === signature);
  const net = those.reduce((sum, { to, lamports }) => (to === onChainVault ? sum + lamports : sum - lamports), 0n);
  return those.some(({ what }) => what === 'refund') ? net - vaultRentLamports : net;
}
