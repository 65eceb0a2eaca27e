import { getConfirmLegInstruction, getListPackageInstruction, getListTaskInstruction } from '@legwork/program-client';
import type { TermsArgs } from '@legwork/program-client';
import { parseSol, type PrivateParts, uuidToBytes } from '@legwork/protocol/contract';
import { packageTermsHash, privateHashes, taskTermsHash } from '@legwork/protocol/rules';
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getStructEncoder,
  getU32Encoder,
  getU64Encoder,
  getU8Encoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { Address, Instruction } from '@solana/kit';
import type { DigitalTaskDraft, PackageDraft } from '../../src/index.js';

export const PROGRAM = address('7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU');
export const OTHER_PROGRAM = address('SysvarC1ock11111111111111111111111111111111');
export const SOME_ADDRESS = address('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T');
const LIFETIME = { blockhash: blockhash('EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N'), lastValidBlockHeight: 100n };

/** An unsigned transaction, of an old block unless told. */
export function compiled(
  feePayer: Address,
  instructions: readonly Instruction[],
  { lifetime = LIFETIME, version = 0 }: { lifetime?: typeof LIFETIME; version?: 'legacy' | 0 } = {},
) {
  const message = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayer(feePayer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  );
  return compileTransaction(message);
}

/** The same in wire form, base64. */
export function wire(feePayer: Address, instructions: readonly Instruction[], lifetime = LIFETIME): string {
  return getBase64EncodedWireTransaction(compiled(feePayer, instructions, { lifetime }));
}

/** An instruction that takes the SOL of a wallet. */
export const transferFrom = (wallet: Address): Instruction => ({
  programAddress: address('11111111111111111111111111111111'),
  accounts: [
    { address: wallet, role: AccountRole.WRITABLE_SIGNER },
    { address: SOME_ADDRESS, role: AccountRole.WRITABLE },
  ],
  data: new Uint8Array([2, 0, 0, 0, 0, 202, 154, 59, 0, 0, 0, 0]),
});

export function confirmInstruction(recipient: Address, programAddress: Address = PROGRAM): Instruction {
  const accounts = { package: SOME_ADDRESS, swarm: SOME_ADDRESS, leg: SOME_ADDRESS, vault: SOME_ADDRESS };
  return getConfirmLegInstruction(
    {
      recipient: createNoopSigner(recipient),
      ...accounts,
      courier: SOME_ADDRESS,
      reputation: SOME_ADDRESS,
      formation: 1,
    },
    { programAddress },
  );
}

/** The instruction that a service builds for a draft; without terms unless some are given. */
export function listInstruction(
  shipper: Address,
  packageId: string,
  draft: Omit<Extract<PackageDraft, { maxBudgetSol: number }>, 'private'> & { private?: PrivateParts },
  deadline: bigint,
  terms?: TermsArgs,
): Instruction {
  const signer = createNoopSigner(shipper);
  const termsHash = packageTermsHash({
    description: draft.description,
    origin: { lat: draft.originLat, lng: draft.originLng },
    destination: { lat: draft.destLat, lng: draft.destLng },
    weightKg: draft.weightKg,
    volumeLitres: draft.volumeLitres,
    requirements: draft.requirements,
    salt: draft.salt,
    privateHashes: draft.private && privateHashes(draft.private),
  }).bytes;
  return getListPackageInstruction(
    {
      funder: signer,
      shipper: signer,
      config: SOME_ADDRESS,
      package: SOME_ADDRESS,
      vault: SOME_ADDRESS,
      packageId: uuidToBytes(packageId),
      maxBudget: parseSol(draft.maxBudgetSol),
      deadline,
      termsHash,
      ...(terms && { terms }),
    },
    { programAddress: PROGRAM },
  );
}

/** The instruction that a service builds for the draft of a digital task with these legs; without terms unless some are given. */
export function listTaskInstruction(
  poster: Address,
  {
    taskId,
    draft: { title, description, maxBudgetSol, requirements, salt },
    instructions,
    deadline,
    terms,
  }: {
    taskId: string;
    draft: Extract<DigitalTaskDraft, { maxBudgetSol: number }>;
    instructions: readonly string[];
    deadline: bigint;
    terms?: TermsArgs | undefined;
  },
): Instruction {
  const signer = createNoopSigner(poster);
  const accounts = { funder: signer, poster, config: SOME_ADDRESS, task: SOME_ADDRESS, vault: SOME_ADDRESS };
  return getListTaskInstruction(
    {
      ...accounts,
      taskId: uuidToBytes(taskId),
      numLegs: instructions.length,
      maxBudget: parseSol(maxBudgetSol),
      deadline,
      termsHash: taskTermsHash({ title, description, instructions, requirements, salt }).bytes,
      ...(terms && { terms }),
    },
    { programAddress: PROGRAM },
  );
}

const COMPUTE_BUDGET = address('ComputeBudget111111111111111111111111111111');

export function computeUnitLimit(units: number): Instruction {
  const data = getStructEncoder([
    ['kind', getU8Encoder()],
    ['units', getU32Encoder()],
  ]).encode({ kind: 2, units });
  return { programAddress: COMPUTE_BUDGET, data };
}

export function computeUnitPrice(microLamports: bigint): Instruction {
  const data = getStructEncoder([
    ['kind', getU8Encoder()],
    ['price', getU64Encoder()],
  ]).encode({ kind: 3, price: microLamports });
  return { programAddress: COMPUTE_BUDGET, data };
}
