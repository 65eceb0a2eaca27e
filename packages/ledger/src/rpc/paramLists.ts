import {
  anyOf,
  defaulted,
  flag,
  listOf,
  openStruct,
  optional,
  struct,
  text,
  tolerant,
  unsigned,
  variants,
  type Shape,
} from './shapes.js';

/** The parameters of a method: those that must be there, and those that may follow. */
export type ParamList = { readonly required: readonly Shape[]; readonly trailing: readonly Shape[] };

function takes(required: readonly Shape[], ...trailing: Shape[]): ParamList {
  return { required, trailing: trailing.map(optional) };
}

const u8 = unsigned('u8');
const u64 = unsigned('u64');
const usize = unsigned('usize');

const unit = 'unit';
const level = variants({ processed: unit, confirmed: unit, finalized: unit });
const commitment = struct('CommitmentConfig', { commitment: level });
/** Flattened into a configuration. An unknown one, like the `recent` and `max` of old clients, counts as left out. */
const levelOrNone = tolerant(level);

const accountEncoding = variants({ binary: unit, base58: unit, base64: unit, jsonParsed: unit, 'base64+zstd': unit });
const transactionEncoding = variants({ binary: unit, base64: unit, base58: unit, json: unit, jsonParsed: unit });
const transactionDetails = variants({ full: unit, signatures: unit, none: unit, accounts: unit });

const contextConfig = openStruct('RpcContextConfig', { commitment: levelOrNone, minContextSlot: optional(u64) });

const accountFields = {
  encoding: optional(accountEncoding),
  dataSlice: optional(struct('UiDataSliceConfig', { offset: usize, length: usize })),
  commitment: levelOrNone,
  minContextSlot: optional(u64),
};
const accountConfig = openStruct('RpcAccountInfoConfig', accountFields);

const memcmp = openStruct(
  'Memcmp',
  { offset: usize },
  {
    bytes: anyOf<unknown>('DataType', [text, listOf(u8)]),
    encoding: optional(variants({ base58: unit, base64: unit, bytes: unit })),
  },
);
const programConfig = openStruct(
  'RpcProgramAccountsConfig',
  {
    filters: optional(listOf(variants({ dataSize: u64, memcmp, tokenAccountState: unit }))),
    withContext: optional(flag),
    sortResults: optional(flag),
  },
  accountFields,
);

const tokenFilter = variants({ mint: text, programId: text });

const blockConfig = openStruct('RpcBlockConfig', {
  encoding: optional(transactionEncoding),
  transactionDetails: optional(transactionDetails),
  rewards: optional(flag),
  commitment: levelOrNone,
  maxSupportedTransactionVersion: optional(u8),
});
const transactionConfig = openStruct('RpcTransactionConfig', {
  encoding: optional(transactionEncoding),
  commitment: levelOrNone,
  maxSupportedTransactionVersion: optional(u8),
});
/** Old clients give the encoding alone instead of a configuration. */
const encodingOr = (config: Shape): Shape =>
  anyOf<unknown>('RpcEncodingConfigWrapper', [optional(transactionEncoding), config]);

const leaderScheduleConfig = openStruct('RpcLeaderScheduleConfig', {
  identity: optional(text),
  commitment: levelOrNone,
});
const simulationAccounts = struct('RpcSimulateTransactionAccountsConfig', {
  encoding: optional(accountEncoding),
  addresses: listOf(text),
});

