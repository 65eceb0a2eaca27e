import { toBase58 } from '../../../bank/keys.js';
import { listExtensions } from '../../../bank/token.js';
import { DataReader, UnreadableDataError } from './dataReader.js';
import { plainFloat } from './floats.js';

type Kind = 'mint' | 'account';

type ExtensionParser = {
  readonly name: string;
  readonly of: Kind;
  /** Of fixed length. */
  readonly bytes?: number;
  /** Of an extension that says more than its presence. */
  readonly read?: (reader: DataReader) => object;
};

/** The `extensions` of a mint or token account, if it has any. Malformed lists count as none. */
export function parseExtensions(bytes: Uint8Array, kind: Kind): { readonly extensions?: object[] } {
  const list = listExtensions(bytes) ?? [];
  if (list.length === 0 || list.some((one) => EXTENSIONS[one.type] === undefined)) return {};
  return {
    extensions: list.map(({ type }) => {
      // Of several with the same type, the first counts.
      const data = list.find((one) => one.type === type)?.data ?? bytes;
      return parseExtension(EXTENSIONS[type], data, kind);
    }),
  };
}

/** The data of an extension; undefined when there is none with the right length. */
export function findExtension(bytes: Uint8Array, name: string): Uint8Array | undefined {
  const type = EXTENSIONS.findIndex((one) => one?.name === name);
  const data = listExtensions(bytes)?.find((one) => one.type === type)?.data;
  return data?.length === EXTENSIONS[type]?.bytes ? data : undefined;
}

function parseExtension(parser: ExtensionParser | undefined, data: Uint8Array, kind: Kind): object {
  if (parser === undefined) return UNPARSEABLE;
  const { name, read } = parser;
  if (read === undefined) return { extension: name };
  if (parser.of !== kind || (parser.bytes !== undefined && parser.bytes !== data.length)) return UNPARSEABLE;
  try {
    return { extension: name, state: read(new DataReader(data)) };
  } catch (error) {
    if (error instanceof UnreadableDataError) return UNPARSEABLE;
    throw error;
  }
}

const UNPARSEABLE = { extension: 'unparseableExtension' };

/** By type. The first is the end of the list. */
const EXTENSIONS: readonly (ExtensionParser | undefined)[] = [
  undefined,
  { name: 'transferFeeConfig', of: 'mint', bytes: 108, read: readTransferFeeConfig },
  { name: 'transferFeeAmount', of: 'account', bytes: 8, read: (reader) => ({ withheldAmount: reader.u64() }) },
  { name: 'mintCloseAuthority', of: 'mint', bytes: 32, read: (reader) => ({ closeAuthority: optionalKey(reader) }) },
  { name: 'confidentialTransferMint', of: 'mint', bytes: 65, read: readConfidentialTransferMint },
  { name: 'confidentialTransferAccount', of: 'account', bytes: 295, read: readConfidentialTransferAccount },
  { name: 'defaultAccountState', of: 'mint', bytes: 1, read: readDefaultAccountState },
  { name: 'immutableOwner', of: 'account' },
  { name: 'memoTransfer', of: 'account', bytes: 1, read: (reader) => ({ requireIncomingTransferMemos: flag(reader) }) },
  { name: 'nonTransferable', of: 'mint' },
  { name: 'interestBearingConfig', of: 'mint', bytes: 52, read: readInterestBearingConfig },
  { name: 'cpiGuard', of: 'account', bytes: 1, read: (reader) => ({ lockCpi: flag(reader) }) },
  { name: 'permanentDelegate', of: 'mint', bytes: 32, read: (reader) => ({ delegate: optionalKey(reader) }) },
  { name: 'nonTransferableAccount', of: 'account' },
  { name: 'transferHook', of: 'mint', bytes: 64, read: pointerTo('programId') },
  { name: 'transferHookAccount', of: 'account', bytes: 1, read: (reader) => ({ transferring: flag(reader) }) },
  { name: 'confidentialTransferFeeConfig', of: 'mint', bytes: 129, read: readConfidentialTransferFeeConfig },
  {
    name: 'confidentialTransferFeeAmount',
    of: 'account',
    bytes: 64,
    read: (reader) => ({ withheldAmount: base64(reader, 64) }),
  },
  { name: 'metadataPointer', of: 'mint', bytes: 64, read: pointerTo('metadataAddress') },
  { name: 'tokenMetadata', of: 'mint', read: readTokenMetadata },
  { name: 'groupPointer', of: 'mint', bytes: 64, read: pointerTo('groupAddress') },
  { name: 'tokenGroup', of: 'mint', bytes: 80, read: readTokenGroup },
  { name: 'groupMemberPointer', of: 'mint', bytes: 64, read: pointerTo('memberAddress') },
  { name: 'tokenGroupMember', of: 'mint', bytes: 72, read: readTokenGroupMember },
  { name: 'confidentialMintBurn', of: 'mint', bytes: 196, read: readConfidentialMintBurn },
  { name: 'scaledUiAmountConfig', of: 'mint', bytes: 56, read: readScaledUiAmountConfig },
  {
    name: 'pausableConfig',
    of: 'mint',
    bytes: 33,
    read: (reader) => ({ authority: optionalKey(reader), paused: flag(reader) }),
  },
  { name: 'pausableAccount', of: 'account' },
  { name: 'permissionedBurnConfig', of: 'mint', bytes: 32, read: (reader) => ({ authority: optionalKey(reader) }) },
];

