import type { RelayInstruction } from '@legwork/program-client';
import { type Asset, SOL } from '@legwork/sdk';
import type { LedgerTransaction } from './ledgerTransaction.js';
import type { Outcome } from './outcome.js';
import { amountIn, t } from '../language.js';

/** What somebody says that a transaction did. What is left out is not compared. */
export interface Claim {
  readonly signature: string;
  /** The instruction of the relay program; several: any of them. */
  readonly instruction: RelayInstruction['name'] | readonly RelayInstruction['name'][];
  /** Addresses by the role that the instruction gives them, such as `vault`. */
  readonly accounts?: Readonly<Record<string, string>>;
  /** Its arguments by their names, such as `maxBudget`: they are in the signed bytes. */
  readonly data?: Readonly<Record<string, bigint | number>>;
  /** Who signed. */
  readonly signer?: string;
  /** By how many base units the balance of an account changed, the fee apart; below 0: it went out. Of a token the account is its owner. */
  readonly moved?: readonly { readonly account: string; readonly amount: bigint }[];
}

/** What amounts are of: lamports, or those of a token by its mint. */
export interface MovedIn extends Asset {
  /** Undefined: SOL. */
  readonly mint?: string | undefined;
  /** The wallets' lockers: there the program pays whose token account cannot receive. */
  readonly lockers?: ReadonlyMap<string, string>;
}

/**
 * Compares what a transaction did with what is claimed of it. Rule D-10.
 *
 * @param transaction undefined: the ledger shows no transaction with that signature
 */
export function checkClaim(transaction: LedgerTransaction | undefined, claim: Claim, of: MovedIn = SOL): Outcome {
  if (transaction === undefined) return differs(t('The ledger shows no such transaction.'));
  if (transaction.error !== undefined) return differs(t('The transaction failed on the ledger.'));
  const difference =
    instructionDiffers(transaction, claim) ?? signerDiffers(transaction, claim) ?? moneyDiffers(transaction, claim, of);
  return difference === undefined
    ? { holds: true, seen: t('slot {slot}', { slot: String(transaction.slot) }) }
    : differs(difference);
}

function differs(difference: string): Outcome {
  return { holds: false, difference };
}

/** The first difference of the instruction that comes closest; undefined: one is as claimed. */
function instructionDiffers({ instructions }: LedgerTransaction, claim: Claim): string | undefined {
  const names: readonly string[] = [claim.instruction].flat();
  const found = instructions.flatMap(({ relay }) => relay ?? []);
  const named = found.filter(({ name }) => names.includes(name));
  if (named.length === 0) {
    const others = found.map(({ name }) => name).join(', ') || t('nothing of the program');
    const wanted = names.reduce((one, other) => t('{one} or {other}', { one, other }));
    return t('It holds {others}, not {wanted}.', { others, wanted });
  }
  const [closest] = named.toSorted((a, b) => inCommon(b, claim) - inCommon(a, claim));
  return closest && (roleDiffers(closest, claim) ?? argumentDiffers(closest, claim));
}

/** How many accounts and arguments are as claimed. */
function inCommon({ accounts, data }: RelayInstruction, claim: Claim): number {
  const addresses = accounts as Readonly<Record<string, { readonly address: string } | undefined>>;
  const values = data as unknown as Readonly<Record<string, unknown>>;
  const roles = Object.entries(claim.accounts ?? {}).filter(([role, address]) => addresses[role]?.address === address);
  return (
    roles.length +
    Object.entries(claim.data ?? {}).filter(([name, value]) => String(values[name]) === String(value)).length
  );
}

function roleDiffers({ accounts }: RelayInstruction, { accounts: claimed = {} }: Claim): string | undefined {
  const actual = accounts as Readonly<Record<string, { readonly address: string } | undefined>>;
  const wrong = Object.entries(claimed).find(([role, address]) => actual[role]?.address !== address);
  if (wrong === undefined) return undefined;
  const [role, wanted] = wrong;
  const found = actual[role]?.address;
  return found === undefined
    ? t('Its {role} is not there, not {wanted}.', { role: wordsOf(role), wanted })
    : t('Its {role} is {found}, not {wanted}.', { role: wordsOf(role), found, wanted });
}

function argumentDiffers(instruction: RelayInstruction, { data: claimed = {} }: Claim): string | undefined {
  const actual = instruction.data as unknown as Readonly<Record<string, unknown>>;
  const wrong = Object.entries(claimed).find(([name, value]) => String(actual[name]) !== String(value));
  if (wrong === undefined) return undefined;
  const [name, wanted] = wrong;
  return t('Its {role} is {found}, not {wanted}.', {
    role: wordsOf(name),
    found: String(actual[name]),
    wanted: String(wanted),
  });
}

function signerDiffers({ signers }: LedgerTransaction, { signer }: Claim): string | undefined {
  if (signer === undefined || signers.some((one) => one === signer)) return undefined;
  return t('It is signed by {signers}, not by {signer}.', { signers: allOf(signers), signer });
}

function moneyDiffers(transaction: LedgerTransaction, { moved = [] }: Claim, of: MovedIn): string | undefined {
  for (const { account, amount } of moved) {
    const actual = changeOf(transaction, account, of);
    if (actual === amount) continue;
    const wanted = signedAmount(amount, of);
    return actual === 0n
      ? t('{account} neither got nor gave anything, not {wanted}.', { account, wanted })
      : t('{account} changed by {found}, not {wanted}.', { account, found: signedAmount(actual, of), wanted });
  }
  return undefined;
}

/** By how much the transaction changed what an account has of it, the fee apart; of a token, what its owner has, with what is in its locker. */
export function changeOf(transaction: LedgerTransaction, account: string, of: MovedIn = SOL): bigint {
  const { balances, feeLamports } = transaction;
  if (of.mint !== undefined) {
    return tokensOf(transaction, account, of).reduce((sum, { before, after }) => sum + after - before, 0n);
  }
  const at = balances.findIndex((balance) => balance.account === account);
  const balance = balances[at];
  if (balance === undefined) return 0n;
  return balance.after - balance.before + (at === 0 ? feeLamports : 0n);
}

/** What an account has of it afterwards. */
export function leftOf(transaction: LedgerTransaction, account: string, of: MovedIn): bigint {
  if (of.mint !== undefined) {
    return tokensOf(transaction, account, { ...of, lockers: new Map() }).reduce((sum, { after }) => sum + after, 0n);
  }
  return transaction.balances.find((balance) => balance.account === account)?.after ?? 0n;
}

const tokensOf = ({ tokens }: LedgerTransaction, account: string, { mint, lockers }: MovedIn) =>
  tokens.filter((one) => one.mint === mint && (one.owner === account || one.owner === lockers?.get(account)));

/** An amount with its sign. */
export function signedAmount(amount: bigint, of: Asset): string {
  return `${amount < 0n ? '−' : '+'}${amountIn(amount < 0n ? -amount : amount, of)}`;
}

/** `one and another`. @param names one at least */
export const allOf = (names: readonly string[]): string =>
  names.reduce((one, other) => t('{one} and {other}', { one, other }));

/** `nextLeg` as `next leg`. */
export function wordsOf(name: string): string {
  return name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
}