/** The parameters of every method of Agave 4.2. */
export const METHOD_PARAMS: Readonly<Record<string, ParamList>> = {
  getAccountInfo: takes([text], accountConfig),
  getBalance: takes([text], contextConfig),
  getBlock: takes([u64], encodingOr(blockConfig)),
  getBlockCommitment: takes([u64]),
  getBlockHeight: takes([], contextConfig),
  getBlockProduction: takes(
    [],
    openStruct('RpcBlockProductionConfig', {
      identity: optional(text),
      range: optional(struct('RpcBlockProductionConfigRange', { firstSlot: u64, lastSlot: optional(u64) })),
      commitment: levelOrNone,
    }),
  ),
  getBlockTime: takes([u64]),
  getBlocks: takes([u64], anyOf<unknown>('RpcBlocksConfigWrapper', [optional(u64), contextConfig]), contextConfig),
  getBlocksWithLimit: takes([u64, usize], contextConfig),
  getClusterNodes: takes([]),
  getEpochInfo: takes([], contextConfig),
  getEpochSchedule: takes([]),
  getFeeForMessage: takes([text], contextConfig),
  getFirstAvailableBlock: takes([]),
  getGenesisHash: takes([]),
  getHealth: takes([]),
  getHighestSnapshotSlot: takes([]),
  getIdentity: takes([]),
  getInflationGovernor: takes([], commitment),
  getInflationRate: takes([]),
  getInflationReward: takes(
    [listOf(text)],
    openStruct('RpcEpochConfig', { epoch: optional(u64), commitment: levelOrNone, minContextSlot: optional(u64) }),
  ),
  getLargestAccounts: takes(
    [],
    openStruct('RpcLargestAccountsConfig', {
      commitment: levelOrNone,
      filter: optional(variants({ circulating: unit, nonCirculating: unit })),
      sortResults: optional(flag),
    }),
  ),
  getLatestBlockhash: takes([], contextConfig),
  getLeaderSchedule: takes(
    [],
    anyOf<unknown>('RpcLeaderScheduleConfigWrapper', [optional(u64), leaderScheduleConfig]),
    leaderScheduleConfig,
  ),
  getMaxRetransmitSlot: takes([]),
  getMaxShredInsertSlot: takes([]),
  getMinimumBalanceForRentExemption: takes([usize], commitment),
  getMultipleAccounts: takes([listOf(text)], accountConfig),
  getProgramAccounts: takes([text], programConfig),
  getRecentPerformanceSamples: takes([], usize),
  getRecentPrioritizationFees: takes([], listOf(text)),
  getSignatureStatuses: takes([listOf(text)], struct('RpcSignatureStatusConfig', { searchTransactionHistory: flag })),
  getSignaturesForAddress: takes(
    [text],
    openStruct('RpcSignaturesForAddressConfig', {
      before: optional(text),
      until: optional(text),
      limit: optional(usize),
      commitment: levelOrNone,
      minContextSlot: optional(u64),
    }),
  ),
  getSlot: takes([], contextConfig),
  getSlotLeader: takes([], contextConfig),
  getSlotLeaders: takes([u64, u64]),
  getStakeMinimumDelegation: takes([], contextConfig),
  getSupply: takes(
    [],
    openStruct('RpcSupplyConfig', {
      commitment: levelOrNone,
      excludeNonCirculatingAccountsList: defaulted(flag, false),
    }),
  ),
  getTokenAccountBalance: takes([text], commitment),
  getTokenAccountsByDelegate: takes([text, tokenFilter], accountConfig),
  getTokenAccountsByOwner: takes([text, tokenFilter], accountConfig),
  getTokenLargestAccounts: takes([text], commitment),
  getTokenSupply: takes([text], commitment),
  getTransaction: takes([text], encodingOr(transactionConfig)),
  getTransactionCount: takes([], contextConfig),
  getVersion: takes([]),
  getVoteAccounts: takes(
    [],
    openStruct('RpcGetVoteAccountsConfig', {
      votePubkey: optional(text),
      commitment: levelOrNone,
      keepUnstakedDelinquents: optional(flag),
      delinquentSlotDistance: optional(u64),
    }),
  ),
  isBlockhashValid: takes([text], contextConfig),
  minimumLedgerSlot: takes([]),
  requestAirdrop: takes(
    [text, u64],
    openStruct('RpcRequestAirdropConfig', { recentBlockhash: optional(text), commitment: levelOrNone }),
  ),
  sendTransaction: takes(
    [text],
    struct('RpcSendTransactionConfig', {
      skipPreflight: defaulted(flag, false),
      preflightCommitment: optional(level),
      encoding: optional(transactionEncoding),
      maxRetries: optional(usize),
      minContextSlot: optional(u64),
    }),
  ),
  simulateTransaction: takes(
    [text],
    openStruct('RpcSimulateTransactionConfig', {
      sigVerify: defaulted(flag, false),
      replaceRecentBlockhash: defaulted(flag, false),
      commitment: levelOrNone,
      encoding: optional(transactionEncoding),
      accounts: optional(simulationAccounts),
      minContextSlot: optional(u64),
      innerInstructions: defaulted(flag, false),
    }),
  ),
};

/** The parameters of each kind of subscription. */
export const SUBSCRIPTION_PARAMS = {
  account: takes([text], accountConfig),
  block: takes(
    [variants({ all: unit, mentionsAccountOrProgram: text })],
    openStruct('RpcBlockSubscribeConfig', {
      commitment: levelOrNone,
      encoding: optional(transactionEncoding),
      transactionDetails: optional(transactionDetails),
      showRewards: optional(flag),
      maxSupportedTransactionVersion: optional(u8),
    }),
  ),
  logs: takes(
    [variants({ all: unit, allWithVotes: unit, mentions: listOf(text) })],
    openStruct('RpcTransactionLogsConfig', { commitment: levelOrNone }),
  ),
  program: takes([text], programConfig),
  root: takes([]),
  signature: takes(
    [text],
    openStruct('RpcSignatureSubscribeConfig', {
      commitment: levelOrNone,
      enableReceivedNotification: optional(flag),
    }),
  ),
  slot: takes([]),
  slotsUpdates: takes([]),
  vote: takes([]),
} as const;

export const UNSUBSCRIBE_PARAMS = takes([u64]);
