import type { Terms as LedgerTerms } from '@legwork/program-client';
import { type Asset, type Lamports, type LegStage, type Terms, toLamports } from '@legwork/protocol/contract';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import type { PaidToken } from '../assets.js';
import { COSIGNED_PICKUP } from '../listingTerms.js';
import type { ExitRpc } from './exitRpc.js';

/** The program on a ledger, as an RPC shows it. */
export interface ExitLedger {
  readonly rpc: ExitRpc;
  readonly program: Address;
  readonly genesisHash: string;
  readonly coordinator: Address;
  /** The ledger's time. */
  readonly now: Date;
}

/** A leg as the ledger has it. */
export interface FoundLeg {
  readonly index: number;
  readonly address: Address;
  /** Courier or agent. */
  readonly worker: Address;
  readonly stage: LegStage;
  readonly payment: Lamports;
  /** When its last move landed; null: it has no terms. */
  readonly since: Date | null;
  /** The share of the payment that a ruling left, or null without one. */
  readonly percent: number | null;
  /** Of a task: the sha256 of its result, hexadecimal; null: none. */
  readonly resultHash: string | null;
  /** Of a task: who gets its rent. */
  readonly rentPayer: Address | undefined;
}

/** A package or a task as the ledger has it, with everything that ending it names. */
export interface FoundListing {
  readonly kind: 'package' | 'task';
  readonly address: Address;
  /** Its id in a service. */
  readonly id: string;
  readonly status: 'listed' | 'forming' | 'active' | 'over';
  readonly lister: Address;
  readonly funder: Address;
  readonly deadline: Date;
  readonly asset: Asset;
  /** Undefined: SOL. */
  readonly token: PaidToken | undefined;
  readonly terms: Terms | null;
  /** Of the document that the lister signed for, hexadecimal. */
  readonly termsHash: string;
  readonly nonce: ReadonlyUint8Array;
  readonly vault: Address;
  /** In escrow, base units; in SOL with the rent of the vault, in a token with stakes. */
  readonly held: Lamports;
  /** Of the listing's own account that would come back, lamports. */
  readonly rentLamports: Lamports;
  /** Of a package under way. */
  readonly swarm: { readonly address: Address; readonly rentPayer: Address; readonly legs: number } | undefined;
  /** Those that have somebody, in order. */
  readonly legs: readonly FoundLeg[];
  /** How many it has in all. */
  readonly legCount: number;
}

const NOBODY = '11111111111111111111111111111111';

/** Terms of the ledger as the rules take them. */
export function termsFrom(
  { receiver, arbiter, stake, carry, handoff, review, arbitration, flags }: LedgerTerms,
  isInSol: boolean,
): Terms {
  const amount = toLamports(stake);
  return {
    receiverPubkey: receiver === NOBODY ? null : receiver,
    arbiterPubkey: arbiter,
    stake: amount,
    stakeLamports: isInSol ? amount : null,
    carrySec: carry,
    handoffSec: handoff,
    reviewSec: review,
    arbitrationSec: arbitration,
    cosignedPickup: (flags & COSIGNED_PICKUP) !== 0,
  };
}

/** The amount that returns to the funder: all of the escrow, less the stakes of others in tokens. Rule T-39. */
export function leftOf({ held, token, legs, terms }: FoundListing): Lamports {
  if (token === undefined || terms === null) return held;
  const waiting = BigInt(legs.filter(({ stage }) => stage === 'accepted').length);
  const rest = held - waiting * terms.stake;
  return toLamports(rest > 0n ? rest : 0n);
}
