import type { RelayInstruction } from '@legwork/program-client';
import { type Asset, isInSol, type Leg } from '@legwork/sdk';
import type { Claim } from './transaction.js';
import type { Money } from './vault.js';

type Movement = Money['movements'][number];
type Name = RelayInstruction['name'];

/** Which instructions move the escrow of what, and what the accounts are called there whose names differ. */
const OF = {
  package: {
    of: 'package',
    lister: 'shipper',
    leg: 'leg',
    worker: 'courier',
    lock: 'listPackage',
    payment: 'confirmLeg',
    refund: ['settle', 'cancelPackage', 'reclaimPackage'],
    reclaim: 'reclaimPackage',
  },
  task: {
    of: 'task',
    lister: 'poster',
    leg: 'taskLeg',
    worker: 'agent',
    lock: 'listTask',
    payment: 'confirmTaskLeg',
    refund: ['settleTask', 'cancelTask', 'reclaimTask'],
    reclaim: 'reclaimTask',
  },
} as const satisfies Record<string, Readonly<Record<string, string | readonly Name[]>>>;

/** A package or a task as far as its page says what its transactions were about. */
interface Escrowed {
  readonly kind: keyof typeof OF;
  /** The account of the package or the task. */
  readonly account: string;
  readonly shipperPubkey: string;
  readonly deadline: Date;
  readonly legs: readonly Pick<Leg, 'legIndex' | 'onChainLeg'>[];
  /** Who signs for a leg; undefined: whoever may. */
  readonly signerOf?: (legIndex: number) => string | undefined;
  /** What it pays in. */
  readonly paidIn: Asset;
}

/**
 * What movements of an escrow say that their transactions did; of a kind that is not known here, nothing. A refund is compared apart,
 * since what strangers added to the vault goes with it.
 */
export function claimsOfMovements(listed: Escrowed, movements: readonly Movement[]): Claim[] {
  return movements.flatMap((movement) => claimOf(listed, movement, movements) ?? []);
}

function claimOf(listed: Escrowed, movement: Movement, all: readonly Movement[]): Claim | undefined {
  const { what, from, to, amount, signature } = movement;
  const names = OF[listed.kind];
  const of = { [names.of]: listed.account };
  switch (what) {
    case 'lock': {
      const data = { maxBudget: amount, deadline: BigInt(listed.deadline.getTime()) / 1000n };
      const accounts = { ...of, vault: to, funder: from, [names.lister]: listed.shipperPubkey };
      return { signature, instruction: names.lock, accounts, data };
    }
    case 'payment':
      return paymentClaim(listed, movement, all);
    case 'refund':
      return { signature, instruction: names.refund, accounts: { ...of, vault: from, funder: to } };
    case 'stake': {
      // Of a token the stake lies with the budget, so what is seen is that it left its owner.
      const moved = isInSol(listed.paidIn) ? [{ account: to, amount }] : [{ account: from, amount: 0n - amount }];
      return { signature, instruction: ['accept', 'dispute'], accounts: { leg: to }, signer: from, moved };
    }
    case 'stake_returned':
    case 'stake_forfeited':
    case 'arbiter_fee':
    case 'burnt':
      return stakeClaim(listed, movement, all);
    default:
      return undefined;
  }
}

function paymentClaim(
  { kind, account, legs, signerOf }: Escrowed,
  { from, to, signature, legIndex }: Movement,
  all: readonly Movement[],
): Claim {
  const names = OF[kind];
  const leg = legs.find((one) => one.legIndex === legIndex);
  const signer = signerOf?.(legIndex ?? 0);
  const accounts = {
    [names.of]: account,
    vault: from,
    [names.worker]: to,
    ...(signer && { recipient: signer }),
    ...(leg && { [names.leg]: leg.onChainLeg }),
  };
  // Of the vault nothing is said: one transaction may pay several legs from it.
  const moved = [{ account: to, amount: netOf(to, signature, all) }];
  return { signature, instruction: names.payment, accounts, ...(signer && { signer }), moved };
}

/** A stake leaves the account of its leg. A reclaim closes that account, so that its rent moves as well. */
function stakeClaim(
  { kind, paidIn }: Escrowed,
  { what, from, to, signature }: Movement,
  all: readonly Movement[],
): Claim {
  const { payment, reclaim } = OF[kind];
  const isReclaim = all.some((one) => one.signature === signature && one.what === 'refund');
  if (isReclaim) return { signature, instruction: reclaim };
  // Of a token it lay with the budget: who got it is seen, and what stays there moves nothing.
  const seen = isInSol(paidIn) ? [from] : what === 'stake_forfeited' ? [] : [to];
  const moved = seen.map((account) => ({ account, amount: netOf(account, signature, all) }));
  return { signature, instruction: ['vacate', 'rule', payment], moved };
}

/** By how much the movements of one transaction change an account. */
function netOf(account: string, signature: string, movements: readonly Movement[]): bigint {
  return movements
    .filter((one) => one.signature === signature)
    .reduce((sum, { from, to, amount }) => sum + (to === account ? amount : 0n) - (from === account ? amount : 0n), 0n);
}
