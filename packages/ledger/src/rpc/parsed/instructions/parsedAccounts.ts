import { isWritableStatic, type WireMessage } from '../../../bank/wire.js';

const UPGRADEABLE_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';

/** Addresses that no transaction may write, whatever its message says: built-in programs and sysvars. */
const RESERVED: ReadonlySet<string> = new Set([
  '11111111111111111111111111111111',
  'AddressLookupTab1e1111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  UPGRADEABLE_LOADER,
  'ComputeBudget111111111111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'Feature111111111111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'NativeLoader1111111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'StakeConfig11111111111111111111111111111111',
  'Sysvar1111111111111111111111111111111111111',
  'Sysvar1nstructions1111111111111111111111111',
  'SysvarC1ock11111111111111111111111111111111',
  'SysvarEpochRewards1111111111111111111111111',
  'SysvarEpochSchedu1e111111111111111111111111',
  'SysvarFees111111111111111111111111111111111',
  'SysvarLastRestartS1ot1111111111111111111111',
  'SysvarRecentB1ockHashes11111111111111111111',
  'SysvarRent111111111111111111111111111111111',
  'SysvarRewards111111111111111111111111111111',
  'SysvarS1otHashes111111111111111111111111111',
  'SysvarS1otHistory11111111111111111111111111',
  'SysvarStakeHistory1111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'ZkE1Gama1Proof11111111111111111111111111111',
  'ZkTokenProof1111111111111111111111111111111',
]);

/** Addresses from lookup tables, as base58 text. */
export type LoadedAddresses = { readonly writable: readonly string[]; readonly readonly: readonly string[] };

/** A message's accounts, given all its addresses (own, then loaded), with their parts in the transaction. */
export function showAccounts(message: WireMessage, keys: readonly string[], loaded: LoadedAddresses): object[] {
  const own = message.staticKeys.length;
  const programs = new Set(message.instructions.map((one) => one.programIndex));
  // A program that is called cannot be written, unless its loader takes part, which may upgrade it.
  const mayWritePrograms = keys.includes(UPGRADEABLE_LOADER);
  return keys.map((pubkey, index) => {
    const asked = index < own ? isWritableStatic(message, index) : index < own + loaded.writable.length;
    return {
      pubkey,
      signer: index < message.numRequiredSignatures,
      source: index < own ? 'transaction' : 'lookupTable',
      writable: asked && !RESERVED.has(pubkey) && (mayWritePrograms || !programs.has(index)),
    };
  });
}
