import { createHash } from 'node:crypto';
import type { Parsed } from '../accounts/dataReader.js';
import { named, present, type Describe, InstructionReader } from './instruction.js';

const DISCRIMINATOR_BYTES = 8;

function discriminator(name: string): string {
  return createHash('sha256')
    .update(name)
    .digest('hex')
    .slice(0, 2 * DISCRIMINATOR_BYTES);
}

const field = (data: InstructionReader): string =>
  data.variant([() => 'name', () => 'symbol', () => 'uri', () => data.string(4)], 1)();

/** Instructions that a token program understands next to its own, by the hash of their names. */
const INSTRUCTIONS: ReadonlyMap<string, readonly [type: string, describe: Describe]> = new Map(
  (
    [
      [
        'spl_token_metadata_interface:initialize_account',
        'initializeTokenMetadata',
        (accounts, data) => ({
          ...named(accounts, 'metadata', 'updateAuthority', 'mint', 'mintAuthority'),
          name: data.string(4),
          symbol: data.string(4),
          uri: data.string(4),
        }),
      ],
      [
        'spl_token_metadata_interface:updating_field',
        'updateTokenMetadataField',
        (accounts, data) => ({
          ...named(accounts, 'metadata', 'updateAuthority'),
          field: field(data),
          value: data.string(4),
        }),
      ],
      [
        'spl_token_metadata_interface:remove_key_ix',
        'removeTokenMetadataKey',
        (accounts, data) => ({
          ...named(accounts, 'metadata', 'updateAuthority'),
          idempotent: data.bool(),
          key: data.string(4),
        }),
      ],
      [
        'spl_token_metadata_interface:update_the_authority',
        'updateTokenMetadataAuthority',
        (accounts, data) => ({
          ...named(accounts, 'metadata', 'updateAuthority'),
          newAuthority: data.nonZeroKey(),
        }),
      ],
      [
        'spl_token_metadata_interface:emitter',
        'emitTokenMetadata',
        (accounts, data) => ({
          ...named(accounts, 'metadata'),
          ...present({ start: data.option(() => data.u64()), end: data.option(() => data.u64()) }),
        }),
      ],
      [
        'spl_token_group_interface:initialize_token_group',
        'initializeTokenGroup',
        (accounts, data) => ({
          ...named(accounts, 'group', 'mint', 'mintAuthority'),
          updateAuthority: data.nonZeroKey(),
          maxSize: data.u64(),
        }),
      ],
      [
        'spl_token_group_interface:update_group_max_size',
        'updateTokenGroupMaxSize',
        (accounts, data) => ({ ...named(accounts, 'group', 'updateAuthority'), maxSize: data.u64() }),
      ],
      [
        'spl_token_group_interface:update_authority',
        'updateTokenGroupAuthority',
        (accounts, data) => ({ ...named(accounts, 'group', 'updateAuthority'), newAuthority: data.nonZeroKey() }),
      ],
      [
        'spl_token_group_interface:initialize_member',
        'initializeTokenGroupMember',
        (accounts) => named(accounts, 'member', 'memberMint', 'memberMintAuthority', 'group', 'groupUpdateAuthority'),
      ],
    ] satisfies [string, string, Describe][]
  ).map(([name, type, describe]) => [discriminator(name), [type, describe]]),
);

export function parseTokenInterface(accounts: readonly string[], bytes: Uint8Array): Parsed | undefined {
  if (bytes.length < DISCRIMINATOR_BYTES) return undefined;
  const data = new InstructionReader(bytes);
  const found = INSTRUCTIONS.get(Buffer.from(data.bytes(DISCRIMINATOR_BYTES)).toString('hex'));
  if (found === undefined) return undefined;
  const [type, describe] = found;
  const info = describe(accounts, data);
  data.end();
  return { type, info };
}
