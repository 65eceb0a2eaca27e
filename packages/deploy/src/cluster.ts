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
  type Base64EncodedWireTransaction,
  type Instruction,
  type Rpc,
  type Signature,
  type SolanaRpcApi,
  type TransactionSigner,
} from '@solana/kit';

/** A deployment that cannot go on. The message says why and how to fix it. */
export class DeployError extends Error {
  override readonly name = 'DeployError';
  readonly code = 'DEPLOY_FAILED';
}

const POLL_MS = 400;
/** A node may lose a transaction before a leader has it. */
const RESEND_AFTER_MS = 2_000;
const MAX_STATUSES = 256;

type Wire = Base64EncodedWireTransaction;

/** A cluster, reached through JSON-RPC alone: it polls statuses, so any provider's HTTP address is enough. */
export class Cluster {
  readonly rpc: Rpc<SolanaRpcApi>;
  readonly #nextSlot: () => Promise<void>;

  /** @param nextSlot - waits for the next slot; by default by polling */
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
    await this.#send(wire);
    const failures = await this.#settle(new Map([[signature, wire]]), lastValidBlockHeight);
    const failure = failures.get(signature);
    if (failure !== undefined) throw new DeployError(`The transaction ${signature} ${failure}.`);
    return signature;
  }

  /**
   * Sends independent transactions, a few at once, and waits until each is confirmed or has expired. Failures are not
   * thrown: the caller looks at the result on the cluster and sends again what is missing.
   *
   * @returns the text of the last failure, if any
   */
  async runAll(payer: TransactionSigner, all: readonly Instruction[], atOnce: number): Promise<string | undefined> {
    const { sign, lastValidBlockHeight } = await this.#session(payer);
    const sent = new Map<Signature, Wire>();
    let lastFailure: string | undefined;
    const queue = all.values();
    const worker = async (): Promise<void> => {
      for (const instruction of queue) {
        const { signature, wire } = await sign([instruction]);
        try {
          await this.#send(wire);
          sent.set(signature, wire);
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

  async #send(wire: Wire, skipPreflight = false): Promise<void> {
    const options = { encoding: 'base64', preflightCommitment: 'confirmed', skipPreflight } as const;
    try {
      await this.rpc.sendTransaction(wire, options).send();
    } catch (error) {
      // The message says only that the transaction would fail; the cause says why.
      if (!(error instanceof Error && error.cause instanceof Error)) throw error;
      throw new DeployError(`The cluster refused a transaction: ${error.cause.message}`, { cause: error });
    }
  }

  /**
   * Waits until transactions are confirmed, failed or expired. Resends the missing ones as long as they can land.
   *
   * @returns those that failed or expired, with the reason
   */
  async #settle(sent: ReadonlyMap<Signature, Wire>, lastValidBlockHeight: bigint): Promise<Map<Signature, string>> {
    const failures = new Map<Signature, string>();
    const open = new Map(sent);
    for (let sentAt = Date.now(); ; ) {
      // Read the height first: a transaction that lands between the two reads is then still seen.
      const height = await this.rpc.getBlockHeight({ commitment: 'confirmed' }).send();
      await this.#readFates(open, failures);
      if (open.size === 0) return failures;
      if (height > lastValidBlockHeight) {
        for (const signature of open.keys()) failures.set(signature, 'was not confirmed before its blockhash expired');
        return failures;
      }
      await sleep(POLL_MS);
      if (Date.now() - sentAt < RESEND_AFTER_MS) continue;
      // Only the status decides: a resent transaction may be refused as already processed.
      for (const wire of open.values()) await this.#send(wire, true).catch(() => undefined);
      sentAt = Date.now();
    }
  }

  /** Removes what is confirmed from `open`, and adds what failed to `failures`. */
  async #readFates(open: Map<Signature, Wire>, failures: Map<Signature, string>): Promise<void> {
    const signatures = [...open.keys()];
    for (let start = 0; start < signatures.length; start += MAX_STATUSES) {
      const part = signatures.slice(start, start + MAX_STATUSES);
      const { value } = await this.rpc.getSignatureStatuses(part).send();
      value.forEach((status, index) => {
        const signature = part[index];
        if (signature === undefined || status === null || status.confirmationStatus === 'processed') return;
        open.delete(signature);
        if (status.err !== null) failures.set(signature, `failed: ${describe(status.err)}`);
      });
    }
  }
}

/** JSON.stringify refuses bigints. */
function describe(err: unknown): string {
  return JSON.stringify(err, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
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
