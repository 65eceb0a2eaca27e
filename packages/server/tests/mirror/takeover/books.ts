import { associatedTokenAddress, reputationAddress } from '@legwork/program-client';
import { toLamports } from '@legwork/protocol/contract';
import { ruledPayment, type Ruler, stakeShares } from '@legwork/protocol/rules';
import { address, type Address, type Signature } from '@solana/kit';
import type { TestService } from '../../support/service.js';
import { forEach, peopleOf } from './drill.js';
import { dueOf, type Made } from './story.js';

/** The gains of people, by key, in base units of one asset. */
export type Book = Map<string, bigint>;

export function add(book: Book, who: string, amount: bigint): void {
  book.set(who, (book.get(who) ?? 0n) + amount);
}

export function move(book: Book, from: string, to: string, amount: bigint): void {
  add(book, from, -amount);
  add(book, to, amount);
}

/** A leg that is paid, and how it was ruled. */
export interface PaidLeg {
  agent: string;
  agreed: bigint;
  ruled?: { by: Ruler; percent: number; stake: bigint; disputer: string; feeTo: string };
}

/** By the program's rules alone: what legs pay, and what rulings make of stakes (T-22, T-36). */
export function payAll(book: Book, funder: string, legs: readonly PaidLeg[]): void {
  for (const { agent, agreed, ruled } of legs) {
    move(book, funder, agent, ruledPayment(toLamports(agreed), ruled?.percent ?? null));
    if (ruled === undefined) continue;
    const { by, percent, stake, disputer, feeTo } = ruled;
    const shares = stakeShares(toLamports(stake), by, percent);
    move(book, agent, feeTo, stake - shares.worker);
    move(book, disputer, feeTo, stake - shares.disputer);
  }
}

/** The rent of a closed listing's account, kept so that its id stays used (P-67), lamports. */
const ID_RENT = 890_880n;
/** Of a token account that the coordinator opens for who is paid in tokens (M-98), lamports. */
const TOKEN_ACCOUNT_RENT = 2_039_280n;
/** The gift of the token for trials at registration. */
const GIVEN = 100_000_000n;

/** The two coordinators, and whose reputation accounts the former one had opened. */
export interface Coordinators {
  former: Address;
  named: Address;
  /** The balance of the former one when the ledger began, lamports. */
  before: bigint;
  formerAgents: ReadonlySet<string>;
}

/** The people whose gains differ, by a lamport or a base unit, from what the rules say; empty: nobody. */
export async function misfits(
  service: TestService,
  stories: readonly Made[],
  coordinators: Coordinators,
): Promise<string[]> {
  const { former, named, before } = coordinators;
  const wanted = await lamportsDue(service, stories, coordinators);
  const found: string[] = [];
  const compare = (who: string, is: bigint, due: bigint) => {
    if (is !== due) found.push(`${who} gained ${is} instead of ${due}`);
  };
  const paid = stories.flatMap((story) => peopleOf(story).map(({ signer }) => [story.name, signer.address] as const));
  await forEach([...paid, ['the new coordinator', named] as const], async ([name, wallet]) => {
    compare(`${wallet} of ${name}`, await gainOf(service, wallet), wanted.get(wallet) ?? 0n);
  });
  compare('the former coordinator', await gainOf(service, former), before + (wanted.get(former) ?? 0n));
  const mint = await mintOf(service);
  for (const story of stories.filter(({ given }) => given !== undefined)) {
    const due = dueOf(story);
    for (const party of peopleOf(story)) {
      const had = story.given?.includes(party) === true ? GIVEN : 0n;
      const held = await heldOf(service, party.pubkey, mint);
      compare(`${party.pubkey} of ${story.name}, in tokens,`, held - had, due.get(party.pubkey) ?? 0n);
    }
  }
  return found;
}

