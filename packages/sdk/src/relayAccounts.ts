import {
  CONFIG_KIND,
  getConfigDecoder,
  getLegDecoder,
  getPackageDecoder,
  getReputationDecoder,
  getSwarmDecoder,
  getTaskDecoder,
  getTaskLegDecoder,
  LEG_KIND,
  PACKAGE_KIND,
  REPUTATION_KIND,
  SWARM_KIND,
  TASK_KIND,
  TASK_LEG_KIND,
  vaultAddress,
} from '@legwork/program-client';
import type { Config, Leg, Package, Reputation, Swarm, Task, TaskLeg } from '@legwork/program-client';
import { address, getBase64Encoder } from '@solana/kit';
import type { Address, GetBalanceApi, GetProgramAccountsApi, ReadonlyUint8Array, Rpc } from '@solana/kit';

/** The RPC methods that reading the program's accounts needs. */
export type AccountsRpc = Rpc<GetProgramAccountsApi & GetBalanceApi>;

/** The decoded data of one account of the program. */
export type RelayAccountData =
  | { readonly kind: 'config'; readonly data: Config }
  | { readonly kind: 'package'; readonly data: Package }
  | { readonly kind: 'swarm'; readonly data: Swarm }
  | { readonly kind: 'leg'; readonly data: Leg }
  | { readonly kind: 'reputation'; readonly data: Reputation }
  | { readonly kind: 'task'; readonly data: Task }
  | { readonly kind: 'taskLeg'; readonly data: TaskLeg };

type Escrowed = Extract<RelayAccountData, { kind: 'package' | 'task' }>;

/** Where an escrow is, and what it holds. */
interface Vault {
  readonly vault: Address;
  readonly vaultLamports: bigint;
}

/** An account of the program: where it is, what it weighs, what it says; of a package or a task also what its vault holds. */
export type RelayAccount = { readonly address: Address; readonly lamports: bigint } & (
  | Exclude<RelayAccountData, Escrowed>
  | (Escrowed & Vault)
);

/**
 * Every account of the program with its lamports, and of each package and task its vault: where all escrowed money is. Anybody
 * can ask the ledger this; the service is not needed. Accounts of a kind that this SDK does not know are left out.
 */
export async function fetchRelayAccounts(rpc: AccountsRpc, programId: string): Promise<RelayAccount[]> {
  const program = address(programId);
  const found = await rpc.getProgramAccounts(program, { commitment: 'confirmed', encoding: 'base64' }).send();
  const accounts = await Promise.all(
    found.map(async ({ pubkey, account }): Promise<RelayAccount | undefined> => {
      const data = decodeRelayAccount(getBase64Encoder().encode(account.data[0]));
      if (data === undefined) return undefined;
      const found = { address: pubkey, lamports: account.lamports };
      if (data.kind !== 'package' && data.kind !== 'task') return { ...found, ...data };
      return { ...found, ...data, ...(await vaultOf(rpc, program, pubkey)) };
    }),
  );
  return accounts.filter((account) => account !== undefined);
}

/**
 * Decodes an account that the program owns; undefined: it is of a kind that this SDK does not know.
 *
 * @throws Error when it is too short for its kind
 */
export function decodeRelayAccount(bytes: ReadonlyUint8Array): RelayAccountData | undefined {
  const kind = bytes[0] ?? 0;
  switch (kind) {
    case CONFIG_KIND:
      return { kind: 'config', data: getConfigDecoder().decode(bytes) };
    case PACKAGE_KIND:
      return { kind: 'package', data: getPackageDecoder().decode(bytes) };
    case SWARM_KIND:
      return { kind: 'swarm', data: getSwarmDecoder().decode(bytes) };
    case LEG_KIND:
      return { kind: 'leg', data: getLegDecoder().decode(bytes) };
    case REPUTATION_KIND:
      return { kind: 'reputation', data: getReputationDecoder().decode(bytes) };
    case TASK_KIND:
      return { kind: 'task', data: getTaskDecoder().decode(bytes) };
    case TASK_LEG_KIND:
      return { kind: 'taskLeg', data: getTaskLegDecoder().decode(bytes) };
    default:
      return undefined;
  }
}

async function vaultOf(rpc: AccountsRpc, program: Address, listing: Address): Promise<Vault> {
  const vault = await vaultAddress(program, listing);
  const { value } = await rpc.getBalance(vault, { commitment: 'confirmed' }).send();
  return { vault, vaultLamports: value };
}
