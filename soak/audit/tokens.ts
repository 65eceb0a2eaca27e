import { lockerAddress, vaultAddress } from '@legwork/program-client';
import type { Address } from '@solana/kit';
import type { LedgerRpc } from '../../packages/cli/tests/support/wallets.js';
import { FEES_LAMPORTS } from '../people.js';
import type { Issuer } from '../money/issuer.js';
import type { Thief } from '../stranger/thief.js';
import { askDatabase, type Comparison, type Outcome } from './outcome.js';
import type { World } from '../agent.js';
import type { Entry } from './ledgerHistory.js';
import { earnings, sum } from './money.js';
import type { Stray } from './strays.js';

/** The token whose holdings are compared. */
export interface InTokens {
  readonly issuer: Issuer;
  readonly thief: Thief;
  /** The holdings of everybody before the first listing, base units. */
  readonly before: ReadonlyMap<Address, bigint>;
}

/** The balance of each owner of token accounts. */
export async function tokensOf(rpc: LedgerRpc, issuer: Issuer): Promise<Map<Address, bigint>> {
  const book = new Map<Address, bigint>();
  for (const { owner, amount } of await issuer.holdings(rpc)) book.set(owner, (book.get(owner) ?? 0n) + amount);
  return book;
}

/** Everybody has to the base unit what the listings say, in a wallet or its locker; what nobody accounts for is nowhere. */
export async function compareTokens(
  { rpc, programId, wallets }: { rpc: LedgerRpc; programId: Address; wallets: readonly Address[] },
  { issuer, thief, before }: InTokens,
  { outcome, strays }: { outcome: Outcome; strays: readonly Stray[] },
  comparison: Comparison,
): Promise<string> {
  const after = await tokensOf(rpc, issuer);
  const total = sum(after.values());
  comparison.equal('tokens that there are', total, sum(before.values()));
  const wanted = earnings('usdc', outcome, strays);
  let inLockers = 0n;
  for (const wallet of wallets) {
    const locker = await lockerAddress(programId, wallet);
    inLockers += after.get(locker) ?? 0n;
    const gain = (after.get(wallet) ?? 0n) + (after.get(locker) ?? 0n) - (before.get(wallet) ?? 0n);
    comparison.equal(`gain in tokens of ${wallet}`, gain, wanted.get(wallet) ?? 0n);
    for (const owner of [wallet, locker]) after.delete(owner);
  }
  let inVaults = 0n;
  for (const { account } of strays) {
    const vault = await vaultAddress(programId, account);
    inVaults += after.get(vault) ?? 0n;
    after.delete(vault);
  }
  const left = after.get(thief.mandate) ?? 0n;
  after.delete(thief.mandate);
  comparison.equal('what left the mandate', (before.get(thief.mandate) ?? 0n) - left, inVaults);
  comparison.atMost('what the thief had out of the mandate', inVaults, thief.cap);
  comparison.equal(
    'tokens of nobody',
    [...after].filter(([, amount]) => amount > 0n),
    [],
  );
  return `${total} base units of the token, ${inLockers} of them in lockers; ${thief.told}, ${inVaults} of ${thief.cap} are out`;
}

/** Checks that the coordinator's payments for others are within its budgets, by the ledger, and charged in full. @returns the sum, for people */
export async function compareFees(
  connectionString: string,
  { coordinator, loss }: Pick<World, 'coordinator' | 'loss'>,
  entries: readonly Entry[],
  comparison: Comparison,
): Promise<string> {
  const relayed = entries.filter(({ payer, sender }) => payer === coordinator && sender !== coordinator);
  const spent = new Map<string, bigint>();
  for (const { charged: key, fee, rents } of relayed) {
    const lent = sum(rents.flatMap(([wallet, lamports]) => (wallet === coordinator ? [-lamports] : [])));
    spent.set(key, (spent.get(key) ?? 0n) + fee + lent);
  }
  // Budgets begin anew with a database, and what was charged before is forgotten.
  const lives = BigInt(1 + loss.times);
  for (const [key, lamports] of spent)
    comparison.atMost(`lamports paid for ${key}`, lamports, FEES_LAMPORTS.key * lives);
  const all = sum(spent.values());
  comparison.atMost('lamports paid for others', all, FEES_LAMPORTS.all * lives);
  if (loss.times > 0) return `${relayed.length} transactions paid for ${spent.size} keys, ${all} lamports`;
  const charged = await askDatabase(connectionString, async (database) => {
    const { rows } = await database.query<{ key: string; lamports: string }>(
      `select poster_pubkey as key, sum(lamports)::text as lamports from sponsorships where purpose = 'fees' group by 1`,
    );
    return new Map(rows.map(({ key, lamports }) => [key, BigInt(lamports)]));
  });
  for (const [key, lamports] of spent)
    comparison.atMost(`lamports that ${key} was not charged`, lamports - (charged.get(key) ?? 0n), 0n);
  return `${relayed.length} transactions paid for ${spent.size} keys, ${all} of ${FEES_LAMPORTS.all} lamports`;
}
