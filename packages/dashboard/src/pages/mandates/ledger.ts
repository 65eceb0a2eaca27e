import {
  associatedTokenAddress,
  closeMandate,
  compileLegacy,
  createAssociatedToken,
  decodeMandate,
  getMandateSize,
  type Mandate,
  MANDATE_KIND,
  mandateAddress,
  mandateLeft,
  readTokenAccount,
  rentMinimum,
  setMandate,
  SOL_ASSET,
  TOKEN_ACCOUNT_RENT,
  type TokenAsset,
  transferLamports,
  transferTokens,
} from '@legwork/program-client';
import { type Asset, paidIn, sendTransaction, signWith, SOL } from '@legwork/sdk';
import {
  AccountRole,
  address,
  type Address,
  createNoopSigner,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  type Instruction,
} from '@solana/kit';
import { ledgerRpc, readAccount } from '../../data/ledger.js';
import { service } from '../../data/service.js';
import { shell } from '../../data/shell.js';
import { tokenOfAsset, tokenOnLedger, assetAt } from '../../data/tokens.js';
import { actingFor, type Session } from '../../wallet/session.js';
import type { Giving } from './draft.js';

/** What somebody may list with, as the ledger has it. */
export interface Given {
  readonly at: Address;
  readonly mandate: Mandate;
  readonly of: Asset;
  /** Undefined: SOL. */
  readonly token: TokenAsset | undefined;
  /** What lies there of its asset, base units; of SOL above the rent of its own account. */
  readonly held: bigint;
  /** Lamports above that rent: of a mandate in a token they pay the rents of listings. */
  readonly lamports: bigint;
  /** It has a token account. */
  readonly hasTokens: boolean;
}

/** Where an account of a mandate has its owner. */
const OWNER_AT = 61n;

export const RENT = rentMinimum(getMandateSize());
export const TOKEN_RENT = TOKEN_ACCOUNT_RENT;

/** The mandates that a wallet gave: no service is asked. @throws Error when the ledger does not answer */
export async function givenBy(owner: string): Promise<Given[]> {
  const { rpc, programId } = await ledgerRpc();
  const filters = [
    { dataSize: BigInt(getMandateSize()) },
    { memcmp: { offset: OWNER_AT, bytes: address(owner), encoding: 'base58' } },
  ] as const;
  const found = await rpc
    .getProgramAccounts(address(programId), { commitment: 'confirmed', encoding: 'base64', filters })
    .send();
  const mandates = found.map(({ pubkey, account }) => {
    const data = getBase64Encoder().encode(account.data[0]);
    const { data: mandate } = decodeMandate({ ...account, address: pubkey, programAddress: account.owner, data });
    return { at: pubkey, mandate, lamports: account.lamports - RENT };
  });
  return Promise.all(mandates.filter(({ mandate }) => mandate.kind === MANDATE_KIND).map(withTokens));
}

async function withTokens(found: Pick<Given, 'at' | 'mandate' | 'lamports'>): Promise<Given> {
  const { asset } = found.mandate;
  if (asset === SOL_ASSET) return { ...found, of: SOL, token: undefined, held: found.lamports, hasTokens: false };
  const [of, { mint }] = await Promise.all([tokenOfAsset(asset), tokenOnLedger(await assetAt(asset))]);
  const account = await readAccount(await associatedTokenAddress(found.at, address(mint)));
  const held = account ? readTokenAccount(account.data).amount : 0n;
  return { ...found, of, token: { number: asset, mint: address(mint) }, held, hasTokens: account !== undefined };
}

/** How much the delegate can list now, base units. */
export const leftOf = ({ mandate, held }: Given, nowMs: number): bigint =>
  mandateLeft(mandate, held, BigInt(Math.floor(nowMs / 1000)));

/** Gives a mandate, or bounds it anew, and puts money there. Rule P-114. @throws as {@link send} */
export async function give(session: Session, { delegate, asset, limits, put, rents }: Giving): Promise<string> {
  const { token } = await paidIn(shell?.config ?? (await service.getConfig()), asset);
  const owner = createNoopSigner(address(session.account.address));
  const program = address((await ledgerRpc()).programId);
  const seeds = { owner: owner.address, delegate, asset: token?.number ?? SOL_ASSET };
  const at = await mandateAddress(program, seeds);
  const lamports = token === undefined ? put : rents;
  return send(session, [
    await setMandate(program, { owner, delegate, asset: token }, limits),
    ...(lamports > 0n ? [transferLamports(owner.address, at, lamports)] : []),
    ...(token && put > 0n
      ? [
          await createAssociatedToken(payerOf(owner.address), at, token.mint),
          await transferTokens(payerOf(owner.address), at, token.mint, put),
        ]
      : []),
  ]);
}

/** Ends a mandate: what lies in it comes back. @param again it is made again, with the same bounds and nothing in it. Rule P-119. @throws as {@link send} */
export async function end(session: Session, { mandate, token, hasTokens }: Given, again: boolean): Promise<string> {
  const owner = createNoopSigner(mandate.owner);
  const program = address((await ledgerRpc()).programId);
  const parties = { owner, delegate: mandate.delegate, asset: token };
  return send(session, [
    // The tokens come to an account that exists.
    ...(token && hasTokens ? [await createAssociatedToken(payerOf(owner.address), owner.address, token.mint)] : []),
    await closeMandate(program, parties, hasTokens),
    ...(again ? [await setMandate(program, parties, mandate)] : []),
  ]);
}

const payerOf = (wallet: Address) => ({ address: wallet, role: AccountRole.WRITABLE_SIGNER });

/**
 * Has the wallet sign what this page made, and sends it. What the wallet gives back is compared with what it was asked for.
 *
 * @returns the transaction's signature
 * @throws TransactionRefusedError when the wallet signed anything else
 * @throws LedgerRefusedError when the ledger refuses it
 */
export async function send(session: Session, instructions: readonly Instruction[]): Promise<string> {
  const { rpc } = await ledgerRpc();
  const { signer } = actingFor(session);
  const { value } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const signed = await signWith([signer], compileLegacy(signer.address, value.blockhash, instructions));
  return sendTransaction(rpc, getBase64EncodedWireTransaction(signed), Number(value.lastValidBlockHeight));
}
