import { associatedTokenAddress, listingRent } from '@legwork/program-client';
import type { Named, RelayInstruction } from '@legwork/program-client';
import { createSalt } from '@legwork/protocol/contract';
import { getBase64EncodedWireTransaction, unwrapOption } from '@solana/kit';
import { ledgerRpc } from './ledgerRpc.js';
import type { Address } from '@solana/kit';
import type { PaidToken } from './assets.js';
import { type LegworkClient, serviceConfig, type ServiceConfig } from './client.js';
import { affordable, isToBeRelayed, relay } from './feePayer.js';
import { errorOf, isRefusal, landedDespite } from './landed.js';
import type { Landed, OpenStep, StatusRpc } from './landed.js';
import { LegworkApiError, LegworkNetworkError, TransactionRefusedError } from './errors.js';
import { pause } from './pause.js';
import type { LedgerSigner } from './signer.js';
import { readTransaction, signatureOf } from './transactions/readTransaction.js';
import { requireOwn, signTransaction, signWith } from './transactions/signTransaction.js';

/** A term of a listing: its name, the value found, and the value that the draft wants. */
export type Term = readonly [name: string, found: string | bigint | number, wanted: string | bigint | number];

/** An instruction that lists something. */
type ListingName = 'listPackage' | 'listTask';

/** How a listing reached the service: as bytes, or by the name under which the ledger has it. */
export type Proof = { readonly transaction: string } | { readonly signature: string };

const SUBMIT_ATTEMPTS = 3;
const SUBMIT_PAUSE_MS = 500;

/**
 * Signs a listing that the service built, once every term of it is the draft's.
 *
 * @param base64 the unsigned wire transaction
 * @param termsOf the terms to compare
 * @returns the signed wire transaction in base64
 * @throws {TransactionRefusedError} when it is another instruction, or has other terms
 */
export async function signIfAgreed<Name extends ListingName>(
  client: LegworkClient,
  signer: LedgerSigner,
  { base64, name, token, funder }: { base64: string; name: Name; token: PaidToken | undefined; funder: Address },
  termsOf: (instruction: Extract<RelayInstruction, { name: Name }>) => readonly Term[],
): Promise<string> {
  const { programId } = await serviceConfig(client);
  const { instruction } = readTransaction(base64, { programId, name, token });
  await requireOwnTokens(instruction, funder, token);
  for (const [term, found, wanted] of termsOf(instruction)) {
    if (found !== wanted) {
      throw new TransactionRefusedError(`the ${term} of the listing is ${found}, but the draft's is ${wanted}`);
    }
  }
  if (token === undefined) return signTransaction(base64, signer, { programId, name });
  const transaction = requireOwn(base64, signer, { programId, name, token });
  // A mandate pays the rents of what it funds.
  const lends = funder === signer.address ? rentOf(instruction) : 0n;
  // Nothing lands before it is submitted: who repeats that after a lost answer lists nothing twice.
  const payable = await affordable({ client, transaction, lends });
  return getBase64EncodedWireTransaction(await signWith([signer], payable));
}

/** The rent that the account of a listing takes from its funder. Rule M-99. */
const rentOf = ({ name, data }: Named<ListingName>): bigint =>
  listingRent(name === 'listPackage' ? 'package' : 'task', unwrapOption(data.terms) !== null);

/** The program takes the budget from an account of the asset's mint: so that is the mint that was meant. @throws {TransactionRefusedError} */
async function requireOwnTokens(
  { name, tokens }: RelayInstruction,
  owner: Address,
  token: PaidToken | undefined,
): Promise<void> {
  if (token === undefined) return;
  const own = await associatedTokenAddress(owner, token.mint);
  if (tokens?.parties[0] === own) return;
  throw new TransactionRefusedError(`${name} takes the budget from ${tokens?.parties[0]}, and not from ${own}`);
}

/** The salt of a listing: the draft's, else a new one where the service takes salts. Rule M-78. */
export function listingSalt(draft: { salt?: string | undefined }, config: ServiceConfig): string | undefined {
  return draft.salt ?? (config.termsDocument >= 2 ? createSalt() : undefined);
}

/** The unix seconds that a listing has to have: those of the draft, or whatever the service chose. */
export function wantedDeadline(deadline: string | undefined, chosen: bigint): bigint {
  return deadline === undefined ? chosen : BigInt(Math.floor(Date.parse(deadline) / 1000));
}

/** The listing as the service shows it; or, where it does not answer and the ledger has it, its id. */
export type Posted<Detail extends { readonly id: string }> =
  | (Detail & Landed & { readonly open: null })
  | (Pick<Detail, 'id'> & Landed & { readonly open: OpenStep });

/** A signed transaction that the service is to send. */
export interface Submission<Answer extends object, Known extends object> {
  /** Wire form, base64. */
  readonly transaction: string;
  readonly submit: (proof: Proof) => Promise<Answer>;
  /** The remaining work, in words, when the service does not say what came of it. */
  readonly what: string;
  /** The answer then. */
  readonly known: () => Known | Promise<Known>;
  /** Of the ledger that is asked then; default: where the service says. */
  readonly rpc?: StatusRpc | undefined;
}

/**
 * Submits a signed transaction, the same bytes up to three times when no answer comes. One that the service is to pay for it completes first,
 * the same bytes again for the same one. Where the service does not say what came of it,
 * the ledger is asked: what landed is not told as failed.
 *
 * @throws {LegworkApiError} `transaction_failed` when the ledger refuses it; nothing is locked then
 * @throws {LegworkNetworkError} when no answer came, and the ledger does not show it
 */
export async function submitSigned<Answer extends object, Known extends object>(
  client: LegworkClient,
  { transaction: signed, submit, what, known, rpc }: Submission<Answer, Known>,
): Promise<(Answer & Landed & { open: null }) | (Known & Landed & { open: OpenStep })> {
  const transaction = isToBeRelayed(signed) ? await relay(client, signed) : signed;
  try {
    return { ...(await submitOrFind(transaction, submit)), signature: signatureOf(transaction), open: null };
  } catch (error) {
    if (isRefusal(error)) throw error;
    const ledger = rpc ?? (await ledgerOf(client));
    if (ledger === undefined || !(await landedDespite(error, ledger, transaction))) throw error;
    return { ...(await known()), signature: signatureOf(transaction), open: { what, why: errorOf(error) } };
  }
}

async function submitOrFind<Answer>(transaction: string, submit: (proof: Proof) => Promise<Answer>): Promise<Answer> {
  try {
    return await submitPatiently(() => submit({ transaction }));
  } catch (error) {
    if (!(error instanceof LegworkApiError) || error.code !== 'transaction_failed') throw error;
    // An expired transaction is refused also when it landed in its time: then its signature tells.
    return submit({ signature: signatureOf(transaction) }).catch(() => {
      throw error;
    });
  }
}

/** Undefined: the service never said which one it is, and does not now. */
async function ledgerOf(client: LegworkClient): Promise<StatusRpc | undefined> {
  const config = await serviceConfig(client).catch(() => undefined);
  return config && ledgerRpc(config.rpcUrl);
}

async function submitPatiently<Answer>(submit: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await submit();
    } catch (error) {
      if (!(error instanceof LegworkNetworkError) || attempt === SUBMIT_ATTEMPTS) throw error;
      await pause(SUBMIT_PAUSE_MS * attempt);
    }
  }
}
