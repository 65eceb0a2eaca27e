import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RENT_EXEMPT_EPOCH, SYSTEM_PROGRAM } from '../bank/account.js';
import type { AddressedAccount } from '../bank/accounts.js';
import { fromBase58, toBase58 } from '../bank/keys.js';
import type { Engine } from '../bank/engine.js';
import { programDataOf, programOf, UPGRADEABLE_LOADER, whyOwn } from '../bank/programs.js';
import { GivenFileError } from '../errors.js';
import { fieldsOf, readAccount } from '../fork/shownAccount.js';
import { decodeJson } from '../json.js';
import { readKeypairFile } from '../keypairs.js';

/** A program of which a new ledger has the code from the start. */
export type GivenProgram = {
  /** Where it is: an address, or the path of a keypair file. */
  readonly address: string;
  /** Path of the ELF. */
  readonly file: string;
};

/**
 * What a new ledger begins with, as `solana-test-validator` takes it by the same names. All of it is of the genesis: on a ledger that
 * exists already it is ignored.
 */
export type GivenState = {
  /**
   * Accounts, as `solana account --output json` writes them. A file is looked for in the current folder, then in tests/fixtures.
   * `address` is where the account is put, by default where it was.
   */
  readonly account?: readonly { readonly address?: string; readonly file: string }[];
  /** Folders, of each of which every file that ends in .json is such an account. */
  readonly accountDir?: readonly string[];
  /** Programs that nobody can upgrade. */
  readonly bpfProgram?: readonly GivenProgram[];
  /** Programs with their upgrade authority: an address, the path of a keypair file, or `none`. */
  readonly upgradeableProgram?: readonly (GivenProgram & { readonly authority: string })[];
  /** The address that gets 500,000,000 SOL. */
  readonly mint?: string;
};

const STAKE_CONFIG = 'StakeConfig11111111111111111111111111111111';

/** What the mint gets, and the faucet has: 500,000,000 SOL in lamports. */
export const ENDOWMENT = 500_000_000n * 1_000_000_000n;

/**
 * Reads what a new ledger begins with. Rule L-89.
 *
 * @throws GivenFileError when a file cannot be read, MalformedKeypairFileError, TypeError for what is no address
 */
export async function readGiven(given: GivenState, engine: Engine): Promise<AddressedAccount[]> {
  const accounts = [
    ...(given.mint === undefined ? [] : [endowed(addressOf(given.mint, 'mint'))]),
    ...(given.account ?? []).map(({ file, address }) => accountIn(found(file), address)),
    ...(given.accountDir ?? []).flatMap(accountsIn),
  ];
  for (const program of given.bpfProgram ?? []) accounts.push(...(await programAt(program, SYSTEM_PROGRAM, engine)));
  for (const { authority, ...program } of given.upgradeableProgram ?? []) {
    const upgrader = authority === 'none' ? SYSTEM_PROGRAM : await addressOrKeypair(authority, 'an upgrade authority');
    accounts.push(...(await programAt(program, upgrader, engine)));
  }
  for (const { address, account } of accounts) {
    const own = whyOwn(address, engine.account(address)) ?? (account && whyOwn(address, account));
    if (own !== undefined) throw new TypeError(`${toBase58(address)} is ${own}, which each ledger has of its own`);
  }
  // A validator's genesis adds this one after what it is given, so that fixtures that hold one of mainnet change nothing.
  return accounts.filter(({ address }) => toBase58(address) !== STAKE_CONFIG);
}

/** A wallet with the lamports that a genesis gives. */
export function endowed(address: Uint8Array): AddressedAccount {
  const account = { lamports: ENDOWMENT, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false };
  return { address, account: { ...account, rentEpoch: RENT_EXEMPT_EPOCH } };
}

function found(file: string): string {
  const path = [file, join('tests', 'fixtures', file)].find((one) => existsSync(one));
  if (path === undefined) throw new GivenFileError(file, 'it is neither here nor in tests/fixtures');
  return path;
}

function accountsIn(folder: string): AddressedAccount[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch (error) {
    throw new GivenFileError(folder, 'the folder cannot be read', error);
  }
  const paths = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
  return paths.filter((path) => statSync(path).isFile()).map((path) => accountIn(path, undefined));
}

function accountIn(path: string, wanted: string | undefined): AddressedAccount {
  let dump: ReturnType<typeof fieldsOf>;
  try {
    dump = fieldsOf(decodeJson(read(path).toString('utf8')));
  } catch (error) {
    if (error instanceof GivenFileError) throw error;
    throw new GivenFileError(path, 'it is not JSON', error);
  }
  const account = readAccount(fieldsOf(dump?.['account']) ?? {}, true);
  if (account === undefined) {
    throw new GivenFileError(path, 'it is no account as `solana account --output json` writes one');
  }
  const where = wanted ?? dump?.['pubkey'];
  const address = addressOf(typeof where === 'string' ? where : '', `the account in ${path}`);
  return { address, account: account.lamports === 0n ? undefined : account };
}

/** A program as a genesis makes it: deployed in slot 0, so that it runs from the first slot on. */
async function programAt(
  { address, file }: GivenProgram,
  authority: Uint8Array,
  engine: Engine,
): Promise<AddressedAccount[]> {
  const program = await addressOrKeypair(address, 'a program');
  // Loaded when needed: the ledger starts without it.
  const { address: known, getAddressEncoder, getProgramDerivedAddress } = await import('@solana/kit');
  const programAddress = known(toBase58(UPGRADEABLE_LOADER));
  const [derived] = await getProgramDerivedAddress({ programAddress, seeds: [program] });
  const code = Uint8Array.from(getAddressEncoder().encode(derived));
  const rentOf = (bytes: bigint): bigint => engine.rentExemptMinimum(bytes);
  return [
    { address: code, account: programDataOf(read(file), authority, rentOf) },
    { address: program, account: programOf(code, rentOf) },
  ];
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new GivenFileError(path, 'it cannot be read', error);
  }
}

async function addressOrKeypair(text: string, what: string): Promise<Uint8Array> {
  if (!isAddress(text) && existsSync(text)) return fromBase58((await readKeypairFile(text)).address);
  return addressOf(text, what);
}

/** @param what whose address it is, for the message @throws TypeError */
export function addressOf(text: string, what: string): Uint8Array {
  if (!isAddress(text)) throw new TypeError(`${what} has the address "${text}", expected 32 bytes in base58`);
  return fromBase58(text);
}

function isAddress(text: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && fromBase58(text).length === 32;
}
