import {
  associatedTokenAddress,
  closeMandate,
  createAssociatedToken,
  getCancelPackageInstruction,
  getCancelTaskInstruction,
  getClosePackageInstruction,
  getCloseTaskInstruction,
  getCollectInstruction,
  getReclaimPackageInstruction,
  getReclaimTaskInstruction,
  getSettleInstruction,
  getSettleTaskInstruction,
  configAddress,
  lockerAddress,
  type Returning,
  TOKEN_PROGRAM_ADDRESS,
} from '@legwork/program-client';
import type { ListingExit } from '@legwork/protocol/rules';
import { AccountRole, type Address, createNoopSigner, type Instruction } from '@solana/kit';
import { expectedConfirmation, expectedMove, type MoveDetails } from '../turns/expectedMoves.js';
import { readLegOf } from '../turns/readLeg.js';
import { ExitError } from './exitRpc.js';
import type { FoundMandate } from './discover.js';
import type { ExitLedger, FoundListing } from './found.js';
import type { ExitStep } from './exitSteps.js';
import { readAccounts } from './readAccounts.js';
import { assetOf, readListing } from './readListing.js';

/** The details of a step: the sha256 of a text, a percentage. */
export type StepDetails = Pick<MoveDetails, 'hash' | 'percent' | 'evenBeforePickup' | 'claimedHash'>;

/** Instructions about a listing that pays in a token, or in SOL. */
export interface Built {
  readonly instructions: readonly Returning[];
  /** The listing of the step, or undefined if it is about none. */
  readonly listing: FoundListing | undefined;
}

/** The key that takes the step, and the payer of fees and rents. */
export interface Signers {
  readonly key: Address;
  readonly payer: Address;
}

/** Builds a step from the ledger, as it is now. @throws {ExitError}, {TransactionRefusedError} when it cannot be made */
export async function buildStep(
  ledger: ExitLedger,
  { key, payer }: Signers,
  step: ExitStep,
  details: StepDetails,
  mandates: readonly FoundMandate[],
): Promise<Built> {
  if (step.action === 'collect')
    return { instructions: await collecting(ledger, { key, payer }, step.of), listing: undefined };
  if (step.action === 'end') {
    const mandate = mandates.find(({ address }) => address === step.of);
    if (mandate === undefined) throw new ExitError(`${key} gave no mandate at ${step.of}`);
    return { instructions: await endingMandate(ledger, { key, payer }, mandate), listing: undefined };
  }
  const listing = await readListing(ledger, step.of);
  const instruction = isWhole(step.action)
    ? await wholeInstruction(ledger, listing, key, step.action)
    : await legInstruction(ledger, listing, key, step, details);
  return { instructions: [instruction], listing };
}

const WHOLE: ReadonlySet<string> = new Set(['cancel', 'reclaim', 'settle', 'close']);
const isWhole = (action: ExitStep['action']): action is ListingExit => WHOLE.has(action);

async function legInstruction(
  { rpc, program }: ExitLedger,
  { kind, address, terms }: FoundListing,
  key: Address,
  { action, legIndex }: ExitStep,
  details: StepDetails,
): Promise<Instruction> {
  if (legIndex === undefined || isWhole(action) || action === 'collect' || action === 'end') {
    throw new ExitError(`${action} is about one leg: say which`);
  }
  if (kind === 'package' && details.claimedHash !== undefined) {
    throw new ExitError(
      'a parcel is confirmed without a text: it would not be compared with the claim, whose hash only the claiming transaction has',
    );
  }
  const leg = await readLegOf(rpc, program, address, legIndex, kind);
  if (leg === undefined) throw new ExitError(`the ledger has no leg ${legIndex + 1} of ${address}`);
  const { terms: bound } = leg;
  const expected =
    bound === null || terms === null
      ? expectedConfirmation(leg, key, details)
      : expectedMove({ ...leg, terms: bound, listingOf: { packageId: address } }, key, { ...details, action });
  // The longest one shows all that a clock could ask for.
  const form = expected.forms.at(-1);
  if (form === undefined) throw new ExitError(`the ledger takes no ${action} of leg ${legIndex + 1} as it stands now`);
  const [cosigner] = expected.cosigners;
  if (cosigner === undefined) return form;
  throw new ExitError(`${cosigner} has to sign this too: it is not made by one key alone`);
}

