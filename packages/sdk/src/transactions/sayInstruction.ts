import {
  ANY_ARBITER,
  type InstructionName,
  type Named,
  PERMITS,
  type RelayInstruction,
  SOL_ASSET,
} from '@legwork/program-client';
import { type Asset, formatAmount, SOL } from '@legwork/protocol/contract';
import { type Address, unwrapOption } from '@solana/kit';
import { bytesToHex } from '../hex.js';

/** The known asset of a token, by the asset's account or its number, or undefined. */
export type NameAsset = (of: Address | number) => Asset | undefined;

type Words = { readonly [Name in InstructionName]?: (of: Named<Name>, nameAsset: NameAsset) => readonly string[] };

/** The last one that a date can hold. */
const LAST_SECOND = 8_640_000_000_000n;

/** Says that it ends, and who gets the rest. */
const ending = (what: string, { funder }: { readonly funder: { readonly address: string } }) =>
  `Ends the ${what}; what is left in escrow returns to ${funder.address}`;

/** The words for its signer. Instructions that only coordinator and authority sign have no words here. */
const WORDS: Words = {
  listPackage: (of, nameAsset) => listing(of, nameAsset),
  listTask: (of, nameAsset) => listing(of, nameAsset),
  accept: ({ accounts, data }) => {
    // A leg of a digital task has no swarm.
    if (accounts.swarm === undefined) return ['Promises to do a leg of a digital task'];
    return [data.take ? 'Says that the courier has the parcel' : 'Promises to carry a leg of a package'];
  },
  vacate: ({ accounts }) => [`Takes the leg from ${accounts.courier.address}, so that another one can have it`],
  claim: ({ accounts, data }) => {
    const what =
      accounts.swarm === undefined ? 'the leg is done; result' : 'the parcel is where the leg ends; evidence';
    return [`Says that ${what}: sha256 ${bytesToHex(data.evidenceHash)}`];
  },
  dispute: ({ data }) => [
    `Disputes the claim, so that the arbiter rules; reason: sha256 ${bytesToHex(data.reasonHash)}`,
  ],
  rule: ({ accounts, data }) => [
    `Gives ${accounts.worker.address} ${data.percent} % of what the leg pays, and ends its dispute`,
  ],
  confirmLeg: ({ accounts }) => [
    `Pays ${accounts.courier.address} for the leg, for good: ${accounts.recipient.address} has the parcel`,
  ],
  confirmTaskLeg: ({ accounts, data }) => [
    `Pays ${accounts.agent.address} for the leg, for good; result: sha256 ${bytesToHex(data.resultHash)}`,
  ],
  cancelPackage: ({ accounts }) => [`Takes the package back; what is in escrow returns to ${accounts.funder.address}`],
  cancelTask: ({ accounts }) => [`Takes the task back; what is in escrow returns to ${accounts.funder.address}`],
  reclaimPackage: ({ accounts }) => [ending('package', accounts)],
  reclaimTask: ({ accounts }) => [ending('task', accounts)],
  settle: ({ accounts }) => [ending('package, of which every leg is paid', accounts)],
  settleTask: ({ accounts }) => [ending('task, of which every leg is paid', accounts)],
  closePackage: ({ accounts }) => [
    `Closes the account of a package that ended; its rent returns to ${accounts.funder.address}`,
  ],
  closeTask: ({ accounts }) => [
    `Closes the account of a task that ended; its rent returns to ${accounts.funder.address}`,
  ],
  collect: ({ accounts }) => [
    `Gives ${accounts.to.address} all that waits in the locker of ${accounts.wallet.address}, at ${accounts.from.address}`,
  ],
  setMandate: (of, nameAsset) => mandate(of, nameAsset),
  closeMandate: ({ accounts }) => [
    `Ends the mandate ${accounts.mandate.address}; what it holds returns to ${accounts.owner.address}`,
  ],
  openReputation: ({ accounts }) => [`Opens the account that counts the legs of ${accounts.agent.address}`],
};

/**
 * Says the effect of an instruction of the program, line by line, for the wallet that is asked to sign it: all of it from its bytes.
 *
 * @param nameAsset tells tokens by their names, in whole units; without it they are told in base units
 * @returns nothing for what no shipper, courier, agent or arbiter signs
 */
export function sayInstruction(
  instruction: RelayInstruction,
  nameAsset: NameAsset = () => undefined,
): readonly string[] {
  // Each name has the words of its own instruction: the table is made so.
  const say = WORDS[instruction.name] as
    | ((of: RelayInstruction, nameAsset: NameAsset) => readonly string[])
    | undefined;
  return say?.(instruction, nameAsset) ?? [];
}

/** Says amounts of an asset; undefined: SOL. */
function amountsOf(asset: Address | number | undefined, nameAsset: NameAsset) {
  const known = asset === undefined ? SOL : nameAsset(asset);
  return (of: bigint) => (known ? formatAmount(of, known) : `${of} units of the token of asset ${asset}`);
}

function listing({ data, tokens }: Named<'listPackage' | 'listTask'>, nameAsset: NameAsset): string[] {
  const amount = amountsOf(tokens?.asset, nameAsset);
  const terms = unwrapOption(data.terms);
  return [
    `Locks in escrow: ${amount(data.maxBudget)}`,
    `Until at most: ${minuteOf(data.deadline)}`,
    ...(terms === null ? [] : [`Stake of each side: ${amount(terms.stake)}. ${terms.arbiter} rules what they dispute`]),
  ];
}

function mandate({ accounts, data }: Named<'setMandate'>, nameAsset: NameAsset): string[] {
  const { asset, permits, cap, period, expiresAt, maxAhead, arbiter } = data;
  const amount = amountsOf(asset === SOL_ASSET ? undefined : asset, nameAsset);
  const kinds = [permits & PERMITS.packages ? 'packages' : [], permits & PERMITS.tasks ? 'digital tasks' : []].flat();
  const bound = arbiter === ANY_ARBITER ? 'with terms' : `with terms whose disputes ${arbiter} rules`;
  const isBound = arbiter !== ANY_ARBITER || (permits & PERMITS.onlyWithTerms) !== 0;
  return [
    `Lets ${accounts.delegate.address} list ${kinds.join(' and ') || 'nothing'} with what lies at ${accounts.mandate.address}`,
    `At most: ${amount(cap)} in each period of ${period} seconds`,
    ...(isBound ? [`Only ${bound}`] : []),
    `Deadlines: at most ${maxAhead} seconds ahead`,
    expiresAt === 0n ? 'For as long as its owner does not end it' : `Until: ${minuteOf(expiresAt)}`,
  ];
}

/** @param seconds since 1970; the program takes no deadline that a date could not hold, but any expiry */
function minuteOf(seconds: bigint): string {
  if (seconds < 0n || seconds > LAST_SECOND) return `second ${seconds} since 1970`;
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
