import { associatedTokenAddress, lockerAddress, readTokenAccount } from '@legwork/program-client';
import { type Asset, formatAmount, formatSol, toLamports } from '@legwork/protocol/contract';
import type { Address } from '@solana/kit';
import { errorOf } from '../landed.js';
import { allAssets, discover, type FoundMandate, mandatesOf } from './discover.js';
import { ExitError } from './exitRpc.js';
import { type ExitListing, type ExitStep, exitSteps } from './exitSteps.js';
import type { ExitLedger } from './found.js';
import { readAccounts } from './readAccounts.js';
import { assetOf, readListing, tokensOf } from './readListing.js';

/** A mandate that a key gave, with what lies in it. */
export interface ExitMandate extends FoundMandate {
  readonly says: string;
}

/** Everything that a key has a part in. */
export interface Exits {
  readonly key: Address;
  readonly ledger: ExitLedger;
  /** The key's balance, lamports. */
  readonly lamports: bigint;
  readonly listings: readonly ExitListing[];
  readonly mandates: readonly ExitMandate[];
  /** Of all of these. */
  readonly steps: readonly ExitStep[];
  /** The RPC's data that is not believed or could not be read, and the parts left out. */
  readonly notes: readonly string[];
}

/**
 * Finds everything of a key on the ledger, and says what it can do about each now and later, without any service. Rule A-160.
 *
 * @param only listings by their addresses, where the node does not search
 * @throws {ExitError} when the RPC does not search, and no listing is named
 */
export async function findExits(ledger: ExitLedger, key: Address, only: readonly Address[] = []): Promise<Exits> {
  const notes: string[] = [];
  const given = await mandatesOf(ledger, key).catch((error: unknown): FoundMandate[] => {
    if (only.length === 0 || !(error instanceof ExitError)) throw error;
    notes.push(`Mandates are not looked for: ${error.message}.`);
    return [];
  });
  const gave = new Set<string>(given.map(({ address }) => address));
  const found = only.length > 0 ? { listings: only, more: 0 } : await discover(ledger, key, given);
  if (found.more > 0) notes.push(`${found.more} listings more name this key: name one by its address to see it.`);
  const listings: ExitListing[] = [];
  for (const address of found.listings) {
    try {
      const listing = exitSteps(ledger, await readListing(ledger, address), key, gave);
      if (listing.listing.status !== 'over' || listing.steps.length > 0 || only.length > 0) listings.push(listing);
    } catch (error) {
      notes.push(errorOf(error).message);
    }
  }
  const mandates = await Promise.all(given.map(async (one) => ({ ...one, says: await mandateWords(ledger, one) })));
  const [wallet] = await readAccounts(ledger.rpc, [key]);
  const steps = [
    ...listings.flatMap((one) => one.steps),
    ...(await collectSteps(ledger, key)),
    ...mandates.map(
      ({ address, says }): ExitStep => ({
        action: 'end',
        of: address,
        from: null,
        does: says,
        onlyGains: false,
        needs: [],
      }),
    ),
  ];
  return { key, ledger, lamports: wallet?.lamports ?? 0n, listings, mandates, steps, notes };
}

async function mandateWords(
  ledger: ExitLedger,
  { address, delegate, number, lamports }: FoundMandate,
): Promise<string> {
  const { token, ...asset } = await assetOf(ledger, number);
  const held = token === undefined ? 0n : await tokensOf(ledger, address, token.mint);
  const tokens = token === undefined ? '' : ` and ${formatAmount(held, asset)}`;
  return `ends the mandate of ${delegate}, which can list nothing with it any more: ${formatSol(lamports)} SOL${tokens} return to you`;
}

/** Collects funds that the wallet could not receive. A key without a token account pays its rent, so that step is by name. Rule P-112. */
async function collectSteps(ledger: ExitLedger, key: Address): Promise<ExitStep[]> {
  const assets = await allAssets(ledger);
  const locker = await lockerAddress(ledger.program, key);
  const places = await Promise.all(
    assets.map(({ token }) => Promise.all([locker, key].map((owner) => associatedTokenAddress(owner, token.mint)))),
  );
  const shown = await readAccounts(ledger.rpc, places.flat());
  return assets.flatMap(({ token, ...asset }, index): ExitStep[] => {
    const [from, to] = [shown[2 * index], shown[2 * index + 1]];
    const waits = from === undefined ? 0n : readTokenAccount(from.data).amount;
    if (waits === 0n) return [];
    const canReceive = to !== undefined && readTokenAccount(to.data).isOpen;
    const why = canReceive
      ? ''
      : '; your own token account cannot receive it yet, and has to be opened or thawed before';
    const does = `brings what waits in your locker to your wallet: ${amountWords(waits, asset)}${why}`;
    return [{ action: 'collect', of: token.mint, from: null, does, onlyGains: canReceive, needs: [] }];
  });
}

const amountWords = (amount: bigint, asset: Asset) => formatAmount(toLamports(amount), asset);