async function wholeInstruction(
  { program }: ExitLedger,
  listing: FoundListing,
  key: Address,
  action: ListingExit,
): Promise<Returning> {
  const { kind, address, funder, vault, swarm, legs } = listing;
  const to = { programAddress: program };
  const common = { signer: createNoopSigner(key), config: await configAddress(program), funder };
  if (kind === 'task') {
    const task = { ...common, task: address };
    if (action === 'cancel') return getCancelTaskInstruction({ ...task, vault }, to);
    if (action === 'close') return getCloseTaskInstruction(task, to);
    const legsWithRentPayers = legs.flatMap((leg) => (leg.rentPayer === undefined ? [] : [leg.address, leg.rentPayer]));
    if (action === 'settle') return getSettleTaskInstruction({ ...task, vault, legsWithRentPayers }, to);
    const agents = waitingIn(listing);
    return { ...getReclaimTaskInstruction({ ...task, vault, legsWithRentPayers, agents }, to), waiting: agents };
  }
  const parcel = { ...common, package: address };
  if (action === 'cancel') return getCancelPackageInstruction({ ...parcel, vault }, to);
  if (action === 'close') return getClosePackageInstruction(parcel, to);
  if (swarm === undefined) throw new ExitError(`the ledger shows nobody under way with ${address}`);
  const ended = {
    ...parcel,
    vault,
    swarm: swarm.address,
    rentPayer: swarm.rentPayer,
    legs: legs.map((leg) => leg.address),
  };
  if (action === 'settle') return getSettleInstruction(ended, to);
  const couriers = waitingIn(listing);
  return { ...getReclaimPackageInstruction({ ...ended, couriers }, to), waiting: couriers };
}

/** The workers who get a stake back by a reclaim, in order. Rule T-39. */
const waitingIn = ({ legs }: FoundListing) =>
  legs.flatMap(({ stage, worker }) => (stage === 'accepted' ? [worker] : []));

async function collecting(
  { rpc, program }: ExitLedger,
  { key, payer }: Signers,
  mint: Address,
): Promise<Instruction[]> {
  const locker = await lockerAddress(program, key);
  const [from, to] = await Promise.all([associatedTokenAddress(locker, mint), associatedTokenAddress(key, mint)]);
  const accounts = { wallet: createNoopSigner(key), locker, from, to, tokenProgram: TOKEN_PROGRAM_ADDRESS };
  const isThere = (await readAccounts(rpc, [to]))[0] !== undefined;
  return [
    ...(isThere ? [] : [await createAssociatedToken(paying(payer), key, mint)]),
    getCollectInstruction(accounts, { programAddress: program }),
  ];
}

const paying = (address: Address) => ({ address, role: AccountRole.WRITABLE_SIGNER });

async function endingMandate(
  ledger: ExitLedger,
  { key, payer }: Signers,
  mandate: FoundMandate,
): Promise<Instruction[]> {
  const owner = createNoopSigner(key);
  const { token } = await assetOf(ledger, mandate.number);
  const purse = token && (await associatedTokenAddress(mandate.address, token.mint));
  const hasTokens = purse !== undefined && (await readAccounts(ledger.rpc, [purse]))[0] !== undefined;
  return [
    // Its tokens come to an account that exists.
    ...(token && hasTokens ? [await createAssociatedToken(paying(payer), key, token.mint)] : []),
    await closeMandate(ledger.program, { owner, delegate: mandate.delegate, asset: token }, hasTokens),
  ];
}