function pointerTo(target: string): (reader: DataReader) => object {
  return (reader) => ({ authority: optionalKey(reader), [target]: optionalKey(reader) });
}

function readTransferFeeConfig(reader: DataReader): object {
  return {
    transferFeeConfigAuthority: optionalKey(reader),
    withdrawWithheldAuthority: optionalKey(reader),
    withheldAmount: reader.u64(),
    olderTransferFee: readTransferFee(reader),
    newerTransferFee: readTransferFee(reader),
  };
}

function readTransferFee(reader: DataReader): object {
  return { epoch: reader.u64(), maximumFee: reader.u64(), transferFeeBasisPoints: reader.u16() };
}

function readConfidentialTransferMint(reader: DataReader): object {
  const authority = optionalKey(reader);
  const autoApproveNewAccounts = flag(reader);
  const auditor = reader.bytes(32);
  const auditorElgamalPubkey = auditor.every((byte) => byte === 0) ? null : Buffer.from(auditor).toString('base64');
  return { authority, autoApproveNewAccounts, auditorElgamalPubkey };
}

function readConfidentialTransferAccount(reader: DataReader): object {
  return {
    approved: flag(reader),
    elgamalPubkey: base64(reader, 32),
    pendingBalanceLo: base64(reader, 64),
    pendingBalanceHi: base64(reader, 64),
    availableBalance: base64(reader, 64),
    decryptableAvailableBalance: base64(reader, 36),
    allowConfidentialCredits: flag(reader),
    allowNonConfidentialCredits: flag(reader),
    pendingBalanceCreditCounter: reader.u64(),
    maximumPendingBalanceCreditCounter: reader.u64(),
    expectedPendingBalanceCreditCounter: reader.u64(),
    actualPendingBalanceCreditCounter: reader.u64(),
  };
}

function readDefaultAccountState(reader: DataReader): object {
  return { accountState: ['uninitialized', 'initialized', 'frozen'][reader.u8()] ?? 'uninitialized' };
}

function readInterestBearingConfig(reader: DataReader): object {
  return {
    rateAuthority: optionalKey(reader),
    initializationTimestamp: reader.i64(),
    preUpdateAverageRate: reader.i16(),
    lastUpdateTimestamp: reader.i64(),
    currentRate: reader.i16(),
  };
}

function readConfidentialTransferFeeConfig(reader: DataReader): object {
  return {
    authority: optionalKey(reader),
    withdrawWithheldAuthorityElgamalPubkey: base64(reader, 32),
    harvestToMintEnabled: flag(reader),
    withheldAmount: base64(reader, 64),
  };
}

function readTokenMetadata(reader: DataReader): object {
  const text = (): string => reader.text(reader.u32());
  const updateAuthority = optionalKey(reader);
  const names = { mint: reader.key(), name: text(), symbol: text(), uri: text() };
  const additionalMetadata: [string, string][] = [];
  const count = reader.u32();
  while (additionalMetadata.length < count) additionalMetadata.push([text(), text()]);
  return { additionalMetadata, ...names, updateAuthority };
}

function readTokenGroup(reader: DataReader): object {
  return { updateAuthority: optionalKey(reader), mint: reader.key(), size: reader.u64(), maxSize: reader.u64() };
}

function readTokenGroupMember(reader: DataReader): object {
  return { mint: reader.key(), group: reader.key(), memberNumber: reader.u64() };
}

function readConfidentialMintBurn(reader: DataReader): object {
  return {
    confidentialSupply: base64(reader, 64),
    decryptableSupply: base64(reader, 36),
    supplyElgamalPubkey: base64(reader, 32),
    pendingBurn: base64(reader, 64),
  };
}

function readScaledUiAmountConfig(reader: DataReader): object {
  return {
    authority: optionalKey(reader),
    multiplier: plainFloat(reader.f64()),
    newMultiplierEffectiveTimestamp: reader.i64(),
    newMultiplier: plainFloat(reader.f64()),
  };
}

function optionalKey(reader: DataReader): string | null {
  const key = reader.bytes(32);
  return key.every((byte) => byte === 0) ? null : toBase58(key);
}

function flag(reader: DataReader): boolean {
  return reader.u8() !== 0;
}

function base64(reader: DataReader, length: number): string {
  return Buffer.from(reader.bytes(length)).toString('base64');
}
