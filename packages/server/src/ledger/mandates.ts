import {
  associatedTokenAddress,
  getMandateDecoder,
  mandateAddress,
  mandateRefusal,
  type MandateWish,
  readTokenAccount,
  TOKEN_PROGRAM_ADDRESS,
} from '@legwork/program-client';
import { ask } from '@legwork/program-client/history';
import { type Lamports, LegworkError } from '@legwork/protocol/contract';
import { type Address, address, getBase64Encoder } from '@solana/kit';
import type { ListingRow } from '../db/listings.js';
import type { ListedAsset } from './assets.js';
import { type Ledger, readLedgerTime, rentOf, unixSeconds } from './ledger.js';

type Funded = Pick<ListingRow, 'shipper_pubkey' | 'funder_pubkey' | 'asset'>;

/** The funder of a listing: its lister, or the mandate that an owner gave it. */
export async function funderOf(
  { programAddress }: Ledger,
  { shipperPubkey, mandateOwnerPubkey }: { shipperPubkey: string; mandateOwnerPubkey?: string | undefined },
  asset: number,
): Promise<Address> {
  if (mandateOwnerPubkey === undefined) return address(shipperPubkey);
  return mandateAddress(programAddress, {
    owner: address(mandateOwnerPubkey),
    delegate: address(shipperPubkey),
    asset,
  });
}

/**
 * The signer that ends a listing paid by a mandate, in the place of its lister: the owner, as long as the mandate is there. Rule P-118.
 *
 * @throws LegworkError `invalid_input`, `ledger_unavailable`
 */
export async function requireOwner(
  ledger: Ledger,
  { shipper_pubkey: shipperPubkey, funder_pubkey: paid, asset }: Funded,
  mandateOwnerPubkey: string,
): Promise<string> {
  const refuse = (why: string) => LegworkError.field('invalid_input', 'mandateOwnerPubkey', why);
  const mandate = await funderOf(ledger, { shipperPubkey, mandateOwnerPubkey }, asset);
  if (mandate !== paid) {
    throw refuse(
      `did not pay for this: ${paid} did, and the mandate that it gave ${shipperPubkey} would be at ${mandate}`,
    );
  }
  const { value } = await ask(ledger.rpc.getAccountInfo(mandate, { commitment: 'confirmed', encoding: 'base64' }));
  if (value?.owner === ledger.programAddress) return mandateOwnerPubkey;
  throw refuse(
    `has ended the mandate at ${mandate}, to which everything returns: with it given again this can be signed, and ${shipperPubkey} can sign at any time`,
  );
}

/** The meaning of the program's refusals for the caller. Rule P-116. */
const WHY: Readonly<Record<string, string>> = {
  MandateExpired: 'has expired',
  MandateForbids: 'does not permit this: its kind, its terms, or a deadline as late as this',
  MandateExceeded: 'has not so much left of its period',
  MandateEmpty: 'holds too little for the budget and the rents',
};

/** Says before anything is signed why a mandate would not pay. @throws LegworkError `invalid_input`, `ledger_unavailable` */
export async function requireMandate(
  ledger: Ledger,
  funder: Address,
  wish: Omit<MandateWish, 'asset' | 'maxBudget' | 'deadline' | 'arbiter'> & {
    asset: ListedAsset;
    budget: Lamports;
    deadline: Date;
    arbiterPubkey: string | undefined;
  },
): Promise<void> {
  const { kind, asset, budget, deadline, arbiterPubkey } = wish;
  const refuse = (why: string) =>
    LegworkError.field(
      'invalid_input',
      'mandateOwnerPubkey',
      `is of the mandate at ${funder}, which ${why}; its owner can change it`,
    );
  const tokens = asset.token && (await associatedTokenAddress(funder, asset.token.mint));
  const at = tokens === null ? [funder] : [funder, tokens];
  const { value } = await ask(ledger.rpc.getMultipleAccounts(at, { commitment: 'confirmed', encoding: 'base64' }));
  const [account, purse] = value;
  if (account?.owner !== ledger.programAddress) throw refuse('does not exist');
  const data = getBase64Encoder().encode(account.data[0]);
  const held = {
    lamports: account.lamports - rentOf(ledger, data.length),
    tokens:
      purse?.owner === TOKEN_PROGRAM_ADDRESS ? readTokenAccount(getBase64Encoder().encode(purse.data[0])).amount : 0n,
  };
  const why = mandateRefusal(
    getMandateDecoder().decode(data),
    {
      kind,
      asset: asset.number,
      maxBudget: budget,
      deadline: unixSeconds(deadline),
      arbiter: arbiterPubkey === undefined ? null : address(arbiterPubkey),
    },
    held,
    unixSeconds(await readLedgerTime(ledger)),
  );
  if (why !== undefined) throw refuse(WHY[why] ?? why);
}
