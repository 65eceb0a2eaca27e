import type { PackageDetail, Swarm } from '@legwork/sdk';
import type { Claim } from '../../checks/transaction.js';
import type { Money } from '../../checks/vault.js';

type Movement = Money['movements'][number];

/**
 * What the page says that the transactions of a package did. A refund is compared apart, since what strangers added to the vault
 * goes with it.
 */
export function claimsOf(parcel: PackageDetail, { movements }: Pick<Money, 'movements'>, replaced: Replaced): Claim[] {
  return [
    ...(parcel.swarm ? formationClaims(parcel, parcel.swarm, replaced) : []),
    ...movements.flatMap((movement) => movementClaims(parcel, movement, movements)),
  ];
}

/** Legs that a courier got after the formation, by their ids. */
type Replaced = ReadonlySet<string>;

function formationClaims(parcel: PackageDetail, swarm: Swarm, replaced: Replaced): Claim[] {
  const { formSignature: signature, totalLegs, totalLamports, onChainSwarm } = swarm;
  if (signature === null) return [];
  const of = { package: parcel.onChainPackage, swarm: onChainSwarm };
  const formed: Claim = { signature, instruction: 'formSwarm', accounts: of, data: { totalLegs, totalLamports } };
  const assigned = swarm.legs
    .filter(({ id }) => !replaced.has(id))
    .map(
      (leg): Claim => ({
        signature,
        instruction: 'assignLeg',
        accounts: { ...of, leg: leg.onChainLeg, courier: leg.agentPubkey },
        data: { index: leg.legIndex, paymentLamports: leg.agreedPaymentLamports },
      }),
    );
  return [formed, ...assigned];
}

function movementClaims(parcel: PackageDetail, movement: Movement, all: readonly Movement[]): Claim[] {
  const { what, from, to, lamports, signature } = movement;
  const of = { package: parcel.onChainPackage };
  switch (what) {
    case 'lock': {
      const data = { maxBudget: lamports, deadline: BigInt(parcel.deadline.getTime()) / 1000n };
      const accounts = { ...of, vault: to, funder: from, shipper: parcel.shipperPubkey };
      return [{ signature, instruction: 'listPackage', accounts, data }];
    }
    case 'payment':
      return [paymentClaim(parcel, movement, all)];
    case 'refund': {
      const instruction = ['settle', 'cancelPackage', 'reclaimPackage'] as const;
      return [{ signature, instruction, accounts: { ...of, vault: from, funder: to } }];
    }
    case 'stake': {
      const moved = [{ account: to, lamports }];
      return [{ signature, instruction: ['accept', 'dispute'], accounts: { leg: to }, signer: from, moved }];
    }
    case 'stake_returned':
    case 'stake_forfeited':
    case 'arbiter_fee':
    case 'burnt':
      return [stakeClaim(movement, all)];
    default:
      return [];
  }
}

/** Who signs for a leg with terms may be anyone: the receiver, or silence has decided. */
function paymentClaim(
  parcel: PackageDetail,
  { from, to, signature, legIndex }: Movement,
  all: readonly Movement[],
): Claim {
  const leg = parcel.swarm?.legs.find((one) => one.legIndex === legIndex);
  const next = parcel.swarm?.legs.find((one) => one.legIndex === (legIndex ?? 0) + 1)?.agentPubkey;
  const signer = parcel.terms === null ? (next ?? parcel.shipperPubkey) : undefined;
  const accounts = {
    package: parcel.onChainPackage,
    vault: from,
    courier: to,
    ...(signer && { recipient: signer }),
    ...(leg && { leg: leg.onChainLeg }),
  };
  // Of the vault nothing is said: one transaction may pay several legs from it.
  const moved = [{ account: to, lamports: netOf(to, signature, all) }];
  return { signature, instruction: 'confirmLeg', accounts, ...(signer && { signer }), moved };
}

/** A stake leaves the account of its leg. A reclaim closes that account, so that its rent moves as well. */
function stakeClaim({ from, signature }: Movement, all: readonly Movement[]): Claim {
  const isReclaim = all.some((one) => one.signature === signature && one.what === 'refund');
  if (isReclaim) return { signature, instruction: 'reclaimPackage' };
  const moved = [{ account: from, lamports: netOf(from, signature, all) }];
  return { signature, instruction: ['vacate', 'confirmLeg', 'rule'], accounts: { leg: from }, moved };
}

/** By how much the movements of one transaction change an account. */
function netOf(account: string, signature: string, movements: readonly Movement[]): bigint {
  return movements
    .filter((one) => one.signature === signature)
    .reduce(
      (sum, { from, to, lamports }) => sum + (to === account ? lamports : 0n) - (from === account ? lamports : 0n),
      0n,
    );
}
