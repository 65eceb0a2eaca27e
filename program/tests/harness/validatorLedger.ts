import { deployProgram } from '@legwork/deploy';
import { relayErrorFromCode } from '@legwork/program-client';
import {
  appendTransactionMessageInstructions,
  assertIsTransactionWithinSizeLimit,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Address,
  type Instruction,
  type KeyPairSigner,
  type Rpc,
  type Signature,
  type SolanaRpcApi,
  type TransactionError,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { SOL } from './delivery.js';
import { keyOf } from './keys.js';
import type { AccountState, ForgingLedger, Outcome } from './ledger.js';
import { programBytes } from './programFile.js';

/** The faucet's default, a million SOL, does for every test. */
const PLENTY = 80_000n * SOL;
const POLL_MILLISECONDS = 25;
const COMMITMENT = { commitment: 'confirmed' } as const;

let deployments = 0;

/** A real validator, reached through JSON-RPC alone. Every instance deploys a program of its own. */
export class ValidatorLedger implements ForgingLedger {
  readonly programAddress: Address;
  readonly upgradeAuthority: KeyPairSigner;
  readonly #rpc: Rpc<SolanaRpcApi>;
  readonly #feePayer: KeyPairSigner;
  readonly #sent = new Set<Signature>();

  private constructor(
    rpc: Rpc<SolanaRpcApi>,
    parts: { program: Address; authority: KeyPairSigner; payer: KeyPairSigner },
  ) {
    this.#rpc = rpc;
    this.programAddress = parts.program;
    this.upgradeAuthority = parts.authority;
    this.#feePayer = parts.payer;
  }

  static async create(rpcUrl: string): Promise<ValidatorLedger> {
    const rpc = createSolanaRpc(rpcUrl);
    deployments += 1;
    const programKeypair = await keyOf(`program ${deployments}`);
    const authority = await keyOf('upgrade authority');
    const payer = await keyOf('fee payer');
    const ledger = new ValidatorLedger(rpc, { program: programKeypair.address, authority, payer });
    await ledger.#fund(payer.address, PLENTY);
    await ledger.airdrop(authority.address, 10n * SOL);
    await deployProgram({ rpcUrl, payer, programKeypair, so: programBytes(), upgradeAuthority: authority });
    return ledger;
  }

  /** Lamports from the validator's faucet, when a wallet has less than half of them left. */
  async #fund(address: Address, amount: bigint): Promise<void> {
    const wallet = await this.account(address);
    if (wallet !== undefined && wallet.lamports * 2n >= amount) return;
    await this.#settled(await this.#rpc.requestAirdrop(address, lamports(amount), COMMITMENT).send());
  }

  async send(...instructions: readonly Instruction[]): Promise<Outcome> {
    return this.sendPaidBy(this.#feePayer, ...instructions);
  }

  async sendPaidBy(payer: KeyPairSigner, ...instructions: readonly Instruction[]): Promise<Outcome> {
    const { signature, wire } = await this.#signed(payer, instructions);
    // Without preflight a refusal is a transaction of the ledger too, with its logs and units.
    await this.#rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
    await this.#settled(signature);
    for (;;) {
      const transaction = await this.#rpc
        .getTransaction(signature, { ...COMMITMENT, encoding: 'base64', maxSupportedTransactionVersion: 0 })
        .send();
      if (transaction?.meta && transaction.blockTime !== null) {
        const { err, logMessages, computeUnitsConsumed } = transaction.meta;
        const units = Number(computeUnitsConsumed ?? 0n);
        return { error: errorName(err), logs: logMessages ?? [], units, second: transaction.blockTime };
      }
      await pause();
    }
  }

  /** The signed transaction; the same instructions again wait for another blockhash. */
  async #signed(payer: KeyPairSigner, instructions: readonly Instruction[]) {
    for (;;) {
      const { value: lifetime } = await this.#rpc.getLatestBlockhash(COMMITMENT).send();
      const message = pipe(
        createTransactionMessage({ version: 0 }),
        (empty) => setTransactionMessageFeePayerSigner(payer, empty),
        (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
        (living) => appendTransactionMessageInstructions(instructions, living),
      );
      const transaction = await signTransactionMessageWithSigners(message);
      assertIsTransactionWithinSizeLimit(transaction);
      const signature = getSignatureFromTransaction(transaction);
      if (!this.#sent.has(signature)) {
        this.#sent.add(signature);
        return { signature, wire: getBase64EncodedWireTransaction(transaction) };
      }
      await pause();
    }
  }

  async #settled(signature: Signature): Promise<void> {
    for (;;) {
      const { value } = await this.#rpc.getSignatureStatuses([signature]).send();
      const status = value[0]?.confirmationStatus;
      if (status === 'confirmed' || status === 'finalized') return;
      await pause();
    }
  }

  async account(address: Address): Promise<AccountState | undefined> {
    const { value } = await this.#rpc.getAccountInfo(address, { ...COMMITMENT, encoding: 'base64' }).send();
    if (!value) return undefined;
    const { lamports: balance, owner, executable, data } = value;
    return { lamports: balance, owner, executable, data: Uint8Array.from(Buffer.from(data[0], 'base64')) };
  }

  /** Lamports from the fee payer: the faucet asks for more patience. */
  async airdrop(address: Address, amount: bigint): Promise<void> {
    await this.#fund(this.#feePayer.address, PLENTY);
    const transfer = getTransferSolInstruction({ source: this.#feePayer, destination: address, amount });
    const { error } = await this.send(transfer);
    if (error !== undefined) throw new Error(`The airdrop failed: ${error}`);
  }

  async setClock(): Promise<void> {
    throw new Error('The time of a validator cannot be set: skip this test with CANNOT_SET_TIME');
  }

  async forge(): Promise<void> {
    throw new Error('Accounts of a validator cannot be forged: skip this test with CANNOT_FORGE');
  }
}

async function pause(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, POLL_MILLISECONDS);
  });
}

function errorName(error: TransactionError | null): string | undefined {
  if (error === null) return undefined;
  if (typeof error === 'string') return error;
  if (!('InstructionError' in error)) return Object.keys(error).join(', ');
  const [, cause] = error.InstructionError;
  if (typeof cause === 'string') return cause;
  if (!('Custom' in cause)) return Object.keys(cause).join(', ');
  return relayErrorFromCode(cause.Custom)?.name ?? `custom error ${cause.Custom}`;
}
