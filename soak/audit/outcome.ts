import type { CarriedPackage } from '../packages/couriers.js';
import type { FinishedTask } from '../tasks/agents.js';
import { UNTOUCHED } from '../tasks/leg.js';

/** What became of everything that was ever listed. */
export interface Outcome {
  readonly packages: readonly CarriedPackage[];
  readonly tasks: readonly FinishedTask[];
}

/** A leg that the ledger gave to an agent. */
export interface GivenLeg {
  readonly agent: string;
  readonly funder: string;
  /** Undefined: it was not completed. */
  readonly paidLamports: bigint | undefined;
}

/** Every leg of either kind that was ever given out on the ledger. */
export function givenLegs({ packages, tasks }: Outcome): GivenLeg[] {
  return [...packages.flatMap(ofPackage), ...tasks.flatMap(ofTask)];
}

function ofPackage({ listing: { swarm, funderPubkey: funder } }: CarriedPackage): GivenLeg[] {
  if (swarm?.formSignature == null) return [];
  return swarm.legs.map(({ agentPubkey: agent, agreedPaymentLamports, confirmSignature }) => ({
    agent,
    funder,
    paidLamports: confirmSignature === null ? undefined : agreedPaymentLamports,
  }));
}

function ofTask({ listing, legs, paymentLamports }: FinishedTask): GivenLeg[] {
  const { funderPubkey: funder } = listing;
  return listing.legs.flatMap(({ legIndex, agentPubkey, assignSignature, confirmSignature }) => {
    const { givenUp, taken } = legs[legIndex] ?? UNTOUCHED;
    const given: GivenLeg[] = givenUp.map((agent) => ({ agent, funder, paidLamports: undefined }));
    if (assignSignature !== null && agentPubkey !== null) {
      given.push({
        agent: agentPubkey,
        funder,
        paidLamports: taken && confirmSignature !== null ? paymentLamports : undefined,
      });
    }
    return given;
  });
}
