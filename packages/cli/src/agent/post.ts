import { writeFile } from 'node:fs/promises';
import { rulesFor } from '@legwork/agents';
import {
  type DigitalTaskDetail,
  formatAmount,
  listDigitalTask,
  listPackage,
  type PackageDetail,
  parseSol,
  type Posted,
  receiverCode,
  SOL,
  stillOpen,
} from '@legwork/sdk';
import { messageOf, UsageError } from '../screen.js';
import { type Agent, LISTING_LAMPORTS } from './agent.js';
import { paidInNamed, requireLimits, unitsOf } from './assets.js';
import { partsIn } from './privateParts.js';
import { minuteOf, type Shown } from './output.js';
import { type Quoted, quoted, type TermsAsked } from './quote.js';
import { untilEnded } from './untilEnded.js';

interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** The terms that bind both sides, as options say them. */
interface TermsInput {
  readonly terms?: 'plain' | 'standard' | 'guarded';
  readonly arbiter?: string;
  readonly receiver?: string;
}

/** The amount to lock, and its source. */
interface MoneyInput {
  readonly budget: number;
  readonly asset?: string;
  /** The owner of the mandate that pays; left out: that of the policy, or the wallet of this key. */
  readonly mandate?: string;
}

interface PackageInput extends TermsInput, MoneyInput {
  readonly from: Place;
  readonly to: Place;
  readonly what: string;
  readonly kg: number;
  readonly litres: number;
  readonly hours: number;
  readonly window: number;
  /** The file for the code of a key for the receiver. */
  readonly receiverCode?: string;
  /** A file with the exact places of both ends. */
  readonly private?: string;
  /** Fewest completed legs of a courier; undefined: what the service requires by itself. */
  readonly minCompleted?: number;
  readonly wait?: true;
}

/** Posts a package and locks its budget in escrow; `wait` follows it to its end. */
export async function* postPackage(agent: Agent, input: PackageInput): AsyncGenerator<Shown> {
  const { from, to, what, kg, litres, budget, hours, window, minCompleted, receiverCode: file } = input;
  if (input.terms === 'plain' && file !== undefined) throw new UsageError(NO_TERMS);
  const receiver = file === undefined ? input.receiver : await writeCode(file);
  const terms = termsOf({ ...input, ...(receiver !== undefined && { receiver }) }, { cosignedPickup: true });
  const parts = input.private === undefined ? undefined : await partsIn(input.private);
  const { session, amount, mandate } = await sessionToPost(agent, input);
  const { client, signer, config } = session;
  const places = { originLat: from.lat, originLng: from.lng, destLat: to.lat, destLng: to.lng };
  const expected = await quoted(client, config, {
    wish: { ...places, weightKg: kg },
    terms,
    budget,
    asset: input.asset,
    mandate,
  });
  yield saying(expected);
  const listed = await listPackage(client, signer, {
    ...places,
    description: what,
    weightKg: kg,
    volumeLitres: litres,
    ...amount,
    deadline: after(hours),
    ...(window > 0 && { biddingWindowSec: window }),
    ...(parts && { private: parts }),
    ...(minCompleted !== undefined && { requirements: { minCompleted } }),
    ...(terms && { terms }),
  });
  const rounded = parts
    ? [`Everybody sees the area only. Who may reads the rest with ${agent.command(`private ${listed.id}`)}`]
    : [];
  const lines = [`Package ${listed.id} is listed; ${locked(listed)}`, ...boundBy(agent, listed), ...rounded];
  yield { data: { ...listed, quote: expected.quote }, text: lines.join('\n') };
  if (input.wait) yield* untilEnded(agent, session, listed.id);
}

/** Opens the key for a listing, and finds who pays for it: the mandate that was typed, or that the policy names for the asset, or the wallet. */
async function sessionToPost(agent: Agent, input: MoneyInput) {
  const { session, amount } = await sessionWith(agent, input);
  const mandate = input.mandate ?? rulesFor(session.assets, { asset: input.asset ?? SOL.asset })?.mandate;
  return { session, mandate, amount: { ...amount, ...(mandate !== undefined && { mandateOwnerPubkey: mandate }) } };
}

