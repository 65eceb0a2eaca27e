import {
  AccountRole,
  address,
  getBase58Encoder,
  type GetSignaturesForAddressApi,
  type Signature,
  signature as toSignature,
  type Address,
  type TransactionError,
} from '@solana/kit';
import { decodeRelayInstruction, type RelayInstruction } from '../decodeRelayInstruction.js';
import { ask, type ReadLedger } from './ask.js';

/** Signatures a page; a node gives no more at once. */
const PAGE = 1000;

type Page = ReturnType<GetSignaturesForAddressApi['getSignaturesForAddress']>;

/** A transaction that the ledger shows as confirmed. */
export interface LandedTransaction {
  slot: bigint;
  /** What went wrong; null: it succeeded. */
  error: TransactionError | null;
  /** The program's instructions in it, top-level and inner, in the order they ran. Empty when it failed. */
  instructions: RelayInstruction[];
}

/** Reads a confirmed transaction and decodes the program's instructions; undefined when the ledger shows no such. */
export async function findLanded(ledger: ReadLedger, signature: string): Promise<LandedTransaction | undefined> {
  const found = await ask(
    ledger.rpc.getTransaction(toSignature(signature), {
      commitment: 'confirmed',
      encoding: 'json',
      maxSupportedTransactionVersion: 0,
    }),
  );
  if (found === null || found.meta === null) return undefined;
  if (found.meta.err !== null) return { slot: found.slot, error: found.meta.err, instructions: [] };

  const { message } = found.transaction;
  const loaded = found.meta.loadedAddresses;
  const keys = [...message.accountKeys, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])];
  const inner = new Map((found.meta.innerInstructions ?? []).map((group) => [group.index, group.instructions]));
  const inOrder = message.instructions.flatMap((instruction, index) => [instruction, ...(inner.get(index) ?? [])]);
  const instructions = inOrder.flatMap((instruction) => decode(ledger.programAddress, keys, instruction) ?? []);
  return { slot: found.slot, error: null, instructions };
}

/** How the history of an account is listed. */
export interface Listing {
  /** Those from this signature on are left out; undefined: none are. */
  until?: string | undefined;
  /** Only a node that has reached this slot may say; another one counts as one that does not answer. */
  minContextSlot?: bigint;
  /** How each page is asked for; once, unless told. */
  request?: (page: () => Promise<Page>) => Promise<Page>;
}

/** The confirmed transactions that name the account, newest first, a page at a time. */
export async function* signaturePages(
  { rpc }: Pick<ReadLedger, 'rpc'>,
  account: string,
  { until, minContextSlot, request = (page) => page() }: Listing = {},
): AsyncGenerator<Page, void> {
  let before: Signature | undefined;
  for (;;) {
    const options = {
      commitment: 'confirmed',
      limit: PAGE,
      ...(before !== undefined && { before }),
      ...(until !== undefined && { until: toSignature(until) }),
      ...(minContextSlot !== undefined && { minContextSlot }),
    } as const;
    const page = await request(() => ask(rpc.getSignaturesForAddress(address(account), options)));
    yield page;
    before = page.at(-1)?.signature;
    if (page.length < PAGE || before === undefined) return;
  }
}

/**
 * The newest successful transaction that names the account and holds an instruction of the program as `matches` says,
 * no matter who sent it; undefined when the ledger's history shows none.
 */
export async function findTransactionOf(
  ledger: ReadLedger,
  account: string,
  matches: (instruction: RelayInstruction) => boolean,
): Promise<string | undefined> {
  for await (const page of signaturePages(ledger, account)) {
    for (const { signature, err } of page) {
      if (err !== null) continue;
      const landed = await findLanded(ledger, signature);
      if (landed?.instructions.some(matches)) return signature;
    }
  }
  return undefined;
}

interface CompiledInstruction {
  programIdIndex: number;
  accounts: readonly number[];
  data: string;
}

function decode(
  programAddress: Address,
  keys: readonly Address[],
  instruction: CompiledInstruction,
): RelayInstruction | undefined {
  const program = keys[instruction.programIdIndex];
  if (program !== programAddress) return undefined;
  const accounts = instruction.accounts.flatMap((index) => {
    const key = keys[index];
    // The privileges were checked when the transaction ran; the decoder only needs the order.
    return key === undefined ? [] : [{ address: key, role: AccountRole.READONLY }];
  });
  return decodeRelayInstruction(programAddress, {
    programAddress: program,
    accounts,
    data: getBase58Encoder().encode(instruction.data),
  });
}
