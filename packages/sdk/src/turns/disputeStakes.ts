import { decodeTask, getTaskLegDecoder, LegStatus, TASK_LEG_KIND } from '@legwork/program-client';
import type { Task, TaskLeg } from '@legwork/program-client';
import { fetchEncodedAccounts, getBase58Decoder, getBase64Encoder, unwrapOption } from '@solana/kit';
import type { Address, Base58EncodedBytes, GetMultipleAccountsApi, GetProgramAccountsApi, Rpc } from '@solana/kit';

/** The RPC methods that finding disputes needs. */
export type DisputesRpc = Rpc<GetMultipleAccountsApi & GetProgramAccountsApi>;

/** Where the status stands in a leg's account, and what an account may be asked for at a time. */
const STATUS_OFFSET = 3n;
const MOST_ACCOUNTS = 100;
const DISPUTED_BY_RECEIVER = 2;

/** The stakes, in lamports, that a key has in disputes about legs of tasks, by the account of the leg, as the ledger has them. */
export async function disputeStakes(rpc: DisputesRpc, programId: Address, own: Address): Promise<Map<Address, bigint>> {
  const disputed = await disputedLegs(rpc, programId);
  const tasks = await tasksAt(rpc, [...new Set(disputed.map(({ leg }) => leg.task))]);
  const stakes = new Map<Address, bigint>();
  for (const { place, leg } of disputed) {
    const task = tasks.get(leg.task);
    const terms = task && unwrapOption(task.terms);
    if (terms && disputerOf(leg, task.poster, terms.receiver) === own) stakes.set(place, terms.stake);
  }
  return stakes;
}

function disputerOf({ turn }: TaskLeg, poster: Address, receiver: Address): Address {
  return unwrapOption(turn)?.note === DISPUTED_BY_RECEIVER ? receiver : poster;
}

async function disputedLegs(rpc: DisputesRpc, programId: Address) {
  const filters = [startsWith(0n, TASK_LEG_KIND), startsWith(STATUS_OFFSET, LegStatus.Disputed)];
  const asked = { commitment: 'confirmed', encoding: 'base64', filters } as const;
  const found = await rpc.getProgramAccounts(programId, asked).send();
  return found.map(({ pubkey, account }) => ({
    place: pubkey,
    leg: getTaskLegDecoder().decode(getBase64Encoder().encode(account.data[0])),
  }));
}

function startsWith(offset: bigint, byte: number) {
  const bytes = getBase58Decoder().decode(Uint8Array.of(byte)) as Base58EncodedBytes;
  return { memcmp: { offset, bytes, encoding: 'base58' } } as const;
}

async function tasksAt(rpc: DisputesRpc, places: readonly Address[]): Promise<Map<Address, Task>> {
  const tasks = new Map<Address, Task>();
  for (let from = 0; from < places.length; from += MOST_ACCOUNTS) {
    const asked = places.slice(from, from + MOST_ACCOUNTS);
    for (const account of await fetchEncodedAccounts(rpc, asked, { commitment: 'confirmed' })) {
      if (account.exists) tasks.set(account.address, decodeTask(account).data);
    }
  }
  return tasks;
}
