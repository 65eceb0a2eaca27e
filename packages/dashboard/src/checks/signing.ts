import type { RelayInstruction } from '@legwork/program-client';
import { type Terms, uuidToBytes } from '@legwork/protocol/contract';
import { packageTermsHash } from '@legwork/protocol/rules';
import type { Lamports, ReadTransaction } from '@legwork/sdk';
import { unwrapOption } from '@solana/kit';
import { boundDiffers } from './bound.js';
import { wordsOf } from './transaction.js';

type Name = RelayInstruction['name'];
type Value = string | bigint | number | boolean;

/** A transaction as it was read: one instruction of the program, and nothing else. */
export type Read<N extends Name = Name> = Pick<ReadTransaction<Name>, 'feePayer' | 'signers'> & {
  readonly instruction: Extract<RelayInstruction, { name: N }>;
};

/** What a transaction has to say, and who alone signs it; one of them pays the fee. */
export interface Wanted {
  readonly name: Name;
  readonly accounts: Readonly<Record<string, string>>;
  /** Bytes in hexadecimal digits. */
  readonly data: Readonly<Record<string, Value>>;
  readonly signers: readonly string[];
}

/** What a person wants to be carried, as it is to be listed. */
export interface WantedListing {
  readonly packageId: string;
  readonly shipper: string;
  readonly maxBudget: Lamports;
  /** Unix seconds. */
  readonly deadline: bigint;
  readonly listed: Parameters<typeof packageTermsHash>[0];
  /** What binds both sides: null: nothing. */
  readonly terms: Terms | null;
}

/** What the transaction that lists a package has to say, but for what binds both sides: {@link listingBinds}. */
export function wantedListing({ packageId, shipper, maxBudget, deadline, listed }: WantedListing) {
  const termsHash = packageTermsHash(listed).hex;
  const data = { packageId: hexOf(uuidToBytes(packageId)), maxBudget, deadline, termsHash };
  return { name: 'listPackage', accounts: { funder: shipper, shipper }, data, signers: [shipper] } as const;
}

/**
 * How what a listing binds both sides by differs from what was chosen; undefined: in nothing. The terms are those that this browser
 * made of the choice.
 */
export function listingBinds({ instruction }: Read<'listPackage'>, { terms }: WantedListing): string | undefined {
  return boundDiffers(terms, unwrapOption(instruction.data.terms));
}

/** How a transaction differs from what it has to say; undefined: in nothing, so that it may be signed. Rule D-17. */
export function transactionDiffers(read: Read, wanted: Wanted): string | undefined {
  const { instruction, feePayer, signers } = read;
  const accounts = instruction.accounts as Readonly<Record<string, { readonly address: string } | undefined>>;
  const data = instruction.data as unknown as Readonly<Record<string, unknown>>;
  const found: [string, string, string][] = [
    ['instruction', instruction.name, wanted.name],
    ...Object.entries(wanted.accounts).map(([role, key]): [string, string, string] => [
      wordsOf(role),
      accounts[role]?.address ?? 'nobody',
      key,
    ]),
    ...Object.entries(wanted.data).map(([name, value]): [string, string, string] => [
      wordsOf(name),
      textOf(data[name]),
      String(value),
    ]),
    ['signers', signers.toSorted().join(' and '), wanted.signers.toSorted().join(' and ')],
  ];
  const differing = found.find(([, is, should]) => is !== should);
  if (differing) return `Its ${differing[0]} is ${differing[1]}, not ${differing[2]}.`;
  return wanted.signers.includes(feePayer) ? undefined : `Its fee is paid by ${feePayer}.`;
}

const textOf = (value: unknown): string => (value instanceof Uint8Array ? hexOf(value) : String(value));

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
