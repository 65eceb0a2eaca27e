import { plainTokenAmount } from '../../../bank/token.js';
import { UnreadableDataError, type Parsed } from '../accounts/dataReader.js';
import {
  named,
  parseByTable,
  present,
  type Describe,
  type InstructionTable,
  InstructionReader,
  textOf,
  signedBy,
} from './instruction.js';
import { EXTENSION_TYPES, EXTENSIONS } from './tokenExtensions.js';
import { parseTokenInterface } from './tokenInterfaces.js';

/** The powers of an authority, and the kind of account, in the order of the program's numbers. */
const AUTHORITY_TYPES = [
  ['mintTokens', 'mint'],
  ['freezeAccount', 'mint'],
  ['accountOwner', 'account'],
  ['closeAccount', 'account'],
  ['transferFeeConfig', 'mint'],
  ['withheldWithdraw', 'mint'],
  ['closeMint', 'mint'],
  ['interestRate', 'mint'],
  ['permanentDelegate', 'mint'],
  ['confidentialTransferMint', 'mint'],
  ['transferHookProgramId', 'mint'],
  ['confidentialTransferFeeConfig', 'mint'],
  ['metadataPointer', 'mint'],
  ['groupPointer', 'mint'],
  ['groupMemberPointer', 'mint'],
  ['scaledUiAmount', 'mint'],
  ['pause', 'mint'],
  ['permissionedBurn', 'mint'],
] as const;

const initializeMint = (...names: string[]): Describe => {
  return (accounts, data) => ({
    ...named(accounts, 'mint', ...names),
    decimals: data.u8(),
    mintAuthority: data.key(),
    ...present({ freezeAuthority: data.option(() => data.key()) }),
  });
};

const initializeAccount = (...names: string[]): Describe => {
  return (accounts, data) => ({ ...named(accounts, 'account', 'mint', ...names), owner: data.key() });
};

const initializeMultisig = (...names: string[]): Describe => {
  return (accounts, data) => {
    // A multisig has a signer.
    named(accounts, 'multisig', ...names, 'signer');
    return { ...named(accounts, 'multisig', ...names), signers: accounts.slice(1 + names.length), m: data.u8() };
  };
};

/** An instruction on some accounts, signed for by the owner of one. */
const signed = (names: readonly string[], signer: string): Describe => {
  return (accounts) => {
    named(accounts, ...names, signer);
    return { ...named(accounts, ...names), ...signedBy(accounts, names.length, signer) };
  };
};

const withAmount = (names: readonly string[], signer: string): Describe => {
  return (accounts, data) => ({ ...signed(names, signer)(accounts, data), amount: String(data.u64()) });
};

const withTokenAmount = (names: readonly string[], signer: string): Describe => {
  return (accounts, data) => {
    const amount = data.u64();
    return { ...signed(names, signer)(accounts, data), tokenAmount: plainTokenAmount(amount, data.u8()) };
  };
};

const on = (...names: string[]): Describe => {
  return (accounts) => named(accounts, ...names);
};

const setAuthority: Describe = (accounts, data) => {
  const [authorityType, owned] = data.variant(AUTHORITY_TYPES, 1);
  return {
    ...signed([owned], 'authority')(accounts, data),
    authorityType,
    newAuthority: data.option(() => data.key()),
  };
};

function extensionTypes(data: InstructionReader): string[] {
  const types: string[] = [];
  while (data.left > 0) types.push(data.variant(EXTENSION_TYPES, 2));
  return types;
}

const getAccountDataSize: Describe = (accounts, data) => {
  const types = extensionTypes(data);
  return { ...named(accounts, 'mint'), ...(types.length === 0 ? {} : { extensionTypes: types }) };
};

const reallocate: Describe = (accounts, data) => ({
  ...signed(['account', 'payer', 'systemProgram'], 'owner')(accounts, data),
  extensionTypes: extensionTypes(data),
});

const unwrapLamports: Describe = (accounts, data) => {
  const amount = data.option(() => String(data.u64()));
  return { ...signed(['source', 'destination'], 'authority')(accounts, data), ...present({ amount }) };
};

