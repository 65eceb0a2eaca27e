import {
  ASSET_KIND,
  associatedTokenAddress,
  CONFIG_KIND,
  getAssetDecoder,
  getReputationDecoder,
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
  type ListingFacts,
  type ReputationFacts,
  stakesHeld,
} from '@legwork/program-client/facts';
import { ask, type ReadLedger } from '@legwork/program-client/history';
import { reliabilityScore } from '@legwork/protocol/rules';
import { address, getBase64Encoder, getU64Decoder, type ReadonlyUint8Array } from '@solana/kit';
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

/** In tokens the vault holds the stakes of its legs too. Rule P-110. */
async function compareTokens({ rpc }: ReadLedger, listing: Listing, mint: string, findings: Findings): Promise<void> {
  const account = await associatedTokenAddress(address(listing.vault), address(mint));
  const { value } = await patiently(() =>
    ask(rpc.getAccountInfo(account, { commitment: 'confirmed', encoding: 'base64' })),
  );
  const held = value?.owner === TOKEN_PROGRAM_ADDRESS ? tokensOf(getBase64Encoder().encode(value.data[0])) : 0n;
  const owed = leftInVault(listing) + stakesOf(listing);
  if (held >= owed) return;
  findings.differ(subjectOf(listing), `its vault holds ${held} of its token, at least ${owed} by its transactions`);
}

function stakesOf(listing: Listing): bigint {
  const legs = listing.kind === 'package' ? (listing.formation?.legs ?? []) : heldLegs(listing);
  return legs.reduce((sum, leg) => sum + stakesHeld(listing, leg), 0n);
}

const TOKENS_AT = 64;
const tokensOf = (account: ReadonlyUint8Array) => getU64Decoder().decode(account, TOKENS_AT);

/**
 * A vault holds at least the unpaid budget, what stakes have added to it, and the rent of an empty account; a stranger may have
 * added more. Rule T-43.
 */
async function compareVaults(
  ledger: ReadLedger,
  open: readonly ListingFacts[],
  rentMinimum: bigint,
  findings: Findings,
): Promise<void> {
  const vaults = open.map((listing) => address(listing.vault));
  const { value } = await patiently(() =>
    ask(ledger.rpc.getMultipleAccounts(vaults, { commitment: 'confirmed', encoding: 'base64' })),
  );
  open.forEach((listing, index) => {
    const held = value[index]?.lamports ?? 0n;
    const owed = leftInVault(listing) + rentMinimum;
    if (held >= owed) return;
    findings.differ(subjectOf(listing), `its vault holds ${held} lamports, at least ${owed} by its transactions`);
  });
}

/** Compares the accounts that the ledger has now with what its transactions made. */
export async function compareAccounts(ledger: ReadLedger, facts: LedgerFacts, findings: Findings): Promise<void> {
  const rent = await readRent(ledger);
  const accounts = await LedgerAccounts.read(ledger, rent, facts, findings);
  for (const listing of facts.packages.values()) comparePackageAccounts(accounts, listing, findings);
  for (const task of facts.tasks.values()) compareTaskAccounts(accounts, task, findings);
  for (const [agent, reputation] of facts.reputations) compareReputation(accounts, agent, reputation, findings);
  for (const [at, asset] of facts.assets) compareAsset(accounts, at, asset, findings);
  for (const [at, { bytes }] of accounts.rest()) {
    // Anybody can assign an account to the program, but only a blank one, which the program ignores (P-3).
    const isBlank = bytes.every((byte) => byte === 0);
    if (!isBlank && bytes[0] !== CONFIG_KIND)
      findings.differ(`account ${at}`, 'is on the ledger, and no transaction explains it');
  }
  const open = [...facts.packages.values(), ...facts.tasks.values()].filter((listing) => !isOver(listing));
  const inSol = open.filter(({ asset }) => asset === null);
  for (let from = 0; from < inSol.length; from += AT_ONCE) {
    await compareVaults(ledger, inSol.slice(from, from + AT_ONCE), rent.minimumFor(0), findings);
  }
  for (const listing of open) {
    const asset = accounts.assetOf(listing);
    if (asset) await compareTokens(ledger, listing, asset.mint, findings);
  }
}
