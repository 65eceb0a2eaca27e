import { decodeRelayInstruction, readTransfer, type RelayInstruction } from '@legwork/program-client';
import {
  type Address,
  address,
  decompileTransactionMessage,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
  MAX_SUPPORTED_TRANSACTION_VERSION,
} from '@solana/kit';
import type { LedgerRpc } from '../../packages/cli/tests/support/wallets.js';

/** A transaction as the ledger tells it. */
export interface Entry {
  readonly signature: string;
  readonly failed: boolean;
  readonly payer: Address;
  /** Its sender: of one that the coordinator pays for, the other one who signed it. */
  readonly sender: Address;
  /** The account charged for one that the coordinator pays for. */
  readonly charged: Address;
  /** Lamports that the payer paid for it, also if it failed. */
  readonly fee: bigint;
  /** The program's instructions in it, in words. */
  readonly deeds: readonly string[];
  /** Rents of token accounts that its payer paid, or that an end gave the funder; and rents that the payer lent. */
  readonly rents: readonly (readonly [wallet: string, lamports: bigint])[];
  /** The deposits into token accounts, in lamports, less the withdrawals. */
  readonly inTokens: bigint;
}

/** An instruction by its name; of one about a leg of a digital task also which leg, whose and what for. */
function inWords(instruction: RelayInstruction): string {
  const { name } = instruction;
  if (name === 'assignTaskLeg') return assigning(instruction.data.index, instruction.accounts.agent.address);
  if (name === 'releaseTaskLeg') return releasing(instruction.data.index, instruction.accounts.agent?.address);
  if (name !== 'confirmTaskLeg') return name;
  const { accounts, data } = instruction;
  return confirming(data.index, accounts.agent.address, Buffer.from(data.resultHash).toString('hex'));
}

export const assigning = (leg: number, agent: string) => `assignTaskLeg ${leg} to ${agent}`;
/** The agents that legs of a digital task were assigned to, one after the other. */
export function assignedIn(history: readonly Entry[]): { readonly leg: number; readonly agent: string }[] {
  const deeds = history.flatMap((entry) => (entry.failed ? [] : entry.deeds));
  return deeds.flatMap((deed) => {
    const [, leg, agent] = /^assignTaskLeg (\d+) to (\w+)$/.exec(deed) ?? [];
    return agent === undefined ? [] : [{ leg: Number(leg), agent }];
  });
}

export const releasing = (leg: number, agent: string | undefined) => `releaseTaskLeg ${leg} of ${agent}`;
export const confirming = (leg: number, agent: string, resultHash: string) =>
  `confirmTaskLeg ${leg} of ${agent} for ${resultHash}`;

/** The ledger whose transactions are read, and the program. */
export interface Ledger {
  readonly rpc: LedgerRpc;
  readonly programId: Address;
  readonly coordinator: Address;
}

/** A transaction's word on balances, in lamports by the places of accounts. */
interface Meta {
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances?: readonly { readonly accountIndex: number }[];
  readonly postTokenBalances?: readonly { readonly accountIndex: number }[];
}

/** Lamports that came into each token account of a transaction, or left it. */
function changesOf(meta: Meta): bigint[] {
  const held = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])];
  const places = [...new Set(held.map(({ accountIndex }) => accountIndex))];
  return places.map((place) => (meta.postBalances[place] ?? 0n) - (meta.preBalances[place] ?? 0n));
}

/** The payers or receivers of those, and the lenders: a funder is the one to whom an end leaves something. */
function rentsOf(payer: Address, all: readonly Instruction[], ended: string | undefined, changes: readonly bigint[]) {
  const rents: (readonly [string, bigint])[] = changes.map((change) => [
    change < 0n ? (ended ?? 'nobody') : payer,
    -change,
  ]);
  for (const instruction of all) {
    const loan = readTransfer(instruction);
    if (loan?.from === payer) rents.push([payer, -loan.lamports], [loan.to, loan.lamports]);
  }
  return rents;
}

/** Every transaction that names the account, oldest first. */
export async function historyOf(
  { rpc, programId: programAddress, coordinator }: Ledger,
  account: Address,
): Promise<Entry[]> {
  const found = await rpc.getSignaturesForAddress(account, { commitment: 'confirmed' }).send();
  return Promise.all(
    found.toReversed().map(async ({ signature, err }): Promise<Entry> => {
      const options = {
        commitment: 'confirmed',
        encoding: 'base64',
        maxSupportedTransactionVersion: MAX_SUPPORTED_TRANSACTION_VERSION,
      } as const;
      const transaction = await rpc.getTransaction(signature, options).send();
      if (transaction?.meta == null) throw new Error(`the ledger lists ${signature} and does not show it`);
      const { messageBytes, signatures } = getTransactionDecoder().decode(
        getBase64Encoder().encode(transaction.transaction[0]),
      );
      const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
      const all: readonly Instruction[] = message.instructions;
      const decoded = all.flatMap((instruction) => decodeRelayInstruction(programAddress, instruction) ?? []);
      const named: Readonly<Record<string, { address: Address } | undefined>>[] = decoded.map((one) => one.accounts);
      const funder = named.flatMap((accounts) => accounts['funder']?.address ?? [])[0];
      const payer = message.feePayer.address;
      const others = payer === coordinator ? Object.keys(signatures).filter((signer) => signer !== payer) : [];
      const changes = changesOf(transaction.meta);
      return {
        signature,
        failed: err !== null,
        payer,
        sender: address(others[0] ?? payer),
        charged: address(named.flatMap((accounts) => accounts['recipient']?.address ?? others)[0] ?? payer),
        fee: transaction.meta.fee,
        deeds: decoded.map(inWords),
        rents: err === null ? rentsOf(payer, all, funder, changes) : [],
        inTokens: changes.reduce((sum, change) => sum + change, 0n),
      };
    }),
  );
}
