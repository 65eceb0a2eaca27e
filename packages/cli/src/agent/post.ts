import { type DigitalTaskDetail, formatSol, listDigitalTask, listPackage, parseSol } from '@legwork/sdk';
import { type Agent, LISTING_LAMPORTS } from './agent.js';
import { minuteOf, type Shown } from './output.js';

interface Place {
  readonly lat: number;
  readonly lng: number;
}

interface PackageInput {
  readonly from: Place;
  readonly to: Place;
  readonly what: string;
  readonly kg: number;
  readonly litres: number;
  readonly budget: number;
  readonly hours: number;
  readonly window: number;
}

/** Posts a package and locks its budget in escrow. */
export async function postPackage(agent: Agent, input: PackageInput): Promise<Shown> {
  const { from, to, what, kg, litres, budget, hours, window } = input;
  const { client, signer } = await agent.session(parseSol(budget) + LISTING_LAMPORTS);
  const listed = await listPackage(client, signer, {
    originLat: from.lat,
    originLng: from.lng,
    destLat: to.lat,
    destLng: to.lng,
    description: what,
    weightKg: kg,
    volumeLitres: litres,
    maxBudgetSol: budget,
    deadline: after(hours),
    ...(window > 0 && { biddingWindowSec: window }),
  });
  return { data: listed, text: `Package ${listed.id} is listed; ${locked(listed)}` };
}

interface TaskInput {
  readonly title: string;
  readonly what: string;
  readonly budget: number;
  readonly leg?: readonly string[];
  readonly minutes: number;
  readonly hours: number;
}

/** Posts a digital task and locks its budget in escrow; without legs the service plans them. */
export async function postTask(agent: Agent, { title, what, budget, leg, minutes, hours }: TaskInput): Promise<Shown> {
  const { client, signer } = await agent.session(parseSol(budget) + LISTING_LAMPORTS);
  const listed = await listDigitalTask(client, signer, {
    title,
    description: what,
    maxBudgetSol: budget,
    claimTimeoutSec: minutes * 60,
    deadline: after(hours),
    ...(leg && { legs: leg.map((instruction) => ({ instruction })) }),
  });
  return { data: listed, text: [`Task ${listed.id} is listed; ${locked(listed)}`, ...planOf(listed)].join('\n') };
}

/** Each leg that the signature is for: it may be the service that planned them. */
function planOf({ legs, paymentPerLegLamports }: DigitalTaskDetail): string[] {
  const pay = formatSol(paymentPerLegLamports);
  return legs.map(({ legIndex, instruction }) => `  leg ${legIndex + 1}, ${pay} SOL: ${instruction}`);
}

function locked({ maxBudgetLamports, deadline }: { maxBudgetLamports: bigint; deadline: Date }): string {
  return `${formatSol(maxBudgetLamports)} SOL are in escrow until ${minuteOf(deadline)} at most.`;
}

function after(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString();
}
