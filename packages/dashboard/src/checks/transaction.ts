import type { RelayInstruction } from '@legwork/program-client';
import { formatSol } from '@legwork/sdk';
import type { LedgerTransaction } from './ledgerTransaction.js';
import type { Outcome } from './outcome.js';

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
  /** By how many lamports the balance of an account changed, the fee apart; below 0: it went out. */
  readonly moved?: readonly { readonly account: string; readonly lamports: bigint }[];
}

/**
 * Compares what a transaction did with what is claimed of it. Rule D-10.
 *
 * @param transaction undefined: the ledger shows no transaction with that signature
 */
export function checkClaim(transaction: LedgerTransaction | undefined, claim: Claim): Outcome {
  if (transaction === undefined) return differs('The ledger shows no such transaction.');
  if (transaction.error !== undefined) return differs('The transaction failed on the ledger.');
  const difference =
    instructionDiffers(transaction, claim) ?? signerDiffers(transaction, claim) ?? moneyDiffers(transaction, claim);
  return difference === undefined ? { holds: true, seen: `slot ${transaction.slot}` } : differs(difference);
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
    const others = found.map(({ name }) => name).join(', ') || 'nothing of the program';
    return `It holds ${others}, not ${names.join(' or ')}.`;
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
  return wrong && `Its ${wordsOf(wrong[0])} is ${actual[wrong[0]]?.address ?? 'not there'}, not ${wrong[1]}.`;
}

function argumentDiffers(instruction: RelayInstruction, { data: claimed = {} }: Claim): string | undefined {
  const actual = instruction.data as unknown as Readonly<Record<string, unknown>>;
  const wrong = Object.entries(claimed).find(([name, value]) => String(actual[name]) !== String(value));
  return wrong && `Its ${wordsOf(wrong[0])} is ${String(actual[wrong[0]])}, not ${wrong[1]}.`;
}

function signerDiffers({ signers }: LedgerTransaction, { signer }: Claim): string | undefined {
  if (signer === undefined || signers.some((one) => one === signer)) return undefined;
  return `It is signed by ${signers.join(' and ')}, not by ${signer}.`;
}

function moneyDiffers(transaction: LedgerTransaction, { moved = [] }: Claim): string | undefined {
  for (const { account, lamports } of moved) {
    const actual = changeOf(transaction, account);
    if (actual !== lamports) return `${account} ${wordsOfChange(actual)}, not ${signedSol(lamports)} SOL.`;
  }
  return undefined;
}

/** By how many lamports the transaction changed the balance of an account, the fee apart. */
export function changeOf({ balances, feeLamports }: LedgerTransaction, account: string): bigint {
  const at = balances.findIndex((balance) => balance.account === account);
  const balance = balances[at];
  if (balance === undefined) return 0n;
  return balance.after - balance.before + (at === 0 ? feeLamports : 0n);
}

/** An amount with its sign, in SOL. */
export function signedSol(lamports: bigint): string {
  const amount = lamports < 0n ? -lamports : lamports;
  return `${lamports < 0n ? '−' : '+'}${formatSol(amount)}`;
}

function wordsOfChange(lamports: bigint): string {
  return lamports === 0n ? 'neither got nor gave anything' : `changed by ${signedSol(lamports)} SOL`;
}

/** `nextLeg` as `next leg`. */
export function wordsOf(name: string): string {
  return name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
}
