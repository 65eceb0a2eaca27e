import type { Address, Instruction, KeyPairSigner, TransactionSigner } from '@solana/kit';

/** The outcome of a transaction. */
export interface Outcome {
  /** Name of the program's error, or the runtime's text; undefined when the transaction succeeded. */
  readonly error: string | undefined;
  readonly logs: readonly string[];
  /** Compute units of the whole transaction. */
  readonly units: number;
  /** The ledger's time when it ran, in Unix seconds. */
  readonly second: bigint;
}

export interface AccountState {
  readonly lamports: bigint;
  readonly owner: Address;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

/** A ledger with the program deployed: all that the tests of the program need of one. */
export interface Ledger {
  readonly programAddress: Address;
  /** May name the program's authority and coordinator. */
  readonly upgradeAuthority: TransactionSigner;
  /** Sends one transaction; a payer of its own pays its fee. @throws SolanaError when it is larger than a packet */
  send(...instructions: readonly Instruction[]): Promise<Outcome>;
  /** As `send`, with the fee paid by one of those who sign anyway, whose address takes no further room. */
  sendPaidBy(payer: KeyPairSigner, ...instructions: readonly Instruction[]): Promise<Outcome>;
  /** Undefined when there is no such account. */
  account(address: Address): Promise<AccountState | undefined>;
  airdrop(address: Address, lamports: bigint): Promise<void>;
  /** Sets the time, in Unix seconds. */
  setClock(seconds: bigint): Promise<void>;
}

/** A ledger that also writes accounts as no transaction could: for tests of accounts an attacker would like to pass. */
export interface ForgingLedger extends Ledger {
  forge(address: Address, state: AccountState): Promise<void>;
}
