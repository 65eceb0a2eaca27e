// The same wallets and the same transactions, one after the other, on any target.
import { createHash } from 'node:crypto';
import {
  addSignersToTransactionMessage,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { ask, call, until } from '../rpc.mjs';
import { steps } from './steps.mjs';

const SIGNERS = ['payer', 'alice', 'bob', 'mint', 'mint22', 'nonce', 'stake', 'stranger', 'keeper', 'clerk'];

/**
 * The events on one target: `addresses`, `signatures` and `slots` by name, and for
 * every step its outcome, `{ err }` of what landed or `{ error }` of what was refused.
 */
export class Scene {
  addresses = {};
  signatures = {};
  slots = {};
  outcomes = {};
  wires = {};
  signers = {};

  constructor(target) {
    this.target = target;
  }

  /** Signs as on the command line of a wallet: `lifetime` is a blockhash unless given. */
  async sign(instructions, { payer = 'payer', signers = [], version = 'legacy', lifetime, tables } = {}) {
    const own = lifetime ?? { kind: 'blockhash', ...(await this.latestBlockhash()) };
    const message = pipe(
      createTransactionMessage({ version }),
      (draft) => setTransactionMessageFeePayerSigner(this.signers[payer], draft),
      (draft) =>
        own.kind === 'nonce'
          ? setTransactionMessageLifetimeUsingDurableNonce(own, draft)
          : setTransactionMessageLifetimeUsingBlockhash(own, draft),
      (draft) => appendTransactionMessageInstructions(instructions, draft),
      (draft) =>
        addSignersToTransactionMessage(
          signers.map((name) => this.signers[name]),
          draft,
        ),
      (draft) => (tables === undefined ? draft : compressTransactionMessageUsingAddressLookupTables(draft, tables)),
    );
    const signed = await signTransactionMessageWithSigners(message);
    return {
      signature: getSignatureFromTransaction(signed),
      wire: getBase64EncodedWireTransaction(signed),
      message: Buffer.from(signed.messageBytes).toString('base64'),
    };
  }

  async latestBlockhash() {
    const { value } = await ask(this.target, 'getLatestBlockhash', [{ commitment: 'confirmed' }]);
    return { blockhash: value.blockhash, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) };
  }

  /** Sends a transaction as the step `name`, and waits until it is confirmed. */
  async send(name, instructions, options = {}) {
    await this.sendSigned(name, await this.sign(instructions, options), options.skipPreflight);
  }

  async sendSigned(name, { signature, wire }, skipPreflight = false) {
    this.wires[name] = wire;
    const sending = { encoding: 'base64', preflightCommitment: 'confirmed', skipPreflight };
    const { error } = await call(this.target, 'sendTransaction', [wire, sending]);
    if (error !== undefined) {
      this.outcomes[name] = { error };
      return;
    }
    await this.landed(name, signature);
  }

  async airdrop(name, recipient, lamports) {
    const { result, error } = await call(this.target, 'requestAirdrop', [recipient, lamports]);
    if (error === undefined) await this.landed(name, result);
    else this.outcomes[name] = { error };
  }

  async landed(name, signature) {
    const status = await until(name, () => this.#status(signature), this.target.patience).catch(() => undefined);
    if (status === undefined) {
      this.outcomes[name] = { error: { code: -1, message: 'it never landed' } };
      return;
    }
    this.signatures[name] = signature;
    this.slots[name] = status.slot;
    this.outcomes[name] = { err: status.err };
    await this.target.nextSlot(status.slot);
  }

  async #status(signature) {
    const { value } = await ask(this.target, 'getSignatureStatuses', [[signature]]);
    return value[0] === null || value[0].confirmationStatus === 'processed' ? undefined : value[0];
  }
}

/** Plays the scene to its end, and waits until all of it is final. */
export async function playScene(target, salt) {
  const scene = new Scene(target);
  for (const name of SIGNERS) {
    const seed = createHash('sha256').update(`${salt}/${name}`).digest();
    scene.signers[name] = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(seed));
    scene.addresses[name] = scene.signers[name].address;
  }
  for (const step of steps) await step(scene);
  await target.settle(Math.max(...Object.values(scene.slots)));
  return scene;
}
