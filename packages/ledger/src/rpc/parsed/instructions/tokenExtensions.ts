import { plainTokenAmount } from '../../../bank/token.js';
import { UnreadableDataError } from '../accounts/dataReader.js';
import { plainFloat } from '../accounts/floats.js';
import {
  named,
  present,
  type Describe,
  type InstructionTable,
  type InstructionReader,
  signedBy,
} from './instruction.js';

/** Extensions by their numbers. */
export const EXTENSION_TYPES = [
  'uninitialized',
  'transferFeeConfig',
  'transferFeeAmount',
  'mintCloseAuthority',
  'confidentialTransferMint',
  'confidentialTransferAccount',
  'defaultAccountState',
  'immutableOwner',
  'memoTransfer',
  'nonTransferable',
  'interestBearingConfig',
  'cpiGuard',
  'permanentDelegate',
  'nonTransferableAccount',
  'transferHook',
  'transferHookAccount',
  'confidentialTransferFeeConfig',
  'confidentialTransferFeeAmount',
  'metadataPointer',
  'tokenMetadata',
  'groupPointer',
  'groupMemberPointer',
  'tokenGroup',
  'tokenGroupMember',
  'confidentialMintBurn',
  'scaledUiAmount',
  'pausable',
  'pausableAccount',
  'permissionedBurn',
] as const;

/** Data that must end where its last field ends. */
function exact(describe: Describe): Describe {
  return (accounts, data) => {
    const info = describe(accounts, data);
    data.end();
    return info;
  };
}

/** An instruction on one account, signed for by an authority, with the fields of its data. */
function signed(
  account: string,
  authority: string,
  fields: (data: InstructionReader) => object = () => ({}),
  multisig?: string,
): Describe {
  return (accounts, data) => ({
    [account]: named(accounts, account, authority)[account],
    ...signedBy(accounts, 1, authority, multisig),
    ...fields(data),
  });
}

/** An instruction on a mint, with the fields of its data. */
function onMint(fields: (data: InstructionReader) => object): Describe {
  return (accounts, data) => ({ ...named(accounts, 'mint'), ...fields(data) });
}

const transferFee = (data: InstructionReader): object => ({
  transferFeeBasisPoints: data.u16(),
  maximumFee: data.u64(),
});

const transferCheckedWithFee: Describe = (accounts, data) => {
  const amount = data.u64();
  const decimals = data.u8();
  named(accounts, 'source', 'mint', 'destination', 'authority');
  return {
    ...named(accounts, 'source', 'mint', 'destination'),
    ...signedBy(accounts, 3, 'authority'),
    tokenAmount: plainTokenAmount(amount, decimals),
    feeAmount: plainTokenAmount(data.u64(), decimals),
  };
};

const withdrawWithheld = (accounts: readonly string[], sources: number): object => {
  const signers = accounts.slice(0, accounts.length - sources);
  named(signers, 'mint', 'feeRecipient', 'withdrawWithheldAuthority');
  return { ...named(signers, 'mint', 'feeRecipient'), ...signedBy(signers, 2, 'withdrawWithheldAuthority') };
};

const withdrawWithheldFromAccounts: Describe = (accounts, data) => {
  const sources = data.u8();
  if (accounts.length < sources) throw new UnreadableDataError();
  return {
    ...withdrawWithheld(accounts, sources),
    sourceAccounts: accounts.slice(accounts.length - sources),
  };
};

const TRANSFER_FEE: InstructionTable = [
  [
    'initializeTransferFeeConfig',
    onMint((data) => ({
      ...present({
        transferFeeConfigAuthority: data.option(() => data.key()),
        withdrawWithheldAuthority: data.option(() => data.key()),
      }),
      ...transferFee(data),
    })),
  ],
  ['transferCheckedWithFee', transferCheckedWithFee],
  ['withdrawWithheldTokensFromMint', (accounts) => withdrawWithheld(accounts, 0)],
  ['withdrawWithheldTokensFromAccounts', withdrawWithheldFromAccounts],
  ['harvestWithheldTokensToMint', (accounts) => ({ ...named(accounts, 'mint'), sourceAccounts: accounts.slice(1) })],
  [
    'setTransferFee',
    // The name of the multisig is spelled like this on a cluster.
    signed('mint', 'transferFeeConfigAuthority', transferFee, 'multisigtransferFeeConfigAuthority'),
  ],
];