/** The due gains in SOL but for fees: payments, stakes, and the rents that nobody gets back. */
async function lamportsDue(
  service: TestService,
  stories: readonly Made[],
  { former, named, formerAgents }: Coordinators,
): Promise<Book> {
  const book: Book = new Map();
  for (const story of stories) {
    add(book, story.funder ?? story.lister.pubkey, -ID_RENT);
    const due = dueOf(story);
    if (story.given === undefined) for (const [who, amount] of due) add(book, who, amount);
    else
      for (const { pubkey } of peopleOf(story))
        if (isPaidInto(story, due, pubkey)) add(book, named, -TOKEN_ACCOUNT_RENT);
    for (const { pubkey } of story.others) {
      const opener = story.isBound ? pubkey : formerAgents.has(pubkey) ? former : named;
      add(book, opener, -(await reputationRent(service, pubkey)));
    }
  }
  return book;
}

/** True if somebody is paid in tokens who had no account for any. */
const isPaidInto = ({ given = [] }: Made, due: Book, pubkey: string): boolean =>
  (due.get(pubkey) ?? 0n) > 0n && !given.some((one) => one.pubkey === pubkey);

/** The ledger's record of a wallet's SOL, lamports. */
interface Shown {
  /** The sum from transactions that do not name the program: from the faucet, or to whoever emptied it. */
  funding: bigint;
  /** The fees of transactions that do. */
  fees: bigint;
  balance: bigint;
}

/** Reads every transaction of a wallet. */
async function shownOf({ rpc, server }: TestService, wallet: Address): Promise<Shown> {
  const shown = { funding: 0n, fees: 0n };
  const how = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 } as const;
  for await (const signature of signaturesOf(rpc, wallet)) {
    const found = await rpc.getTransaction(signature, how).send();
    if (!found?.meta) throw new Error(`the ledger does not show ${signature}`);
    const { accountKeys } = found.transaction.message;
    const index = accountKeys.indexOf(wallet);
    if (accountKeys.includes(address(server.programId))) shown.fees += index === 0 ? found.meta.fee : 0n;
    else shown.funding += (found.meta.postBalances[index] ?? 0n) - (found.meta.preBalances[index] ?? 0n);
  }
  return { ...shown, balance: (await rpc.getBalance(wallet, { commitment: 'confirmed' }).send()).value };
}

/** The gain of a wallet by the program alone, fees left out, with its balance from before any transaction, lamports. */
export async function gainOf(service: TestService, wallet: Address): Promise<bigint> {
  const { funding, fees, balance } = await shownOf(service, wallet);
  return balance - funding + fees;
}

const PAGE = 1000;

async function* signaturesOf(rpc: TestService['rpc'], wallet: Address): AsyncGenerator<Signature> {
  for (let before: Signature | undefined; ; ) {
    const options = { commitment: 'confirmed', limit: PAGE, ...(before && { before }) } as const;
    const page = await rpc.getSignaturesForAddress(wallet, options).send();
    for (const { signature } of page) yield signature;
    if (page.length < PAGE) return;
    before = page.at(-1)?.signature;
  }
}

/** The rent of an agent's reputation account, which nobody gets back; 0: there is none. */
export async function reputationRent({ rpc, server }: TestService, agent: string): Promise<bigint> {
  const at = await reputationAddress(address(server.programId), address(agent));
  return (await rpc.getBalance(at, { commitment: 'confirmed' }).send()).value;
}

async function mintOf(service: TestService): Promise<Address> {
  const { client } = await service.party(0);
  const { assets } = await client.getConfig();
  const mint = assets.find(({ asset }) => asset === 'usdc')?.mint;
  if (mint == null) throw new Error('the service lists nothing in usdc');
  return address(mint);
}

/** The balance of a wallet in a token, base units. */
async function heldOf({ rpc }: TestService, owner: string, mint: Address): Promise<bigint> {
  const at = await associatedTokenAddress(address(owner), mint);
  const { value } = await rpc.getAccountInfo(at, { commitment: 'confirmed', encoding: 'jsonParsed' }).send();
  if (value === null || !('parsed' in value.data)) return 0n;
  return BigInt((value.data.parsed.info as { tokenAmount: { amount: string } }).tokenAmount.amount);
}