/** @param budget SOL, or whole units of another asset @throws UsageError for an amount that the asset has not */
async function sessionWith(agent: Agent, { budget, asset }: MoneyInput) {
  if (asset === undefined || asset === SOL.asset) {
    const session = await agent.session(parseSol(budget) + LISTING_LAMPORTS);
    return { session, amount: { maxBudgetSol: budget } };
  }
  const of = await paidInNamed(agent, asset);
  const maxBudget = unitsOf(budget, of);
  const session = await agent.session(LISTING_LAMPORTS, [], { asset: of.asset, amount: maxBudget });
  requireLimits(session, of);
  return { session, amount: { maxBudget: String(maxBudget), asset: of.asset } };
}

/** For people only: the quote comes to programs with what was posted. */
const saying = ({ lines }: Quoted): Shown => ({ data: undefined, text: lines.join('\n') });

const NO_TERMS = 'Without terms there is no arbiter and no receiver.';

/** The terms that the options ask for; undefined: what the SDK takes by itself. Of a package the shipper signs the pickup too. */
function termsOf(
  { terms: preset, arbiter, receiver }: TermsInput,
  more: { readonly cosignedPickup?: true } = {},
): TermsAsked | undefined {
  const named = {
    ...(arbiter !== undefined && { arbiterPubkey: arbiter }),
    ...(receiver !== undefined && { receiverPubkey: receiver }),
  };
  const isNamed = Object.keys(named).length > 0;
  if (preset === 'plain' && isNamed) throw new UsageError(NO_TERMS);
  if (preset === 'plain' || (preset === undefined && !isNamed)) return preset;
  return { preset: preset ?? 'standard', ...more, ...named };
}

/** Makes a key for the receiver. @returns its address @throws UsageError when the file is there already */
async function writeCode(file: string): Promise<string> {
  const { code, pubkey } = await receiverCode();
  await writeFile(file, `${code}\n`, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    throw new UsageError(`The code cannot be written to ${file}: ${messageOf(error)}`);
  });
  return pubkey;
}

function boundBy(agent: Agent, listed: Posted<PackageDetail> | Posted<DigitalTaskDetail>): string[] {
  if (listed.open !== null || listed.terms === null) return [];
  const { stake, arbiterPubkey, receiverPubkey, cosignedPickup } = listed.terms;
  const said = [
    `Who works on it stakes ${formatAmount(stake, listed)}; ${arbiterPubkey} rules disputes`,
    ...(receiverPubkey === null ? [] : [`${receiverPubkey} receives it`]),
    ...(cosignedPickup ? [`you sign the first pickup too; then this tells how: ${agent.command('turns')}`] : []),
  ];
  return [said.join('; ')];
}

interface TaskInput extends TermsInput, MoneyInput {
  readonly title: string;
  readonly what: string;
  readonly leg?: readonly string[];
  readonly minutes: number;
  readonly hours: number;
}

/** Posts a digital task and locks its budget in escrow; without legs the service plans them. */
export async function* postTask(agent: Agent, input: TaskInput): AsyncGenerator<Shown> {
  const { title, what, budget, leg, minutes, hours } = input;
  const terms = termsOf(input);
  const { session, amount, mandate } = await sessionToPost(agent, input);
  const { client, signer, config } = session;
  const wish = { numLegs: leg?.length ?? 1 };
  const expected = await quoted(client, config, {
    wish,
    terms,
    budget,
    asset: input.asset,
    mandate,
    isOfEachLeg: leg === undefined,
  });
  yield saying(expected);
  const listed = await listDigitalTask(client, signer, {
    title,
    description: what,
    ...amount,
    claimTimeoutSec: minutes * 60,
    deadline: after(hours),
    ...(leg && { legs: leg.map((instruction) => ({ instruction })) }),
    ...(terms && { terms }),
  });
  const lines = [`Task ${listed.id} is listed; ${locked(listed)}`, ...boundBy(agent, listed), ...planOf(listed)];
  yield { data: { ...listed, quote: expected.quote }, text: lines.join('\n') };
}

/** Each leg that the signature is for: it may be the service that planned them. */
function planOf(listed: Posted<DigitalTaskDetail>): string[] {
  if (listed.open !== null) return [];
  const { legs, paymentPerLeg } = listed;
  const pay = formatAmount(paymentPerLeg, listed);
  return legs.map(({ legIndex, instruction }) => `  leg ${legIndex + 1}, ${pay}: ${instruction}`);
}

function locked(listed: Posted<PackageDetail> | Posted<DigitalTaskDetail>): string {
  if (listed.open !== null) return `its budget is in escrow (transaction ${listed.signature})${stillOpen(listed)}`;
  const { maxBudget, deadline } = listed;
  return `${formatAmount(maxBudget, listed)} are in escrow until ${minuteOf(deadline)} at most.`;
}

function after(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString();
}
