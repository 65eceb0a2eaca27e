import { Client } from 'pg';
import type { CarriedPackage } from '../packages/couriers.js';
import { leftOf } from '../terms/bound.js';
import type { FinishedTask } from '../tasks/agents.js';
import { UNTOUCHED } from '../tasks/leg.js';

/** Notes a finding where two things differ. */
export class Comparison {
  readonly findings: string[] = [];

  equal(what: string, found: unknown, wanted: unknown): void {
    const [left, right] = [show(found), show(wanted)];
    if (left !== right) this.findings.push(`${what}: ${left} instead of ${right}`);
  }

  atMost(what: string, found: bigint, most: bigint): void {
    if (found > most) this.findings.push(`${what}: ${found}, more than ${most}`);
  }
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'nothing';
}

/** Asks the services' database over a connection of its own. */
export async function askDatabase<T>(connectionString: string, ask: (database: Client) => Promise<T>): Promise<T> {
  const database = new Client({ connectionString });
  // A query under way when PostgreSQL is killed is refused; the end of the connection is no news beside that.
  database.on('error', () => undefined);
  await database.connect();
  try {
    return await ask(database);
  } finally {
    await database.end().catch(() => undefined);
  }
}

/** The outcome of everything that was ever listed. */
export interface Outcome {
  readonly packages: readonly CarriedPackage[];
  readonly tasks: readonly FinishedTask[];
}

/** A leg that the ledger gave to an agent, and that counts in its reputation. */
export interface GivenLeg {
  readonly agent: string;
  readonly funder: string;
  /** The asset that it pays in. */
  readonly asset: string;
  /** Undefined: it was not completed. */
  readonly paidLamports: bigint | undefined;
}

/** Every leg of either kind that was ever given out on the ledger, but those whose agents left in time, which count nothing. Rule T-100. */
export function givenLegs({ packages, tasks }: Outcome): GivenLeg[] {
  return [...packages.flatMap(ofPackage), ...tasks.flatMap(ofTask)];
}

function ofPackage(ended: CarriedPackage): GivenLeg[] {
  const { swarm, funderPubkey: funder, asset } = ended.listing;
  if (swarm?.formSignature == null) return [];
  const lost = ended.bound?.lost ?? [];
  return [
    ...lost.map((agent) => ({ agent, funder, asset, paidLamports: undefined })),
    ...swarm.legs.map(({ legIndex, agentPubkey: agent, agreedPayment, confirmSignature }) => ({
      agent,
      funder,
      asset,
      paidLamports: confirmSignature === null ? undefined : leftOf(ended, legIndex, agreedPayment),
    })),
  ];
}

function ofTask(task: FinishedTask): GivenLeg[] {
  const { listing, legs, paymentLamports } = task;
  const { funderPubkey: funder, asset } = listing;
  return listing.legs.flatMap(({ legIndex, agentPubkey, assignSignature, confirmSignature }) => {
    const { givenUp, taken } = legs[legIndex] ?? UNTOUCHED;
    const lost = task.bound?.plot === 'left' ? [] : givenUp;
    const given: GivenLeg[] = lost.map((agent) => ({ agent, funder, asset, paidLamports: undefined }));
    if (assignSignature !== null && agentPubkey !== null) {
      given.push({
        agent: agentPubkey,
        funder,
        asset,
        paidLamports: taken && confirmSignature !== null ? leftOf(task, legIndex, paymentLamports) : undefined,
      });
    }
    return given;
  });
}
