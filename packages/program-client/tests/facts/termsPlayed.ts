import type { RelayInstruction } from '@legwork/program-client';
import type { Address } from '@solana/kit';
import type { PackageFacts } from '@legwork/program-client/facts';
import { BEGAN, replayed, STEP, type Told, type Transaction } from './histories.js';
import { anyAddress } from './instructions.js';
import type { Holder } from './movesOnLedger.js';
import { TermsOnLedger } from './termsOnLedger.js';

export const [ada, ben, cy, passerBy]: Address[] & [Address, Address, Address, Address] = [
  await anyAddress(),
  await anyAddress(),
  await anyAddress(),
  await anyAddress(),
];
export const FIRST: Holder = { index: 0, courier: ada };
export const SECOND: Holder = { index: 1, courier: ben };
export const [PAYMENT, OTHER_PAYMENT] = [301n, 500n];
/** The transactions of listing and formation come first. */
export const FORMED = 2;

export const atOf = (transaction: number) => BEGAN + STEP * BigInt(transaction);

interface Played {
  parcel: TermsOnLedger;
  found: PackageFacts;
  leg: (index: number) => NonNullable<PackageFacts['formation']>['legs'][number];
}

/** Lists and forms a package of two legs, and then lets each instruction land in a transaction of its own. */
export async function played(
  moves: (parcel: TermsOnLedger) => (RelayInstruction | Transaction)[],
  told: Told = {},
): Promise<Played> {
  const parcel = await TermsOnLedger.of([ada, ben], [PAYMENT, OTHER_PAYMENT]);
  const done = moves(parcel).map((one) => (Array.isArray(one) ? one : [one]));
  const found = replayed([[parcel.list()], parcel.form(), ...done], told).packages.get(parcel.address);
  if (!found) throw new Error('the package is listed');
  const leg = (index: number) => {
    const facts = found.formation?.legs[index];
    if (!facts) throw new Error('the swarm is formed');
    return facts;
  };
  return { parcel, found, leg };
}
