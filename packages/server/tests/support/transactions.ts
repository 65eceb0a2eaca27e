import {
  decodeRelayInstruction,
  getCancelPackageInstruction,
  getListPackageInstruction,
  type ListPackageInstructionDataArgs,
  type RelayInstruction,
} from '@legwork/program-client';
import {
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  decompileTransactionMessage,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signature,
  signTransaction,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import type { TestService } from './service.js';
import { until } from './until.js';

/** Signs instructions as one transaction, in base64. */
export async function signed(
  service: Pick<TestService, 'rpc'>,
  signers: readonly [KeyPairSigner, ...KeyPairSigner[]],
  instructions: readonly Instruction[],
): Promise<string> {
  const { value: lifetime } = await service.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (empty) => setTransactionMessageFeePayerSigner(signers[0], empty),
    (payable) => setTransactionMessageLifetimeUsingBlockhash(lifetime, payable),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  );
  const keyPairs = signers.map((signer) => signer.keyPair);
  return getBase64EncodedWireTransaction(await signTransaction(keyPairs, compileTransaction(message)));
}

/** Sends a signed transaction to the ledger, checks and all skipped, and answers its signature once it is there. */
export async function land(service: Pick<TestService, 'rpc'>, base64: string): Promise<string> {
  const sent = getSignatureFromTransaction(getTransactionDecoder().decode(getBase64Encoder().encode(base64)));
  const wire = base64 as Parameters<typeof service.rpc.sendTransaction>[0];
  await service.rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
  return until(`transaction ${sent} landed`, async () => {
    const { value } = await service.rpc.getSignatureStatuses([sent], { searchTransactionHistory: true }).send();
    const status = value[0]?.confirmationStatus;
    return (status === 'confirmed' || status === 'finalized') && sent;
  });
}

/** The gain of an account by a transaction: the coordinator's balance changes for other reasons too. */
export async function received(service: Pick<TestService, 'rpc'>, sent: string, pubkey: string): Promise<bigint> {
  const transaction = await service.rpc
    .getTransaction(signature(sent), { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 })
    .send();
  const index = transaction?.transaction.message.accountKeys.indexOf(address(pubkey)) ?? -1;
  return (transaction?.meta?.postBalances[index] ?? 0n) - (transaction?.meta?.preBalances[index] ?? 0n);
}

/** The instructions of a transaction that the service built, in base64. */
export function instructionsIn(base64: string): readonly Instruction[] {
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
  return decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes)).instructions;
}

/** Reads the relay instruction of a transaction that the service built. */
export function relayInstruction<Name extends RelayInstruction['name']>(
  service: TestService,
  base64: string,
  name: Name,
): Extract<RelayInstruction, { name: Name }> {
  for (const instruction of instructionsIn(base64)) {
    const decoded = decodeRelayInstruction(address(service.server.programId), instruction);
    if (decoded?.name === name) return decoded as Extract<RelayInstruction, { name: Name }>;
  }
  throw new Error(`the transaction holds no ${name}`);
}

/** The changes to a draft's list_package. */
export type ListingChanges = Partial<Pick<ListPackageInstructionDataArgs, 'maxBudget' | 'deadline' | 'termsHash'>> & {
  /** Another wallet that pays. */
  funder?: KeyPairSigner;
};

/** The list_package of a draft, with changes. */
export function listingOf(
  service: TestService,
  shipper: KeyPairSigner,
  built: string,
  { funder = shipper, ...changes }: ListingChanges = {},
): Instruction {
  const { accounts, data } = relayInstruction(service, built, 'listPackage');
  const { packageId, maxBudget, deadline, termsHash } = { ...data, ...changes };
  return getListPackageInstruction(
    {
      funder,
      shipper,
      config: accounts.config.address,
      package: accounts.package.address,
      vault: accounts.vault.address,
      packageId,
      maxBudget,
      deadline,
      termsHash,
    },
    { programAddress: address(service.server.programId) },
  );
}

/** The cancel_package that takes back what `listingOf` lists. */
export function cancellationOf(service: TestService, shipper: KeyPairSigner, built: string): Instruction {
  const { accounts } = relayInstruction(service, built, 'listPackage');
  return getCancelPackageInstruction(
    {
      signer: shipper,
      config: accounts.config.address,
      package: accounts.package.address,
      vault: accounts.vault.address,
      funder: shipper.address,
    },
    { programAddress: address(service.server.programId) },
  );
}

/** A transfer, which has nothing to do with the relay. */
export function transfer(from: KeyPairSigner, to: KeyPairSigner): Instruction {
  return getTransferSolInstruction({ source: from, destination: to.address, amount: 1_000_000n });
}
