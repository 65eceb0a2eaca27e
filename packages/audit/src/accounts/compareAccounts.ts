import {
  ASSET_KIND,
  associatedTokenAddress,
  CONFIG_KIND,
  getAssetDecoder,
  getMandateDecoder,
  getReputationDecoder,
  MANDATE_KIND,
  readTokenAccount,
  REPUTATION_KIND,
  TOKEN_PROGRAM_ADDRESS,
} from '@legwork/program-client';
import {
  type AssetFacts,
  heldLegs,
  isOver,
  type LedgerFacts,
  leftInVault,
  type Listing,
  type MandateFacts,
  type ReputationFacts,
  stakesHeld,
} from '@legwork/program-client/facts';
import { ask, type ReadLedger } from '@legwork/program-client/history';
import { reliabilityScore } from '@legwork/protocol/rules';
import { type Address, address, getBase64Encoder } from '@solana/kit';
import { type Findings, subjectOf } from '../findings.js';
import { patiently } from '../ledger.js';
import { LedgerAccounts, readRent, type SameOnLedger } from './ledgerAccounts.js';
import { comparePackageAccounts } from './package.js';
import { compareTaskAccounts } from './task.js';

const AT_ONCE = 100;

function compareReputation(
  accounts: LedgerAccounts,
  agent: string,
  reputation: ReputationFacts,
  findings: Findings,
): void {
  const subject = `agent ${agent}`;
  const { address: at, accepted, completed, signature } = reputation;
  const same: SameOnLedger = (what, account, replayed) =>
    findings.sameOnLedger(subject, what, account, replayed, signature);
  const found = accounts.take(at, REPUTATION_KIND, { subject, what: 'reputation account' });
  if (found === undefined) return;
  const data = getReputationDecoder().decode(found.bytes);
  same('legs accepted', data.legsAccepted, accepted);
  same('legs completed', data.legsCompleted, completed);
  same('reliability score', data.reliabilityScore, reliabilityScore(completed, accepted));
}

function compareAsset(accounts: LedgerAccounts, at: string, asset: AssetFacts, findings: Findings): void {
  const subject = `asset ${asset.number}`;
  const found = accounts.take(at, ASSET_KIND, { subject, what: 'asset account' });
  if (found === undefined) return;
  const data = getAssetDecoder().decode(found.bytes);
  const same: SameOnLedger = (what, account, replayed) =>
    findings.sameOnLedger(subject, what, account, replayed, asset.signature);
  same('number', data.number, asset.number);
  same('mint', data.mint, asset.mint);
  same('openness', data.isOpen, Number(asset.isOpen));
  same('least amount', data.minAmount, asset.minAmount);
}

function compareMandate(accounts: LedgerAccounts, at: string, mandate: MandateFacts, findings: Findings): void {
  const subject = `mandate ${at}`;
  const { owner, delegate, limits, signature } = mandate;
  const found = accounts.take(at, MANDATE_KIND, { subject, what: 'mandate account' });
  if (found === undefined) return;
  const data = getMandateDecoder().decode(found.bytes);
  const same: SameOnLedger = (what, account, replayed) =>
    findings.sameOnLedger(subject, what, account, replayed, signature);
  same('owner', data.owner, owner);
  same('delegate', data.delegate, delegate);
  same('asset', data.asset, limits.asset);
  same('permits', data.permits, limits.permits);
  same('cap', data.cap, limits.cap);
  same('period in seconds', data.period, limits.period);
  same('expiry in unix seconds', data.expiresAt, limits.expiresAt);
  same('longest time to a deadline in seconds', data.maxAhead, limits.maxAhead);
  same('arbiter', data.arbiter, limits.arbiter);
}

/** The amount that an open listing has to hold, where, and in which asset. */
interface Due {
  listing: Listing;
  at: Address;
  least: bigint;
  mint: string | undefined;
}

/**
 * A vault holds at least the unpaid budget and what stakes have added to it; a stranger may have added more. Rule T-43. In lamports it
 * has the rent of an empty account besides; in tokens its token account holds the stakes of its legs too. Rule P-110.
 */
async function dueOf(listing: Listing, mint: string | undefined, rentMinimum: bigint): Promise<Due> {
  const vault = address(listing.vault);
  const left = leftInVault(listing);
  if (mint === undefined) return { listing, at: vault, least: left + rentMinimum, mint };
  const at = await associatedTokenAddress(vault, address(mint));
  return { listing, at, least: left + stakesOf(listing), mint };
}

function stakesOf(listing: Listing): bigint {
  const legs = listing.kind === 'package' ? (listing.formation?.legs ?? []) : heldLegs(listing);
  return legs.reduce((sum, leg) => sum + stakesHeld(listing, leg), 0n);
}

async function compareVaults({ rpc }: ReadLedger, due: readonly Due[], findings: Findings): Promise<void> {
  const { value } = await patiently(() =>
    ask(
      rpc.getMultipleAccounts(
        due.map(({ at }) => at),
        { commitment: 'confirmed', encoding: 'base64' },
      ),
    ),
  );
  due.forEach(({ listing, least, mint }, index) => {
    const account = value[index];
    const held = mint === undefined ? (account?.lamports ?? 0n) : tokensIn(account);
    if (held >= least) return;
    const unit = mint === undefined ? 'lamports' : `of the token ${mint}`;
    findings.differ(subjectOf(listing), `its vault holds ${held} ${unit}, at least ${least} by its transactions`);
  });
}

function tokensIn(account: { owner: string; data: readonly [string, string] } | null | undefined): bigint {
  if (account?.owner !== TOKEN_PROGRAM_ADDRESS) return 0n;
  return readTokenAccount(getBase64Encoder().encode(account.data[0])).amount;
}

/** Compares the accounts that the ledger has now with what its transactions made. */
export async function compareAccounts(ledger: ReadLedger, facts: LedgerFacts, findings: Findings): Promise<void> {
  const rent = await readRent(ledger);
  const accounts = await LedgerAccounts.read(ledger, rent, facts, findings);
  for (const listing of facts.packages.values()) comparePackageAccounts(accounts, listing, findings);
  for (const task of facts.tasks.values()) compareTaskAccounts(accounts, task, findings);
  for (const [agent, reputation] of facts.reputations) compareReputation(accounts, agent, reputation, findings);
  for (const [at, asset] of facts.assets) compareAsset(accounts, at, asset, findings);
  for (const [at, mandate] of facts.mandates) compareMandate(accounts, at, mandate, findings);
  for (const [at, { bytes }] of accounts.rest()) {
    // Anybody can assign an account to the program, but only a blank one, which the program ignores (P-3).
    const isBlank = bytes.every((byte) => byte === 0);
    if (!isBlank && bytes[0] !== CONFIG_KIND)
      findings.differ(`account ${at}`, 'is on the ledger, and no transaction explains it');
  }
  const open = [...facts.packages.values(), ...facts.tasks.values()].filter((listing) => !isOver(listing));
  for (let from = 0; from < open.length; from += AT_ONCE) {
    const some = open.slice(from, from + AT_ONCE);
    const due = some.map((listing) => dueOf(listing, accounts.assetOf(listing)?.mint, rent.minimumFor(0)));
    await compareVaults(ledger, await Promise.all(due), findings);
  }
}
