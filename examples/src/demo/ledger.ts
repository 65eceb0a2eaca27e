import { createSolanaRpc } from '@solana/kit';
import type { Address, Rpc, Signature, SolanaRpcApi } from '@solana/kit';
import type { Opening } from './runFolder.js';

/** What a transaction did to balances. */
export interface BalanceChange {
  readonly signature: string;
  readonly feePayer: string;
  readonly feeLamports: bigint;
  /** Lamports after minus before, by address. */
  readonly deltas: ReadonlyMap<string, bigint>;
}

const PAGE = 1_000;
const commitment = 'confirmed';

/** The ledger as anybody can read it. */
export class Ledger {
  readonly rpc: Rpc<SolanaRpcApi>;

  constructor(rpcUrl: string) {
    this.rpc = createSolanaRpc(rpcUrl);
  }

  async balance(wallet: Address): Promise<bigint> {
    return (await this.rpc.getBalance(wallet, { commitment }).send()).value;
  }

  /** A wallet's balance together with its newest transaction; read until nothing moved in between. */
  async opening(wallet: Address): Promise<Opening> {
    for (;;) {
      const before = await this.#newest(wallet);
      const lamports = await this.balance(wallet);
      if ((await this.#newest(wallet)) === before) return { lamports: lamports.toString(), lastSignature: before };
    }
  }

  /** The signatures of an account's transactions after the given one, failed ones too: they paid fees. */
  async signaturesSince(account: Address, last: string | undefined): Promise<Signature[]> {
    const found: Signature[] = [];
    for (;;) {
      const before = found.at(-1);
      const page = await this.rpc
        .getSignaturesForAddress(account, {
          commitment,
          limit: PAGE,
          ...(before !== undefined && { before }),
          ...(last !== undefined && { until: last as Signature }),
        })
        .send();
      found.push(...page.map(({ signature }) => signature));
      if (page.length < PAGE) return found;
    }
  }

  /** What a confirmed transaction did, from its own record. */
  async changeOf(signature: Signature): Promise<BalanceChange> {
    const answer = await this.rpc
      .getTransaction(signature, { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 })
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
    };
  }

  async #newest(wallet: Address): Promise<Signature | undefined> {
    const [newest] = await this.rpc.getSignaturesForAddress(wallet, { commitment, limit: 1 }).send();
    return newest?.signature;
  }
}
