import type { MoveAction } from '@legwork/protocol/contract';
import { INCINERATOR_ADDRESS, PERCENT_BY_SILENCE } from '@legwork/protocol/rules';
import type { Leg, PackageDetail } from '@legwork/sdk';
import type { Wanted } from './signing.js';

/** A move of a leg, as somebody wants to make it. */
export interface Move {
  readonly action: MoveAction;
  readonly pubkey: string;
  /** Of a claim's evidence, or of the reason of a dispute: sha256, hexadecimal. */
  readonly hash?: string | undefined;
  /** Of a ruling or an agreement. */
  readonly percent?: number | undefined;
}

/** What the transaction of a move has to say. @throws Error where the package or the leg has no terms */
export function wantedOf(parcel: PackageDetail, leg: Leg, move: Move): Wanted {
  const { terms, swarm, onChainPackage: listing, shipperPubkey: lister } = parcel;
  const { formation, stage, agentPubkey: courier } = leg;
  if (terms === null || swarm === null || formation === null || stage === null)
    throw new Error('It has no such terms.');
  const { action, pubkey, hash = '' } = move;
  const of = { listing, swarm: swarm.onChainSwarm, leg: leg.onChainLeg };
  const one = (
    name: Wanted['name'],
    accounts: Wanted['accounts'],
    data: Wanted['data'] = {},
    signers = [pubkey],
  ): Wanted => ({
    name,
    accounts: { ...of, ...accounts },
    data: { formation, ...data },
    signers,
  });
  const isCosigned = terms.cosignedPickup && leg.legIndex === 0;
  const byMove: Readonly<Record<MoveAction, () => Wanted>> = {
    accept: () => one('accept', { courier, lister }, { take: false }),
    take: () => one('accept', { courier, lister }, { take: true }, isCosigned ? [courier, lister] : [pubkey]),
    claim: () => one('claim', { courier }, { evidenceHash: hash }),
    dispute: () => one('dispute', { disputer: pubkey }, { reasonHash: hash }),
    vacate: () => one('vacate', { signer: pubkey, courier, vault: parcel.onChainVault }),
    confirm: () => confirmation(parcel, leg, pubkey, takeoverFormation(parcel, leg, pubkey)),
    rule: () => ruling(parcel, leg, move, terms.arbiterPubkey),
    agree: () => ruling(parcel, leg, move, terms.arbiterPubkey),
    crank: () => {
      if (stage === 'disputed')
        return ruling(parcel, leg, { ...move, percent: PERCENT_BY_SILENCE }, INCINERATOR_ADDRESS);
      return stage === 'claimed' || stage === 'ruled' ? confirmation(parcel, leg, pubkey, formation) : byMove.vacate();
    },
  };
  return byMove[action]();
}

function confirmation(parcel: PackageDetail, leg: Leg, recipient: string, formation: number): Wanted {
  const { onChainPackage, onChainVault: vault, swarm } = parcel;
  const of = { package: onChainPackage, swarm: swarm?.onChainSwarm ?? '', leg: leg.onChainLeg };
  const accounts = { ...of, recipient, courier: leg.agentPubkey, vault };
  return { name: 'confirmLeg', accounts, data: { formation }, signers: [recipient] };
}

/** @param fee whose account says who rules: the arbiter's, or the incinerator's where nobody did. Rule T-24 */
function ruling(parcel: PackageDetail, leg: Leg, { action, pubkey, percent = -1 }: Move, fee: string): Wanted {
  const { onChainPackage: listing, onChainVault: vault, swarm, shipperPubkey: lister } = parcel;
  const { agentPubkey: worker, onChainLeg, disputerPubkey, formation } = leg;
  const signers = action === 'agree' ? [lister, worker] : [pubkey];
  const of = { listing, swarm: swarm?.onChainSwarm ?? '', leg: onChainLeg };
  const accounts = { ...of, signer: signers[0] ?? '', worker, other: disputerPubkey ?? lister, fee, vault };
  return { name: 'rule', accounts, data: { formation: formation ?? 0, percent }, signers };
}

/** The next courier names the larger number of both legs, everybody else the leg's own. Rule T-35. */
function takeoverFormation({ swarm }: PackageDetail, { legIndex, formation }: Leg, pubkey: string): number {
  const next = swarm?.legs[legIndex + 1];
  return Math.max(formation ?? 0, next?.agentPubkey === pubkey ? (next.formation ?? 0) : 0);
}