const accountState = (data: InstructionReader): object => ({
  accountState: data.variant(['uninitialized', 'initialized', 'frozen'], 1),
});

const DEFAULT_ACCOUNT_STATE: InstructionTable = [
  ['initializeDefaultAccountState', exact(onMint(accountState))],
  ['updateDefaultAccountState', exact(signed('mint', 'freezeAuthority', accountState))],
];

const MEMO_TRANSFER: InstructionTable = [
  ['enableRequiredMemoTransfers', signed('account', 'owner')],
  ['disableRequiredMemoTransfers', signed('account', 'owner')],
];

const INTEREST_BEARING: InstructionTable = [
  [
    'initializeInterestBearingConfig',
    exact(onMint((data) => ({ rateAuthority: data.nonZeroKey(), rate: data.i16() }))),
  ],
  ['updateInterestBearingConfigRate', exact(signed('mint', 'rateAuthority', (data) => ({ newRate: data.i16() })))],
];

const CPI_GUARD: InstructionTable = [
  ['enableCpiGuard', signed('account', 'owner')],
  ['disableCpiGuard', signed('account', 'owner')],
];

/** An extension by which a mint points to another account. */
function pointer(extension: string, target: string): InstructionTable {
  return [
    [
      `initialize${extension}`,
      exact(onMint((data) => present({ authority: data.nonZeroKey(), [target]: data.nonZeroKey() }))),
    ],
    [`update${extension}`, exact(signed('mint', 'authority', (data) => present({ [target]: data.nonZeroKey() })))],
  ];
}

const SCALED_UI_AMOUNT: InstructionTable = [
  [
    'initializeScaledUiAmountConfig',
    exact(onMint((data) => ({ authority: data.nonZeroKey(), multiplier: plainFloat(data.f64()) }))),
  ],
  [
    'updateMultiplier',
    exact(
      signed('mint', 'authority', (data) => ({
        newMultiplier: plainFloat(data.f64()),
        newMultiplierTimestamp: data.i64(),
      })),
    ),
  ],
];

const PAUSABLE: InstructionTable = [
  ['initializePausableConfig', exact(onMint((data) => ({ authority: data.key() })))],
  ['pause', signed('mint', 'authority')],
  ['resume', signed('mint', 'authority')],
];

const BURNT = ['account', 'mint', 'permissionedBurnAuthority'] as const;

function permissionedBurn(accounts: readonly string[], fields: object): object {
  named(accounts, ...BURNT, 'authority');
  return { ...named(accounts, ...BURNT), ...signedBy(accounts, BURNT.length, 'authority'), ...fields };
}

const PERMISSIONED_BURN: InstructionTable = [
  ['initializePermissionedBurnConfig', exact(onMint((data) => ({ authority: data.key() })))],
  ['permissionedBurn', exact((accounts, data) => permissionedBurn(accounts, { amount: String(data.u64()) }))],
  [
    'permissionedBurnChecked',
    exact((accounts, data) => permissionedBurn(accounts, { tokenAmount: plainTokenAmount(data.u64(), data.u8()) })),
  ],
];

/** The instructions of each extension that is shown parsed, by the token program's number for it. */
export const EXTENSIONS: Readonly<Record<number, InstructionTable>> = {
  26: TRANSFER_FEE,
  28: DEFAULT_ACCOUNT_STATE,
  30: MEMO_TRANSFER,
  33: INTEREST_BEARING,
  34: CPI_GUARD,
  36: pointer('TransferHook', 'programId'),
  39: pointer('MetadataPointer', 'metadataAddress'),
  40: pointer('GroupPointer', 'groupAddress'),
  41: pointer('GroupMemberPointer', 'memberAddress'),
  43: SCALED_UI_AMOUNT,
  44: PAUSABLE,
  46: PERMISSIONED_BURN,
};
