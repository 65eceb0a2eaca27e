import type { ExpectedInstruction, LegworkClient } from '@legwork/sdk';
import type { Address, Instruction, KeyPairSigner } from '@solana/kit';
import type { LedgerRpc } from '../packages/cli/tests/support/wallets.js';

/** The fields that a package and a digital task have in common as the service shows them. */
export interface Listing {
  readonly id: string;
  readonly status: string;
  readonly shipperPubkey: string;
  readonly funderPubkey: string;
  /** The asset that it pays in. */
  readonly asset: string;
  readonly failureReason: 'cancelled' | 'reclaimed' | null;
  readonly listSignature: string;
  readonly settleSignature: string | null;
  readonly endSignature: string | null;
}

/** A transaction that the service builds for a wallet. */
export interface Built {
  readonly transaction: string;
  readonly lastValidBlockHeight: number;
}

/** A way out, which the service builds for the shipper's wallet. */
export interface Exit {
  readonly instruction: ExpectedInstruction['name'];
  readonly build: (client: LegworkClient, id: string) => Promise<Built>;
}

/** The knowledge of a wallet that posted something, without asking the service. */
export interface Owned {
  readonly programId: Address;
  readonly id: string;
  readonly shipper: KeyPairSigner;
  /** The payer of the budget. */
  readonly funder: Address;
}

/** The acts of a shipper's wallet with the ledger alone. */
export interface Alone {
  readonly cancel: (owned: Owned) => Promise<Instruction>;
  /** `early`: its work is not done. `over`: somebody has settled it, or ended it otherwise. */
  readonly settle: (rpc: LedgerRpc, owned: Owned) => Promise<Instruction | 'early' | 'over'>;
}

/** A listing that is signed, and how the service is told of it, any number of times. */
export interface Signed {
  readonly id: string;
  readonly submit: (client: LegworkClient) => Promise<unknown>;
}

/** An item of a list of the service. */
export interface Seen {
  readonly id: string;
  /** Its poster's description. */
  readonly text: string;
}

/** The things that are posted, worked on and paid for: packages or digital tasks. */
export interface Kind<Known extends Listing, Draft extends object> {
  readonly noun: string;
  readonly listing: ExpectedInstruction['name'];
  /** The tools that post and show it. */
  readonly tools: { readonly post: string; readonly get: string };
  /** Its id as calls name it. */
  readonly named: (id: string) => Readonly<Record<string, string>>;
  /** Its statuses once it is posted and not over. */
  readonly open: readonly Known['status'][];
  /** Its status once everything is done and settled. */
  readonly done: Known['status'];
  readonly accountOf: (listing: Known) => string;
  readonly sign: (client: LegworkClient, shipper: KeyPairSigner, draft: Draft) => Promise<Signed>;
  readonly build: (
    client: LegworkClient,
    shipper: KeyPairSigner,
    draft: Draft,
  ) => Promise<Built & { readonly id: string }>;
  readonly sponsor: (
    client: LegworkClient,
    shipper: Pick<KeyPairSigner, 'address'>,
    draft: Draft,
    key?: string,
  ) => Promise<string>;
  readonly get: (client: LegworkClient, id: string) => Promise<Known>;
  readonly list: (client: LegworkClient) => AsyncIterable<Seen>;
  readonly cancel: Exit;
  readonly reclaim: Exit;
  readonly close: Exit;
  readonly alone: Alone;
}
