import {
  ask,
  createLedgerRpc,
  isLedgerAnswer,
  readTrace,
  type LedgerRpc,
  type TransactionTrace,
} from '@legwork/program-client/history';
import { type Address, address, getBase64Encoder, type PendingRpcRequest, signature as toSignature } from '@solana/kit';
import { type LedgerTransaction, NEWEST_VERSION, readLedgerTransaction } from '../checks/ledgerTransaction.js';
import { t } from '../language.js';

/** An account as a node shows it. */
export interface LedgerAccount {
  readonly address: Address;
  readonly lamports: bigint;
  /** The program that may change it. */
  readonly owner: Address;
  readonly data: Uint8Array;
  readonly isProgram: boolean;
  /** The relay program is its owner. */
  readonly isRelays: boolean;
  /** As of which slot. */
  readonly slot: bigint;
}

/** A node of the ledger, and the program that is looked at. */
export interface Node {
  readonly rpc: LedgerRpc;
  readonly programId: string;
  transaction(signature: string): Promise<LedgerTransaction | undefined>;
  /** Undefined when the node does not tell. */
  trace(signature: string): Promise<TransactionTrace | undefined>;
  finality(signature: string): Promise<'processed' | 'confirmed' | 'finalized' | undefined>;
  account(at: string): Promise<LedgerAccount | undefined>;
}

/** @param rpcUrl of the node, as `/config` names it */
export function openNode({ rpcUrl, programId }: { rpcUrl: string; programId: string }): Node {
  const rpc = createLedgerRpc(rpcUrl);
  const put = <T>(request: PendingRpcRequest<T>) => answered(rpcUrl, request);

  async function transaction(text: string): Promise<LedgerTransaction | undefined> {
    const how = {
      commitment: 'confirmed',
      encoding: 'base64',
      maxSupportedTransactionVersion: NEWEST_VERSION,
    } as const;
    const answer: unknown = await put(rpc.getTransaction(signatureOf(text), how));
    return answer === null ? undefined : readLedgerTransaction(programId, text, answer);
  }

  return {
    rpc,
    programId,
    transaction,
    trace: async (text) => readTrace(rpcUrl, text),
    async finality(text) {
      const { value } = await put(rpc.getSignatureStatuses([signatureOf(text)], { searchTransactionHistory: true }));
      return value[0]?.confirmationStatus ?? undefined;
    },
    async account(text) {
      const at = addressOf(text);
      const { context, value } = await put(rpc.getAccountInfo(at, { commitment: 'confirmed', encoding: 'base64' }));
      if (value === null) return undefined;
      const { lamports, owner, executable, data } = value;
      const bytes = Uint8Array.from(getBase64Encoder().encode(data[0]));
      const isRelays = owner === programId;
      return { address: at, lamports, owner, data: bytes, isProgram: executable, isRelays, slot: context.slot };
    },
  };
}

/** @throws Error in words for people: who did not answer, or what it refused */
async function answered<T>(rpcUrl: string, request: PendingRpcRequest<T>): Promise<T> {
  try {
    return await ask(request);
  } catch (error) {
    const { host } = new URL(rpcUrl);
    const words =
      isLedgerAnswer(error) && error instanceof Error
        ? t('The ledger at {host} refused: {why}', { host, why: error.message })
        : t('Your browser cannot reach {host}.', { host });
    throw new Error(words, { cause: error });
  }
}

function signatureOf(text: string) {
  try {
    return toSignature(text);
  } catch {
    throw new Error(t('This is not a signature: one is 64 bytes in base58.'));
  }
}

function addressOf(text: string): Address {
  try {
    return address(text);
  } catch {
    throw new Error(t('This is not an address: one is 32 bytes in base58.'));
  }
}