const INSTRUCTIONS: InstructionTable = [
  ['initializeMint', initializeMint('rentSysvar')],
  ['initializeAccount', on('account', 'mint', 'owner', 'rentSysvar')],
  ['initializeMultisig', initializeMultisig('rentSysvar')],
  ['transfer', withAmount(['source', 'destination'], 'authority')],
  ['approve', withAmount(['source', 'delegate'], 'owner')],
  ['revoke', signed(['source'], 'owner')],
  ['setAuthority', setAuthority],
  ['mintTo', withAmount(['mint', 'account'], 'mintAuthority')],
  ['burn', withAmount(['account', 'mint'], 'authority')],
  ['closeAccount', signed(['account', 'destination'], 'owner')],
  ['freezeAccount', signed(['account', 'mint'], 'freezeAuthority')],
  ['thawAccount', signed(['account', 'mint'], 'freezeAuthority')],
  ['transferChecked', withTokenAmount(['source', 'mint', 'destination'], 'authority')],
  ['approveChecked', withTokenAmount(['source', 'mint', 'delegate'], 'owner')],
  ['mintToChecked', withTokenAmount(['mint', 'account'], 'mintAuthority')],
  ['burnChecked', withTokenAmount(['account', 'mint'], 'authority')],
  ['initializeAccount2', initializeAccount('rentSysvar')],
  ['syncNative', on('account')],
  ['initializeAccount3', initializeAccount()],
  ['initializeMultisig2', initializeMultisig()],
  ['initializeMint2', initializeMint()],
  ['getAccountDataSize', getAccountDataSize],
  ['initializeImmutableOwner', on('account')],
  ['amountToUiAmount', (accounts, data) => ({ ...named(accounts, 'mint'), amount: String(data.u64()) })],
  ['uiAmountToAmount', (accounts, data) => ({ ...named(accounts, 'mint'), uiAmount: textOf(data.rest()) })],
  [
    'initializeMintCloseAuthority',
    (accounts, data) => ({ ...named(accounts, 'mint'), newAuthority: data.option(() => data.key()) }),
  ],
];

/** The instructions behind those of the extensions. */
const LATER: Readonly<Record<number, readonly [string, Describe]>> = {
  29: ['reallocate', reallocate],
  31: ['createNativeMint', on('payer', 'nativeMint', 'systemProgram')],
  32: ['initializeNonTransferableMint', on('mint')],
  35: ['initializePermanentDelegate', (accounts, data) => ({ ...named(accounts, 'mint'), delegate: data.key() })],
  38: ['withdrawExcessLamports', signed(['source', 'destination'], 'authority')],
  45: ['unwrapLamports', unwrapLamports],
};

const BATCH = 255;

/** Parses an instruction of the token program or of token-2022. @throws UnreadableDataError */
export function parseToken(accounts: readonly string[], bytes: Uint8Array): Parsed {
  const ofInterface = parseTokenInterface(accounts, bytes);
  if (ofInterface !== undefined) return ofInterface;
  const data = new InstructionReader(bytes);
  const number = data.u8();
  if (number === BATCH) return { type: 'batch', info: { instructions: batch(accounts, data) } };
  const extension = EXTENSIONS[number];
  if (extension !== undefined) return parseByTable(extension, data.u8(), accounts, data);
  const later = LATER[number];
  return later === undefined
    ? parseByTable(INSTRUCTIONS, number, accounts, data)
    : { type: later[0], info: later[1](accounts, data) };
}

/** Several instructions in one: before each the number of its accounts and the length of its data. */
function batch(accounts: readonly string[], data: InstructionReader): Parsed[] {
  const parsed: Parsed[] = [];
  let used = 0;
  while (data.left > 0) {
    const count = data.u8();
    const bytes = data.bytes(data.u8());
    const own = accounts.slice(used, used + count);
    if (own.length < count || own.length === 0) throw new UnreadableDataError();
    if (bytes[0] === BATCH) throw new UnreadableDataError();
    parsed.push(parseToken(own, bytes));
    used += count;
  }
  return parsed;
}

const create: Describe = (accounts) =>
  named(accounts, 'source', 'account', 'wallet', 'mint', 'systemProgram', 'tokenProgram');

const ASSOCIATED: InstructionTable = [
  ['create', create],
  ['createIdempotent', create],
  [
    'recoverNested',
    (accounts) =>
      named(
        accounts,
        'nestedSource',
        'nestedMint',
        'destination',
        'nestedOwner',
        'ownerMint',
        'wallet',
        'tokenProgram',
      ),
  ],
];

export function parseAssociatedToken(accounts: readonly string[], bytes: Uint8Array): Parsed {
  const data = new InstructionReader(bytes);
  // The program's first version had no data.
  const number = data.left === 0 ? 0 : data.u8();
  data.end();
  return parseByTable(ASSOCIATED, number, accounts, data);
}
