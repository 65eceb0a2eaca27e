import {
  appendTransactionMessageInstructions,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Address,
  type Instruction,
  type Rpc,
  type Signature,
  type SolanaRpcApi,
  type TransactionSigner,
} from '@solana/kit';
import { encodeJson } from '../json.js';
import { DeployError } from '../errors.js';

const POLL_MS = 400;
const MAX_STATUSES = 256;

/** A cluster, reached through JSON-RPC alone: statuses are asked for, so that any provider's HTTP address is enough. */
export class Cluster {
  readonly rpc: Rpc<SolanaRpcApi>;
  readonly #nextSlot: () => Promise<void>;

  /** @param nextSlot - waits until the cluster is in a later slot than now */
  constructor(rpc: Rpc<SolanaRpcApi>, nextSlot?: () => Promise<void>) {
    this.rpc = rpc;
    this.#nextSlot = nextSlot ?? (() => waitForNextSlot(rpc));
  }

  /** An account's data, or undefined when there is no such account. */
  async dataOf(account: Address): Promise<{ readonly owner: Address; readonly data: Uint8Array } | undefined> {
    const { value } = await this.rpc.getAccountInfo(account, { commitment: 'confirmed', encoding: 'base64' }).send();
    return value === null ? undefined : { owner: value.owner, data: Buffer.from(value.data[0], 'base64') };
  }

  /** Sends one transaction and waits until it is confirmed. @throws DeployError when it fails or expires */
  async run(payer: TransactionSigner, instructions: readonly Instruction[]): Promise<Signature> {
    const { sign, lastValidBlockHeight } = await this.#session(payer);
    const { signature, wire } = await sign(instructions);
    await this.rpc.sendTransaction(wire, { encoding: 'base64', preflightCommitment: 'confirmed' }).send();
    const failures = await this.#settle([signature], lastValidBlockHeight);
    const failure = failures.get(signature);
    if (failure !== undefined) throw new DeployError(`The transaction ${signature} ${failure}.`);
    return signature;
  }

  /**
   * Sends transactions that do not depend on each other, a few at once, and waits until each is confirmed or cannot be any
   * more. Failures are not thrown: the caller looks at the result on the cluster and sends again what is missing.
   *
   * @returns the last failure's text, if any
   */
  async runAll(payer: TransactionSigner, all: readonly Instruction[], atOnce: number): Promise<string | undefined> {
    const { sign, lastValidBlockHeight } = await this.#session(payer);
    const sent: Signature[] = [];
    let lastFailure: string | undefined;
    const queue = all.values();
    const worker = async (): Promise<void> => {
      for (const instruction of queue) {
        const { signature, wire } = await sign([instruction]);
        try {
          await this.rpc.sendTransaction(wire, { encoding: 'base64', preflightCommitment: 'confirmed' }).send();
          sent.push(signature);
        } catch (error) {
          lastFailure = error instanceof Error ? error.message : String(error);
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    const failures = await this.#settle(sent, lastValidBlockHeight);
    return [...failures.values()].at(-1) ?? lastFailure;
  }

  async nextSlot(): Promise<void> {
    await this.#nextSlot();
  }

  async #session(payer: TransactionSigner) {
    const { value: lifetime } = await this.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
    const sign = async (instructions: readonly Instruction[]) => {
      const signed = await signTransactionMessageWithSigners(
        pipe(
          createTransactionMessage({ version: 'legacy' }),
          (message) => setTransactionMessageFeePayerSigner(payer, message),
          (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
          (message) => appendTransactionMessageInstructions(instructions, message),
        ),
      );
      return { signature: getSignatureFromTransaction(signed), wire: getBase64EncodedWireTransaction(signed) };
    };
    return { sign, lastValidBlockHeight: lifetime.lastValidBlockHeight };
  }

  /** Waits for the fate of transactions; gives those that failed or expired, with the reason. */
  async #settle(signatures: readonly Signature[], lastValidBlockHeight: bigint): Promise<Map<Signature, string>> {
    const failures = new Map<Signature, string>();
    let open = [...signatures];
    for (;;) {
      const height = await this.rpc.getBlockHeight({ commitment: 'confirmed' }).send();
      const stillOpen: Signature[] = [];
      for (let start = 0; start < open.length; start += MAX_STATUSES) {
        const part = open.slice(start, start + MAX_STATUSES);
        const { value } = await this.rpc.getSignatureStatuses(part).send();
        value.forEach((status, index) => {
          const signature = part[index];
          if (signature === undefined) return;
          if (status === null || status.confirmationStatus === 'processed') stillOpen.push(signature);
          else if (status.err !== null) failures.set(signature, `failed: ${encodeJson(status.err)}`);
        });
      }
      open = stillOpen;
      if (open.length === 0) return failures;
      if (height > lastValidBlockHeight) {
        for (const signature of open) failures.set(signature, 'was not confirmed before its blockhash expired');
        return failures;
      }
      await sleep(POLL_MS);
    }
  }
}

async function waitForNextSlot(rpc: Rpc<SolanaRpcApi>): Promise<void> {
  const now = await rpc.getSlot({ commitment: 'confirmed' }).send();
  while ((await rpc.getSlot({ commitment: 'confirmed' }).send()) <= now) await sleep(POLL_MS / 4);
}

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
