import { writeFile } from 'node:fs/promises';
import {
  type DigitalTaskDetail,
  formatSol,
  listDigitalTask,
  listPackage,
  parseSol,
  receiverCode,
  type Terms,
  type TermsChoice,
} from '@legwork/sdk';
import { messageOf, UsageError } from '../screen.js';
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
  readonly terms?: 'plain' | 'standard' | 'guarded';
  readonly arbiter?: string;
  readonly receiver?: string;
  /** Where the code of a key for the consignee is to be written. */
  readonly receiverCode?: string;
}

/** Posts a package and locks its budget in escrow. */
export async function postPackage(agent: Agent, input: PackageInput): Promise<Shown> {
  const { from, to, what, kg, litres, budget, hours, window } = input;
  const terms = await termsOf(input);
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
    ...(terms && { terms }),
  });
  const bound = listed.terms ? [boundBy(listed.terms)] : [];
  return { data: listed, text: [`Package ${listed.id} is listed; ${locked(listed)}`, ...bound].join('\n') };
}

/** The terms that the options ask for; undefined: what the SDK takes by itself. */
async function termsOf(input: PackageInput): Promise<TermsChoice | undefined> {
  const { terms: preset, arbiter, receiver, receiverCode: file } = input;
  if (arbiter === undefined && receiver === undefined && file === undefined) return preset && chosen(preset);
  if (preset === 'plain') throw new UsageError('A package without terms has no arbiter and no receiver.');
  const receiverPubkey = file === undefined ? receiver : await writeCode(file);
  return {
    preset: preset ?? 'standard',
    cosignedPickup: true,
    ...(arbiter !== undefined && { arbiterPubkey: arbiter }),
    ...(receiverPubkey !== undefined && { receiverPubkey }),
  };
}

/** As the SDK does where nothing is named: the shipper signs the first pickup too. */
function chosen(preset: 'plain' | 'standard' | 'guarded'): TermsChoice {
  return preset === 'plain' ? preset : { preset, cosignedPickup: true };
}

/** Makes a key for the consignee. @returns its address @throws UsageError when the file is there already */
async function writeCode(file: string): Promise<string> {
  const { code, pubkey } = await receiverCode();
  await writeFile(file, `${code}\n`, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    throw new UsageError(`The code cannot be written to ${file}: ${messageOf(error)}`);
  });
  return pubkey;
}

function boundBy({ stakeLamports, arbiterPubkey, receiverPubkey, cosignedPickup }: Terms): string {
  return [
    `Couriers stake ${formatSol(stakeLamports)} SOL; ${arbiterPubkey} rules disputes`,
    ...(receiverPubkey === null ? [] : [`${receiverPubkey} receives it`]),
    ...(cosignedPickup ? ['you sign the first pickup too: legwork move take'] : []),
  ].join('; ');
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
