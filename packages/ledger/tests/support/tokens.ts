import {
  AccountRole,
  address,
  generateKeyPairSigner,
  getAddressEncoder,
  type AccountMeta,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { send, signTransaction, SOL, type Client } from './ledger.js';

export const TOKEN = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const TOKEN_2022 = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');

type Part = number | bigint | Address | Uint8Array | undefined;

/** An instruction's data: numbers are bytes, bigints are 64 bits, `undefined` is an option without a value. */
function pack(parts: readonly Part[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => {
      if (part === undefined) return Buffer.from([0]);
      if (typeof part === 'number') return Buffer.from([part]);
      if (typeof part === 'string') return Buffer.from(getAddressEncoder().encode(part));
      if (typeof part !== 'bigint') return Buffer.from(part);
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(part);
      return bytes;
    }),
  );
}

const writable = (of: Address): AccountMeta => ({ address: of, role: AccountRole.WRITABLE });
const readonly = (of: Address): AccountMeta => ({ address: of, role: AccountRole.READONLY });
const signing = (signer: KeyPairSigner) => ({
  address: signer.address,
  role: AccountRole.READONLY_SIGNER as const,
  signer,
});

/** An instruction of a token program, from its parts. */
export function tokenInstruction(
  program: Address,
  accounts: Instruction['accounts'],
  ...data: readonly Part[]
): Instruction {
  return { programAddress: program, accounts: accounts ?? [], data: pack(data) };
}

export type Token = {
  readonly client: Client;
  readonly program: Address;
  /** Pays, mints and freezes. */
  readonly authority: KeyPairSigner;
  readonly mint: Address;
  readonly decimals: number;
};

const RENT = SOL / 100n;

async function allocate(
  payer: KeyPairSigner,
  programAddress: Address,
  space: number,
): Promise<{ readonly instruction: Instruction; readonly newAccount: KeyPairSigner }> {
  const newAccount = await generateKeyPairSigner();
  const instruction = getCreateAccountInstruction({ payer, newAccount, lamports: RENT, space, programAddress });
  return { instruction, newAccount };
}

/** A token without supply. `extensions` initialize the mint's extensions, for which it has `space`. */
export async function createToken(
  client: Client,
  authority: KeyPairSigner,
  options: {
    readonly program?: Address;
    readonly decimals?: number;
    readonly space?: number;
    readonly extensions?: (mint: Address) => readonly Instruction[];
  } = {},
): Promise<Token> {
  const { program = TOKEN, decimals = 6, space = 82, extensions = () => [] } = options;
  const { instruction, newAccount } = await allocate(authority, program, space);
  const mint = newAccount.address;
  const initialize = tokenInstruction(program, [writable(mint)], 20, decimals, authority.address, 1, authority.address);
  await send(client, await signTransaction(client, authority, [instruction, ...extensions(mint), initialize]));
  return { client, program, authority, mint, decimals };
}

/** An account for a token. */
export async function createHolding(token: Token, owner: Address, space = 165): Promise<Address> {
  const { client, program, authority, mint } = token;
  const { instruction, newAccount } = await allocate(authority, program, space);
  const accounts = [writable(newAccount.address), readonly(mint)];
  const initialize = tokenInstruction(program, accounts, 18, owner);
  await send(client, await signTransaction(client, authority, [instruction, initialize]));
  return newAccount.address;
}

/** An account of a token's program with the room of a holding, but nothing in it. */
export async function createBlank(token: Token): Promise<Address> {
  const { instruction, newAccount } = await allocate(token.authority, token.program, 165);
  await run(token, instruction);
  return newAccount.address;
}

export function mintTo({ program, mint, authority }: Token, holding: Address, amount: bigint): Instruction {
  return tokenInstruction(program, [writable(mint), writable(holding), signing(authority)], 7, amount);
}

export function approve(
  { program }: Token,
  holding: Address,
  owner: KeyPairSigner,
  delegate: Address,
  amount: bigint,
): Instruction {
  return tokenInstruction(program, [writable(holding), readonly(delegate), signing(owner)], 4, amount);
}

export function revoke({ program }: Token, holding: Address, owner: KeyPairSigner): Instruction {
  return tokenInstruction(program, [writable(holding), signing(owner)], 5);
}

export function transferTokens(
  { program, mint, decimals }: Token,
  source: Address,
  owner: KeyPairSigner,
  destination: Address,
  amount: bigint,
): Instruction {
  const accounts = [writable(source), readonly(mint), writable(destination), signing(owner)];
  return tokenInstruction(program, accounts, 12, amount, decimals);
}

export function freeze({ program, mint, authority }: Token, holding: Address): Instruction {
  return tokenInstruction(program, [writable(holding), readonly(mint), signing(authority)], 10);
}

/** Gives a holding, which must be empty, to another owner. */
export function giveAway({ program }: Token, holding: Address, owner: KeyPairSigner, to: Address): Instruction {
  return tokenInstruction(program, [writable(holding), signing(owner)], 6, 2, 1, to);
}

export function closeHolding({ program }: Token, holding: Address, owner: KeyPairSigner): Instruction {
  return tokenInstruction(program, [writable(holding), writable(owner.address), signing(owner)], 9);
}

/** Sends instructions that the token's authority pays for. */
export async function run({ client, authority }: Token, ...instructions: readonly Instruction[]): Promise<string> {
  return send(client, await signTransaction(client, authority, instructions));
}
