import type { PackageDetail, Swarm } from '@legwork/sdk';
import { claimsOfMovements } from '../../checks/movements.js';
import type { Claim } from '../../checks/transaction.js';
import type { Money } from '../../checks/vault.js';

/** What the page says that the transactions of a package did. */
export function claimsOf(parcel: PackageDetail, { movements }: Pick<Money, 'movements'>, replaced: Replaced): Claim[] {
  const { onChainPackage: account, shipperPubkey, deadline, terms, swarm } = parcel;
  const legs = swarm?.legs ?? [];
  // Who signs for a leg with terms may be anyone: the receiver, or silence has decided.
  const signerOf = (legIndex: number) =>
    terms ? undefined : (legs.find((one) => one.legIndex === legIndex + 1)?.agentPubkey ?? shipperPubkey);
  return [
    ...(swarm ? formationClaims(parcel, swarm, replaced) : []),
    ...claimsOfMovements(
      { kind: 'package', account, shipperPubkey, deadline, legs, signerOf, paidIn: parcel },
      movements,
    ),
  ];
}

/** Legs that a courier got after the formation, by their ids. */
type Replaced = ReadonlySet<string>;

function formationClaims(parcel: PackageDetail, swarm: Swarm, replaced: Replaced): Claim[] {
  const { formSignature: signature, totalLegs, total, onChainSwarm } = swarm;
  if (signature === null) return [];
  const of = { package: parcel.onChainPackage, swarm: onChainSwarm };
  const formed: Claim = {
    signature,
    instruction: 'formSwarm',
    accounts: of,
    data: { totalLegs, totalLamports: total },
  };
  const assigned = swarm.legs
    .filter(({ id }) => !replaced.has(id))
    .map(
      (leg): Claim => ({
        signature,
        instruction: 'assignLeg',
        accounts: { ...of, leg: leg.onChainLeg, courier: leg.agentPubkey },
        data: { index: leg.legIndex, paymentLamports: leg.agreedPayment },
      }),
    );
  return [formed, ...assigned];
}
