import { RENT_EXEMPT_EPOCH, type Account } from '../../../bank/account.js';
import type { Bank } from '../../../bank/bank.js';
import { keyOf, toBase58 } from '../../../bank/keys.js';
import { isTokenProgram, NATIVE_MINT, TOKEN_PROGRAM } from '../../../bank/token.js';
import type { RpcMethod } from '../../context.js';
import { addressParam, configParam, oneOf, requireParams, u64Param, type Config } from '../../params.js';
import { invalidParams } from '../../rpcError.js';
import { isGiven, setAccounts } from './setAccount.js';

const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

/** A token account's data without extensions. An optional field has four bytes before it: 1 says that it is there. */
const ACCOUNT_BYTES = 165;
const AT = {
  mint: 0,
  owner: 32,
  amount: 64,
  delegate: 72,
  state: 108,
  native: 109,
  delegated: 121,
  closer: 129,
} as const;
const STATES = ['uninitialized', 'initialized', 'frozen'] as const;

/** The owner of the tokens, and their mint. */
type Holding = { readonly owner: Uint8Array; readonly mint: Uint8Array; readonly program: Uint8Array };

/**
 * Surfpool's `surfnet_setTokenAccount`: sets fields of the associated token account of an owner and a mint, and makes it if
 * there is none. The mint's supply stays as it is. Rule L-76.
 */
export const setTokenAccount: RpcMethod = async (params, context) => {
  requireParams(params, 3);
  const program = isGiven(params[3]) ? addressParam(params[3]) : TOKEN_PROGRAM;
  if (!isTokenProgram(program)) {
    throw invalidParams(
      `Invalid params: tokenProgram is ${toBase58(program)}, expected one of the two token programs.`,
    );
  }
  const holding = { owner: addressParam(params[0]), mint: addressParam(params[1]), program };
  const change = readUpdate(configParam(params[2], 'update'));
  const address = await associatedAddress(holding);
  await context.fork?.bring([address, holding.mint]);
  requireOwner(holding.mint, program, context.bank);
  requireOwner(address, program, context.bank);
  const known = context.bank.account(address, 'processed') ?? newAccount(holding, context.bank);
  const data = Buffer.from(known.data);
  change(data);
  // Wrapped SOL is what an account has above its rent.
  const lamports =
    data.readUInt32LE(AT.native) === 0
      ? known.lamports
      : data.readBigUInt64LE(AT.native + 4) + data.readBigUInt64LE(AT.amount);
  if (lamports >= 2n ** 64n)
    throw invalidParams('Invalid params: amount is more wrapped SOL than an account can hold.');
  return setAccounts([{ address, account: { ...known, lamports, data } }], context);
};

async function associatedAddress({ owner, mint, program }: Holding): Promise<Uint8Array> {
  // Loaded when needed: the ledger starts without it.
  const { address, getAddressEncoder, getProgramDerivedAddress } = await import('@solana/kit');
  const programAddress = address(ASSOCIATED_TOKEN_PROGRAM);
  const [found] = await getProgramDerivedAddress({ programAddress, seeds: [owner, program, mint] });
  return Uint8Array.from(getAddressEncoder().encode(found));
}

/** @throws RpcError when there is such an account, and it is not the token program's */
function requireOwner(address: Uint8Array, program: Uint8Array, bank: Bank): void {
  const account = bank.account(address, 'processed');
  if (account === undefined || keyOf(account.owner) === keyOf(program)) return;
  const [of, expected] = [account.owner, program].map(toBase58);
  throw invalidParams(`Invalid params: ${toBase58(address)} belongs to ${of}, expected ${expected}.`);
}

function newAccount({ owner, mint, program }: Holding, bank: Bank): Account {
  const lamports = bank.engine.rentExemptMinimum(BigInt(ACCOUNT_BYTES));
  const data = Buffer.alloc(ACCOUNT_BYTES);
  data.set(mint, AT.mint);
  data.set(owner, AT.owner);
  data.writeUInt8(STATES.indexOf('initialized'), AT.state);
  if (keyOf(mint) === keyOf(NATIVE_MINT)) {
    data.writeUInt32LE(1, AT.native);
    data.writeBigUInt64LE(lamports, AT.native + 4);
  }
  return { lamports, data, owner: program, executable: false, rentEpoch: RENT_EXEMPT_EPOCH };
}

/** Reads the whole update before anything changes. */
function readUpdate(update: Config): (data: Buffer) => void {
  const { amount, delegatedAmount, state } = update;
  const changes: ((data: Buffer) => void)[] = [];
  const setNumber = (value: unknown, name: string, at: number): void => {
    if (!isGiven(value)) return;
    const number = u64Param(value, name);
    changes.push((data) => data.writeBigUInt64LE(number, at));
  };
  const setOption = (value: unknown, name: string, at: number): void => {
    if (!isGiven(value)) return;
    const key = value === 'null' ? undefined : addressParam(value);
    changes.push((data) => {
      data.writeUInt32LE(key === undefined ? 0 : 1, at);
      data.set(key ?? new Uint8Array(32), at + 4);
    });
  };
  setNumber(amount, 'amount', AT.amount);
  setNumber(delegatedAmount, 'delegatedAmount', AT.delegated);
  setOption(update['delegate'], 'delegate', AT.delegate);
  setOption(update['closeAuthority'], 'closeAuthority', AT.closer);
  if (isGiven(state)) {
    const number = STATES.indexOf(oneOf(state, 'state', STATES, 'initialized'));
    changes.push((data) => data.writeUInt8(number, AT.state));
  }
  return (data) => changes.forEach((change) => change(data));
}
