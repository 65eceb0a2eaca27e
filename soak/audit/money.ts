import { vaultAddress } from '@legwork/program-client';
import { fetchRelayAccounts, type RelayAccount } from '@legwork/sdk';
import type { Address, KeyPairSigner } from '@solana/kit';
import type { Books } from '../../packages/cli/tests/support/books.js';
import { balanceOf, type LedgerRpc } from '../../packages/cli/tests/support/wallets.js';
import type { Unit } from '../money/units.js';
import type { Comparison } from './outcome.js';
import type { Entry } from './ledgerHistory.js';
import { givenLegs, type Outcome } from './outcome.js';
import type { Stray } from './strays.js';

/** The wallets whose money is compared, since when. */
interface Audited {
  readonly rpc: LedgerRpc;
  readonly programId: Address;
  readonly coordinator: Address;
  readonly agents: readonly KeyPairSigner[];
  readonly carriers: readonly KeyPairSigner[];
  readonly before: Books;
}

export type Book = Map<string, bigint>;

function add(book: Book, wallet: string, amount: bigint): void {
  book.set(wallet, (book.get(wallet) ?? 0n) + amount);
}

function take(book: Book, wallet: string, amount: bigint): void {
  book.set(wallet, (book.get(wallet) ?? 0n) - amount);
}

export const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, amount) => total + amount, 0n);

/**
 * Everybody, the coordinator too, has to the lamport what packages, digital tasks and fees say, and no lamport came from nowhere
 * or went anywhere else.
 *
 * @param strays - a stranger's posts; their work may be under way still
 * @param entries - all transactions of these: nobody paid for any other
 */
export async function compareMoney(
  audited: Audited,
  outcome: Outcome,
  strays: readonly Stray[],
  entries: readonly Entry[],
  comparison: Comparison,
): Promise<void> {
  const { rpc, programId, coordinator, agents, carriers, before } = audited;
  // They had paid for these before.
  const own = new Set<string>(carriers.map(({ address }) => address));
  const lamports = await programLamports(rpc, programId);
  const wanted = earnings('sol', outcome, strays);
  for (const { account, funder, vaultLamports } of strays)
    take(wanted, funder, vaultLamports + (lamports.get(account) ?? 0n));
  for (const { listing, account } of [...outcome.packages, ...outcome.tasks])
    take(wanted, listing.funderPubkey, lamports.get(account) ?? 0n);
  for (const [wallet, rent] of entries.flatMap(({ rents }) => rents)) add(wanted, wallet, rent);
  const accounts = await fetchRelayAccounts(rpc, programId);
  const strange = ownersOfWork(strays, accounts);
  for (const account of accounts) {
    const isWork = account.kind === 'swarm' || account.kind === 'leg' || account.kind === 'taskLeg';
    if (isWork && !strange.has(ownerOf(account))) {
      comparison.equal(`a ${account.kind} account that was left`, account.address, undefined);
    }
    if (isWork || (account.kind === 'reputation' && !own.has(account.data.agent)))
      take(wanted, coordinator, account.lamports);
  }
  const fees: Book = new Map();
  for (const { payer, fee } of entries) add(fees, payer, fee);
  const roles = new Map([
    [coordinator, 'the coordinator'],
    ...[...agents, ...carriers].map(({ address }) => [address, 'agent'] as const),
  ]);
  const gains: Book = new Map();
  for (const [wallet, had] of before.wallets) {
    const has = await balanceOf(rpc, { address: wallet });
    add(gains, wallet, has - had + (fees.get(wallet) ?? 0n));
    comparison.equal(`gain of ${roles.get(wallet) ?? 'wallet'} ${wallet}`, gains.get(wallet), wanted.get(wallet) ?? 0n);
  }
  const inTokens = sum(entries.map(({ inTokens: change }) => change));
  const left = before.inProgram - (await allOf(audited, lamports)) - inTokens;
  comparison.equal('what wallets gained', sum(gains.values()), left);
}

/** The agents' earnings in an asset, base units, and their cost to the funder. */
export function earnings(unit: Unit, outcome: Outcome, strays: readonly Stray[]): Book {
  const book: Book = new Map();
  for (const ended of [...outcome.packages, ...outcome.tasks]) {
    const stakes = ended.listing.asset === unit ? (ended.bound?.stakes ?? []) : [];
    for (const [wallet, amount] of stakes) add(book, wallet, amount);
  }
  for (const { agent, funder, asset, paidLamports = 0n } of [
    ...givenLegs(outcome),
    ...strays.flatMap(({ given }) => given),
  ]) {
    if (asset !== unit) continue;
    add(book, agent, paidLamports);
    take(book, funder, paidLamports);
  }
  return book;
}

/** The owner of a swarm or leg: a package, a swarm or a task. */
function ownerOf(account: RelayAccount): Address | undefined {
  if (account.kind === 'swarm') return account.data.package;
  if (account.kind === 'leg') return account.data.swarm;
  return account.kind === 'taskLeg' ? account.data.task : undefined;
}

/** The stranger's posts, and the swarms that carry them. */
function ownersOfWork(strays: readonly Stray[], accounts: readonly RelayAccount[]): Set<Address | undefined> {
  const posted = new Set<Address | undefined>(strays.map(({ account }) => account));
  const swarms = accounts.filter((account) => account.kind === 'swarm' && posted.has(account.data.package));
  return new Set([...posted, ...swarms.map(({ address }) => address)]);
}

/** Of every account of the program, the empty ones of what is closed too. */
async function programLamports(rpc: LedgerRpc, programId: Address): Promise<Map<string, bigint>> {
  const found = await rpc.getProgramAccounts(programId, { commitment: 'confirmed', encoding: 'base64' }).send();
  return new Map(found.map(({ pubkey, account }) => [pubkey, account.lamports]));
}

/** The lamports of the program and its vaults. */
export async function lamportsInProgram(at: Pick<Audited, 'rpc' | 'programId'>): Promise<bigint> {
  return allOf(at, await programLamports(at.rpc, at.programId));
}

/** The lamports of these accounts and their vaults; an address without one holds nothing. */
async function allOf(
  { rpc, programId }: Pick<Audited, 'rpc' | 'programId'>,
  lamports: ReadonlyMap<string, bigint>,
): Promise<bigint> {
  const inVaults = await Promise.all(
    [...lamports.keys()].map(async (account) =>
      balanceOf(rpc, { address: await vaultAddress(programId, account as Address) }),
    ),
  );
  return sum(lamports.values()) + sum(inVaults);
}
