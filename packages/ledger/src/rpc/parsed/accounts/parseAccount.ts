import type { Account } from '../../../bank/account.js';
import { fromBase58, keyOf, type Key } from '../../../bank/keys.js';
import { parseConfig, parseLoader, parseLookupTable, parseNonce } from './builtIn.js';
import { UnreadableDataError, type Parsed } from './dataReader.js';
import type { MintScales } from './mintScale.js';
import { parseStake, parseVote } from './stake.js';
import { parseSysvar } from './sysvar.js';
import { parseToken } from './token.js';

type Parser = (data: Uint8Array, address: Uint8Array, scales: MintScales) => Parsed | undefined;

type Program = { readonly name: string; readonly parse: Parser };

const token: Parser = (data, _, scales) => parseToken(data, scales);

/** By the program that owns the account. */
const PROGRAMS: ReadonlyMap<Key, Program> = new Map(
  Object.entries<Program>({
    '11111111111111111111111111111111': { name: 'nonce', parse: parseNonce },
    AddressLookupTab1e1111111111111111111111111: { name: 'address-lookup-table', parse: parseLookupTable },
    BPFLoaderUpgradeab1e11111111111111111111111: { name: 'bpf-upgradeable-loader', parse: parseLoader },
    Config1111111111111111111111111111111111111: { name: 'config', parse: parseConfig },
    Stake11111111111111111111111111111111111111: { name: 'stake', parse: parseStake },
    Sysvar1111111111111111111111111111111111111: { name: 'sysvar', parse: parseSysvar },
    TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: { name: 'spl-token', parse: token },
    TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: { name: 'spl-token-2022', parse: token },
    Vote111111111111111111111111111111111111111: { name: 'vote', parse: parseVote },
  }).map(([address, program]) => [keyOf(fromBase58(address)), program]),
);

/**
 * An account's data as `jsonParsed` shows it, in the form of Agave 4.2.
 *
 * @returns undefined when there is no parser for it, whatever its bytes are. Rule L-40
 */
export function parseAccount(address: Uint8Array, account: Account, scales: MintScales): object | undefined {
  const program = PROGRAMS.get(keyOf(account.owner));
  if (program === undefined) return undefined;
  try {
    const parsed = program.parse(account.data, address, scales);
    return parsed === undefined ? undefined : { parsed, program: program.name, space: account.data.length };
  } catch (error) {
    if (error instanceof UnreadableDataError) return undefined;
    throw error;
  }
}
