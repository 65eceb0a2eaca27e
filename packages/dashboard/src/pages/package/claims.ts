import type { PackageDetail, Swarm } from '@legwork/sdk';
import type { Claim } from '../../checks/transaction.js';
import type { Money } from '../../checks/vault.js';

type Movement = Money['movements'][number];

/**
 * What the page says that the transactions of a package did. A refund is compared apart, since what strangers added to the vault
 * goes with it.
 */
export function claimsOf(parcel: PackageDetail, { movements }: Pick<Money, 'movements'>): Claim[] {
  return [
    ...(parcel.swarm ? formationClaims(parcel, parcel.swarm) : []),
    ...movements.flatMap((movement) => movementClaims(parcel, movement)),
  ];
}

function formationClaims(parcel: PackageDetail, swarm: Swarm): Claim[] {
  const { formSignature: signature, totalLegs, totalLamports, onChainSwarm } = swarm;
  if (signature === null) return [];
  const of = { package: parcel.onChainPackage, swarm: onChainSwarm };
  const formed: Claim = { signature, instruction: 'formSwarm', accounts: of, data: { totalLegs, totalLamports } };
  const assigned = swarm.legs.map(
    (leg): Claim => ({
      signature,
      instruction: 'assignLeg',
      accounts: { ...of, leg: leg.onChainLeg, courier: leg.agentPubkey },
      data: { index: leg.legIndex, paymentLamports: leg.agreedPaymentLamports },
    }),
  );
  return [formed, ...assigned];
}

function movementClaims(parcel: PackageDetail, { what, from, to, lamports, signature, legIndex }: Movement): Claim[] {
  const of = { package: parcel.onChainPackage };
  switch (what) {
    case 'lock': {
      const data = { maxBudget: lamports, deadline: BigInt(parcel.deadline.getTime()) / 1000n };
      const accounts = { ...of, vault: to, funder: from, shipper: parcel.shipperPubkey };
      return [{ signature, instruction: 'listPackage', accounts, data }];
    }
    case 'payment': {
      const leg = parcel.swarm?.legs.find((one) => one.legIndex === legIndex);
      const recipient = parcel.swarm?.legs.find((one) => one.legIndex === (legIndex ?? 0) + 1)?.agentPubkey;
      const signer = recipient ?? parcel.shipperPubkey;
      const accounts = { ...of, vault: from, courier: to, recipient: signer, ...(leg && { leg: leg.onChainLeg }) };
      // Of the vault nothing is said: one transaction may pay several legs from it.
      const moved = [{ account: to, lamports }];
      return [{ signature, instruction: 'confirmLeg', accounts, signer, moved }];
    }
    case 'refund': {
      const instruction = ['settle', 'cancelPackage', 'reclaimPackage'] as const;
      return [{ signature, instruction, accounts: { ...of, vault: from, funder: to } }];
    }
    default:
      return [];
  }
}
