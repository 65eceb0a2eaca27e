import { compileLegacy, payableBy } from '@legwork/program-client';
import {
  address,
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  type Instruction,
  partiallySignTransaction,
  type Transaction,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { type Cast, CHAIN, formedWithTerms, legNow } from '../operations/turns/scene.js';
import type { Party, TestService } from '../support/service.js';
import { land, signed } from '../support/transactions.js';

const FEE = 5_000n;

/** The balance of the wallet on the ledger, lamports. */
export async function balanceOf({ rpc }: Pick<TestService, 'rpc'>, pubkey: string): Promise<bigint> {
  return (await rpc.getBalance(address(pubkey), { commitment: 'confirmed' }).send()).value;
}

/** Takes from the wallet all but so many lamports. */
export async function leaveWith(
  service: TestService,
  { signer }: Pick<Party, 'signer'>,
  lamports: bigint,
): Promise<void> {
  const amount = (await balanceOf(service, signer.address)) - FEE - lamports;
  const { address: destination } = (await service.party(0)).signer;
  await land(
    service,
    await signed(service, [signer], [getTransferSolInstruction({ source: signer, destination, amount })]),
  );
}

export const coordinatorOf = ({ ledger }: TestService): Address => ledger.keypairs.coordinator.signer.address;

/** Reads a transaction in base64. */
export const decoded = (base64: string): Transaction =>
  getTransactionDecoder().decode(getBase64Encoder().encode(base64));

/** Signs for these wallets; the coordinator's place stays empty. */
export async function signedBy(
  transaction: Transaction,
  signers: readonly Party[],
): Promise<Base64EncodedWireTransaction> {
  const keyPairs = signers.map(({ signer }) => signer.keyPair);
  return getBase64EncodedWireTransaction(await partiallySignTransaction(keyPairs, transaction));
}

/** The transaction that the service built with the coordinator as its fee payer, signed by these wallets. */
export function paidByCoordinator(service: TestService, built: string, signers: readonly Party[]) {
  return signedBy(payableBy(decoded(built), coordinatorOf(service)), signers);
}

/** A transaction of these instructions that the coordinator is to pay for. */
export async function crafted(
  service: TestService,
  signers: readonly Party[],
  instructions: readonly Instruction[],
  blockhash?: Blockhash,
): Promise<Base64EncodedWireTransaction> {
  const { value } = await service.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  return signedBy(compileLegacy(coordinatorOf(service), blockhash ?? value.blockhash, instructions), signers);
}

export const STAKE = 10_000_000n;

/** A package with terms in transit whose couriers have nothing but their stake. */
export async function poorCouriers(service: TestService, bids = CHAIN): Promise<Cast> {
  const cast = await formedWithTerms(service, bids, { stakeSol: 0.01 });
  for (const one of cast.couriers) await leaveWith(service, one, STAKE);
  return cast;
}

export async function legIdOf(service: TestService, { parcel }: Cast, index: number): Promise<string> {
  return (await legNow(service, parcel.id, index)).id;
}

/** Puts lamports into a wallet. */
export async function give(service: TestService, { signer }: Party, to: string, amount: bigint): Promise<void> {
  const transfer = getTransferSolInstruction({ source: signer, destination: address(to), amount });
  await land(service, await signed(service, [signer], [transfer]));
}
