import { UnreadableDataError, type Parsed } from '../accounts/dataReader.js';
import { parseAssociatedToken, parseToken } from './token.js';
import { textOf } from './instruction.js';
import { parseLoader, parseUpgradeableLoader, parseLookupTable } from './loaders.js';
import { parseStake } from './stake.js';
import { parseSystem } from './system.js';
import { parseVote } from './vote.js';

/** An instruction with its addresses as base58 text. Its data is converted only when needed. */
type InstructionToShow = {
  readonly programId: string;
  readonly accounts: readonly string[];
  readonly data: { readonly bytes: () => Uint8Array; readonly text: () => string };
  /** 1 for an instruction of the transaction itself, more for one that a program called. */
  readonly stackHeight: number;
};

type Parser = (accounts: readonly string[], data: Uint8Array) => Parsed;

/** The programs that a cluster parses, with their names there. */
const PARSERS: ReadonlyMap<string, readonly [program: string, parse: Parser]> = new Map([
  ['11111111111111111111111111111111', ['system', parseSystem]],
  ['AddressLookupTab1e1111111111111111111111111', ['address-lookup-table', parseLookupTable]],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', ['spl-associated-token-account', parseAssociatedToken]],
  ['BPFLoader2111111111111111111111111111111111', ['bpf-loader', parseLoader]],
  ['BPFLoaderUpgradeab1e11111111111111111111111', ['bpf-upgradeable-loader', parseUpgradeableLoader]],
  ['Stake11111111111111111111111111111111111111', ['stake', parseStake]],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', ['spl-token', parseToken]],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', ['spl-token', parseToken]],
  ['Vote111111111111111111111111111111111111111', ['vote', parseVote]],
]);

/** The memo program's versions. */
export const MEMO_PROGRAMS: ReadonlySet<string> = new Set([
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH',
]);

/**
 * An instruction as `jsonParsed` shows it: parsed, or, when there is no parser for its program or the parser cannot
 * read it, its accounts and data. Rule L-50.
 */
export function showInstruction({ programId, accounts, data, stackHeight }: InstructionToShow): object {
  try {
    const [program, parsed] = parse(programId, accounts, data.bytes);
    return { parsed, program, programId, stackHeight };
  } catch (error) {
    if (!(error instanceof UnreadableDataError)) throw error;
    return { accounts, data: data.text(), programId, stackHeight };
  }
}

function parse(programId: string, accounts: readonly string[], bytes: () => Uint8Array): [string, Parsed | string] {
  if (MEMO_PROGRAMS.has(programId)) return ['spl-memo', textOf(bytes())];
  const parser = PARSERS.get(programId);
  if (parser === undefined) throw new UnreadableDataError();
  if (accounts.length === 0) throw new UnreadableDataError();
  const [program, parseData] = parser;
  return [program, parseData(accounts, bytes())];
}
