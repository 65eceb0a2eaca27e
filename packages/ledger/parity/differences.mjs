// The remaining differences from Agave 4.2, and why. A difference is one of the sentences of compare.mjs; `method`, `call` and
// `difference` are texts or patterns, and one that is left out fits everything. `byChance` marks those of one run and not of another.

export const DECLARED = [
  {
    method: /^(getFeeForMessage|simulateTransaction|isBlockhashValid)$/,
    call: /^(seeded|finalized|no options|no config|commitment (recent|max|root|single|of another name|unknown))$/,
    difference: /^result/,
    why: 'whether the blockhash is final by then depends on how long the scene took',
    byChance: true,
  },
  {
    method: 'blockSubscribe',
    difference: /-32601( there)?$/,
    why: 'a validator has this subscription only with a flag, which ends the test validator of 4.2; here it is always there',
  },
  {
    method: 'getRecentPerformanceSamples',
    difference: 'result has another length',
    why: 'there is a sample for each minute, and a scene takes less or more than one',
    byChance: true,
  },
  {
    method: 'getLargestAccounts',
    call: 'seeded',
    difference: /another length|address has another value/,
    why: 'the genesis of a validator makes one rich account more, so that its list may end one earlier',
    byChance: true,
  },
  {
    method: 'getSupply',
    difference: 'result.value.nonCirculatingAccounts has another length',
    why: 'the genesis of a validator makes other accounts',
  },
  {
    method: 'getClusterNodes',
    difference: /is null here, string there$/,
    why: 'there are no addresses at which nodes talk to each other, and this one is no Agave',
  },
  { method: 'getHighestSnapshotSlot', difference: 'refused here with -32008', why: 'there are no snapshots' },
  {
    method: 'getAccountInfo',
    call: /^SysvarRecentB1ockHashes/,
    difference: 'result.value.data.parsed.info has another length',
    why: "a validator's first blockhash has no price, and is there for 150 slots",
    byChance: true,
  },
  {
    method: 'getProgramAccounts',
    call: 'seeded',
    difference: /^result(\[\]\.| has another length)/,
    why: 'of the system program: wallets of the genesis and of airdrops, in the order of their addresses',
  },
  {
    method: 'getSignaturesForAddress',
    call: 'seeded',
    difference: /^result(\[\]\.| has another length)/,
    why: 'of the system program: everybody',
  },
  {
    method: /^getSignatureStatuses$/,
    call: 'seeded',
    difference: /^result\.value/,
    why: 'a status is known for 300 slots, and how many have passed depends on how long the calls took',
    byChance: true,
  },
  {
    method: 'sendTransaction',
    call: 'seeded',
    difference: /^(data\.err has another value|message)$/,
    why: 'a transaction that landed before is known as such while its blockhash lives, which depends on how long the calls took',
    byChance: true,
  },
  {
    method: 'sendTransaction',
    call: 'seeded',
    difference: 'refused here with -32002',
    why: 'what was sent a moment ago has landed here, and is known as such',
    byChance: true,
  },
  {
    call: 'seeded',
    difference: /^refused (here|there) with -32016$/,
    why: 'a slot was asked for that one of the two had not reached',
    byChance: true,
  },
  {
    method: /^getBlocks(WithLimit)?$/,
    call: 'seeded',
    difference: 'result has another length',
    why: 'a slot was asked for that one of the two had not reached',
    byChance: true,
  },
  {
    method: /^(getTransaction|getSignatureStatuses)$/,
    call: 'seeded',
    difference: /^(refused (here|there) with -32602|message)$/,
    why: 'a signature has 87 or 88 characters: with one more or less it is wrong in another way',
    byChance: true,
  },
  {
    method: 'getFeeForMessage',
    call: /^(a transaction|seeded)$/,
    difference: 'message',
    why: 'a signature is read as a message there, and says another length each time',
    byChance: true,
  },
  {
    method: 'the envelope',
    call: '60 KiB',
    difference: /./,
    why: 'a ledger for tests takes larger bodies: whole accounts',
  },
];
