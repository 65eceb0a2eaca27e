import { createSolanaRpc, lamports, MAX_SUPPORTED_TRANSACTION_VERSION } from '@solana/kit';
import type { Address, Rpc, Signature, SolanaRpcApi } from '@solana/kit';
import { DemoError } from './stage.js';
import type { Opening } from './runFolder.js';

/** The changes that a transaction made to balances. */
export interface BalanceChange {
  readonly signature: string;
  readonly feePayer: string;
  readonly feeLamports: bigint;
  /** Lamports after minus before, by address. */
  readonly deltas: ReadonlyMap<string, bigint>;
  /** Lamports after it, by address. */
  readonly after: ReadonlyMap<string, bigint>;
}

/** A wallet as its balance and its history show it at one moment. */
export interface Holding {
  readonly lamports: bigint;
  /** Its newest transaction; undefined when the ledger keeps none. */
  readonly lastSignature: Signature | undefined;
}

const AIRDROP_LAMPORTS = 1_000_000_000n;
const PAGE = 1_000;
const AGREE_MS = 10_000;
const READ_AGAIN_MS = 200;
const commitment = 'confirmed';

/** The ledger as anybody can read it. */
export class Ledger {
  readonly rpc: Rpc<SolanaRpcApi>;
  readonly #rpcUrl: string;

  constructor(rpcUrl: string) {
    this.#rpcUrl = rpcUrl;
    this.rpc = createSolanaRpc(rpcUrl);
  }

  async slot(): Promise<number> {
    return Number(await this.rpc.getSlot({ commitment }).send());
  }

  /** The slot from which on the node keeps its history. */
  async firstSlot(): Promise<number> {
    return Number(await this.rpc.getFirstAvailableBlock().send());
  }

  async balance(wallet: Address): Promise<bigint> {
    return (await this.rpc.getBalance(wallet, { commitment }).send()).value;
  }

  /**
   * Moves the ledger's time forward.
   *
   * @throws {DemoError} when it is a ledger whose time passes by itself only
   */
  async pass(seconds: number): Promise<void> {
    const answer = await fetch(this.#rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'relay_advanceTime', params: [{ seconds }] }),
    });
    const { error } = (await answer.json()) as { error?: { message: string } };
    if (error === undefined) return;
    throw new DemoError(
      `This demo waits for clocks of minutes and hours, and the ledger's time cannot be moved (${error.message}). ` +
        'Run it on an instance of its own, or on one that was started with --testing.',
    );
  }

  /** Moves the ledger's time forward to that moment. @throws {DemoError} as {@link pass} */
  async passUntil(moment: Date): Promise<void> {
    const now = await this.rpc.getBlockTime(await this.rpc.getSlot({ commitment }).send()).send();
    const left = Math.ceil(moment.getTime() / 1000) - Number(now);
    if (left > 0) await this.pass(left);
  }

  /** Has the cluster's own faucet fill a wallet that holds too little. @returns true if something is on its way */
  async fill(wallet: Address, needed: bigint): Promise<boolean> {
    if ((await this.balance(wallet)) >= needed) return false;
    const asked = this.rpc.requestAirdrop(wallet, lamports(AIRDROP_LAMPORTS), { commitment }).send();
    // Most clusters have no faucet, or one with limits.
    return asked.then(
      () => true,
      () => false,
    );
  }

  /**
   * A wallet's balance and its newest transaction, read until the two speak of the same moment: a cluster writes its
   * history down a little after the balances. Two that never agree are answered as they are, for the books to tell.
   */
  async holding(wallet: Address): Promise<Holding> {
    for (const until = Date.now() + AGREE_MS; ; ) {
      const lastSignature = await this.#newest(wallet);
      const recorded = lastSignature
        ? (await this.changeOf(lastSignature)).after.get(wallet)
        : // A node does not keep its history for ever; what is final by now is older than its delay in writing.
          (await this.rpc.getBalance(wallet, { commitment: 'finalized' }).send()).value;
      const lamports = await this.balance(wallet);
      if (recorded === lamports || Date.now() > until) return { lamports, lastSignature };
      await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS));
    }
  }

  /**
   * The signatures of an account's transactions after those of the opening, failed ones too: they paid fees. The opening's
   * own last one is not named to the node: it may have dropped that from its history since, and then all it has is newer.
   */
  async signaturesSince(account: Address, opening: Opening | undefined): Promise<Signature[]> {
    const found: Signature[] = [];
    for (;;) {
      const before = found.at(-1);
      const page = await this.rpc
        .getSignaturesForAddress(account, { commitment, limit: PAGE, ...(before !== undefined && { before }) })
        .send();
      const end = page.findIndex(({ signature }) => signature === opening?.lastSignature);
      found.push(...page.slice(0, end === -1 ? PAGE : end).map(({ signature }) => signature));
      if (end !== -1 || page.length < PAGE) return found;
    }
  }

  /** The changes by a confirmed transaction, from its own record. */
  async changeOf(signature: Signature): Promise<BalanceChange> {
    const answer = await this.rpc
      .getTransaction(signature, {
        commitment,
        encoding: 'json',
        maxSupportedTransactionVersion: MAX_SUPPORTED_TRANSACTION_VERSION,
      })
      .send();
    if (!answer?.meta) throw new Error(`the ledger has no record of transaction ${signature}`);
    const { fee, preBalances, postBalances, loadedAddresses } = answer.meta;
    const { accountKeys } = answer.transaction.message;
    const keys = [...accountKeys, ...(loadedAddresses?.writable ?? []), ...(loadedAddresses?.readonly ?? [])];
    return {
      signature,
      feePayer: keys[0] ?? '',
      feeLamports: fee,
      deltas: new Map(keys.map((key, at) => [key, (postBalances[at] ?? 0n) - (preBalances[at] ?? 0n)])),
      after: new Map(keys.map((key, at) => [key, postBalances[at] ?? 0n])),
    };
  }

  /** A confirmed transaction as it was sent, base64. */
  async wireOf(signature: Signature): Promise<string> {
    const answer = await this.rpc
      .getTransaction(signature, {
        commitment,
        encoding: 'base64',
        maxSupportedTransactionVersion: MAX_SUPPORTED_TRANSACTION_VERSION,
      })
      .send();
    if (answer === null) throw new Error(`the ledger has no record of transaction ${signature}`);
    return answer.transaction[0];
  }

  async #newest(wallet: Address): Promise<Signature | undefined> {
    const [newest] = await this.rpc.getSignaturesForAddress(wallet, { commitment, limit: 1 }).send();
    return newest?.signature;
  }
}
