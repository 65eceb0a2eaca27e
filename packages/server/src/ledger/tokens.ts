import {
  associatedTokenAddress,
  createAssociatedToken,
  inTokens,
  lockerAddress,
  paidBy,
  type Returning,
  TOKEN_PROGRAM_ADDRESS,
  vaultAddress,
  decodeRelayInstruction,
  INSTRUCTIONS,
  listingAccount,
} from '@legwork/program-client';
import { ask } from '@legwork/program-client/history';
import { AccountRole, type Address, getAddressDecoder, getBase64Encoder, type Instruction } from '@solana/kit';
import type { ListedAsset } from './assets.js';
import type { Ledger } from './ledger.js';

/** In a token account: whom it belongs to, and whether it is frozen. */
const OWNER_AT = 32;
const STATE_AT = 108;
const INITIALIZED = 1;

/**
 * Instructions about a listing as they pay in its asset: of a token with the accounts of tokens, behind the creation of those that
 * are missing, whose rent the payer of the fee pays. Whoever could not receive is paid to its locker. Rules P-109, P-111, M-93.
 *
 * @throws LegworkError `ledger_unavailable`
 */
export async function paidIn(
  ledger: Pick<Ledger, 'rpc' | 'programAddress'>,
  payer: Address,
  { token, number }: ListedAsset,
  instructions: readonly Returning[],
): Promise<Instruction[]> {
  if (token === null) return [...instructions];
  const { mint } = token;
  const { programAddress } = ledger;
  const vaults = (await Promise.all(instructions.map((one) => fundedBy(programAddress, one)))).flat();
  const payees = [...new Set(instructions.flatMap((one) => paidBy(programAddress, one)))];
  const states = await statesOf(ledger, [...vaults, ...payees], mint);
  const locked = new Set(payees.filter((wallet) => states.get(wallet) === 'locked'));
  const lockers = await Promise.all([...locked].map((wallet) => lockerAddress(programAddress, wallet)));
  const inLockers = await statesOf(ledger, lockers, mint);
  const missing = [...states, ...inLockers].flatMap(([wallet, state]) => (state === 'missing' ? [wallet] : []));
  const creations = await Promise.all(
    missing.map((wallet) => createAssociatedToken({ address: payer, role: AccountRole.WRITABLE_SIGNER }, wallet, mint)),
  );
  const moves = instructions.map((one) => inTokens(programAddress, one, { number, mint }, { locked }));
  return [...creations, ...(await Promise.all(moves))];
}

/** The vault that an instruction pays a budget or a stake into. */
async function fundedBy(programAddress: Address, instruction: Instruction): Promise<Address[]> {
  const decoded = decodeRelayInstruction(programAddress, instruction);
  const listing = decoded && listingAccount(decoded);
  if (listing === undefined || INSTRUCTIONS[decoded!.name].deposits === null) return [];
  return [await vaultAddress(programAddress, listing)];
}

type State = 'missing' | 'ready' | 'locked';

/** Whether the associated token accounts of the owners can receive. */
async function statesOf(
  { rpc }: Pick<Ledger, 'rpc'>,
  owners: readonly Address[],
  mint: Address,
): Promise<Map<Address, State>> {
  if (owners.length === 0) return new Map();
  const accounts = await Promise.all(owners.map((owner) => associatedTokenAddress(owner, mint)));
  const { value } = await ask(rpc.getMultipleAccounts(accounts, { commitment: 'confirmed', encoding: 'base64' }));
  return new Map(
    owners.map((owner, index): [Address, State] => {
      const found = value[index];
      if (found?.owner !== TOKEN_PROGRAM_ADDRESS) return [owner, 'missing'];
      const data = getBase64Encoder().encode(found.data[0]);
      const canReceive = getAddressDecoder().decode(data, OWNER_AT) === owner && data[STATE_AT] === INITIALIZED;
      return [owner, canReceive ? 'ready' : 'locked'];
    }),
  );
}
