import {
  AccountRole,
  type Address,
  getAddressEncoder,
  getBase58Encoder,
  getTransactionDecoder,
  type Instruction,
  type Transaction,
} from '@solana/kit';

const SIGNATURE_LENGTH = 64;
/** Of version 0, which ends with its lookup tables: none. */
const VERSION_0 = 0x80;
/** As the message lists its accounts; each role has the bits of who may sign and be written to. */
const ORDER = [AccountRole.WRITABLE_SIGNER, AccountRole.READONLY_SIGNER, AccountRole.WRITABLE, AccountRole.READONLY];

/**
 * The unsigned transaction of these instructions, of which this key pays the fee. The compiler of kit does the same, and is as large as all
 * that pages know of handoffs.
 */
export function compilePaid(payer: Address, blockhash: string, instructions: readonly Instruction[]): Transaction {
  const roles = new Map<Address, number>([[payer, AccountRole.WRITABLE_SIGNER]]);
  const add = (account: Address, role: number) => roles.set(account, (roles.get(account) ?? 0) | role);
  for (const { programAddress, accounts = [] } of instructions) {
    add(programAddress, AccountRole.READONLY);
    for (const account of accounts) add(account.address, account.role);
  }
  const of = (role: number) => [...roles].flatMap(([account, is]) => (is === role ? [account] : []));
  // The payer was the first of its kind.
  const listed = ORDER.flatMap(of);
  const [readonlySigners, readonlyOthers] = [of(AccountRole.READONLY_SIGNER).length, of(AccountRole.READONLY).length];
  const signers = of(AccountRole.WRITABLE_SIGNER).length + readonlySigners;
  const index = (account: Address) => listed.indexOf(account);
  const message = [
    VERSION_0,
    signers,
    readonlySigners,
    readonlyOthers,
    listed.length,
    ...listed.flatMap((account) => [...getAddressEncoder().encode(account)]),
    ...getBase58Encoder().encode(blockhash),
    instructions.length,
    ...instructions.flatMap(({ programAddress, accounts = [], data = new Uint8Array() }) => [
      index(programAddress),
      accounts.length,
      ...accounts.map((account) => index(account.address)),
      ...lengthOf(data),
      ...data,
    ]),
    0,
  ];
  return getTransactionDecoder().decode(
    Uint8Array.from([signers, ...new Uint8Array(signers * SIGNATURE_LENGTH), ...message]),
  );
}

/** Seven bits each, the lowest first. Of all else there are fewer than 128. */
const lengthOf = ({ length }: ArrayLike<number>) => (length < 128 ? [length] : [(length & 127) | 128, length >> 7]);
