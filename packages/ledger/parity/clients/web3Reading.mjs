// The calls and subscriptions of users of @solana/web3.js 1.
import assert from 'node:assert/strict';

const LONGEST_MS = 60_000;
const latest = { maxSupportedTransactionVersion: 0 };

export function readChecks({ web3, connection, payer, friend, send }) {
  let signature;
  return {
    getTransaction: async () => {
      signature = await send(20);
      assert.equal((await connection.getTransaction(signature, latest)).meta.fee, 5_000);
    },
    getParsedTransaction: async () => {
      const { transaction } = await connection.getParsedTransaction(signature, latest);
      assert.equal(transaction.message.instructions[0].parsed.info.lamports, 20);
    },
    'getParsedTransactions, of several': async () => {
      const [first] = await connection.getParsedTransactions([signature], latest);
      assert.equal(first.transaction.message.accountKeys[0].signer, true);
    },
    getSignaturesForAddress: async () => {
      const [first] = await connection.getSignaturesForAddress(friend.publicKey, { limit: 1 });
      assert.equal(first.signature, signature);
    },
    getSignatureStatus: async () => assert.equal((await connection.getSignatureStatus(signature)).value.err, null),
    'getBlock, getParsedBlock, getBlockTime': async () => {
      const { slot } = await connection.getTransaction(signature, latest);
      const block = await connection.getBlock(slot, latest);
      assert.ok(block.transactions.some((one) => one.transaction.signatures[0] === signature));
      assert.ok((await connection.getParsedBlock(slot, latest)).transactions.length > 0);
      assert.ok((await connection.getBlockTime(slot)) > 0);
      assert.deepEqual(await connection.getBlocks(slot, slot), [slot]);
    },
    getBlockSignatures: async () => {
      const { slot } = await connection.getTransaction(signature, latest);
      assert.ok((await connection.getBlockSignatures(slot)).signatures.includes(signature));
    },
    'getParsedAccountInfo and getMultipleAccountsInfo': async () => {
      assert.equal(
        (await connection.getParsedAccountInfo(payer.publicKey)).value.owner.toBase58(),
        web3.SystemProgram.programId.toBase58(),
      );
      const [first, second] = await connection.getMultipleAccountsInfo([
        payer.publicKey,
        web3.Keypair.generate().publicKey,
      ]);
      assert.ok(first);
      assert.equal(second, null);
    },
    'getProgramAccounts with filters': async () => {
      const seed = { basePubkey: payer.publicKey, seed: 'page', programId: web3.StakeProgram.programId };
      const created = await web3.PublicKey.createWithSeed(seed.basePubkey, seed.seed, seed.programId);
      const lamports = await connection.getMinimumBalanceForRentExemption(200);
      const instruction = web3.SystemProgram.createAccountWithSeed({
        fromPubkey: payer.publicKey,
        newAccountPubkey: created,
        ...seed,
        lamports,
        space: 200,
      });
      await web3.sendAndConfirmTransaction(connection, new web3.Transaction().add(instruction), [payer]);
      const found = await connection.getProgramAccounts(seed.programId, {
        filters: [{ dataSize: 200 }, { memcmp: { offset: 0, bytes: '1111' } }],
      });
      assert.ok(found.some((one) => one.pubkey.equals(created)));
    },
    'getEpochInfo, getEpochSchedule, getSlotLeader': async () => {
      assert.ok((await connection.getEpochInfo()).slotsInEpoch > 0);
      assert.ok((await connection.getEpochSchedule()).slotsPerEpoch > 0);
      assert.ok(await connection.getSlotLeader());
    },
    'getVoteAccounts, getClusterNodes, getVersion': async () => {
      assert.equal((await connection.getVoteAccounts()).current.length, 1);
      assert.equal((await connection.getClusterNodes()).length, 1);
      assert.ok((await connection.getVersion())['solana-core']);
    },
    'getSupply, getLargestAccounts': async () => {
      assert.ok((await connection.getSupply()).value.total > 0);
      assert.ok((await connection.getLargestAccounts()).value.length > 0);
    },
    'getInflationGovernor, getRecentPerformanceSamples, getLeaderSchedule': async () => {
      assert.ok((await connection.getInflationGovernor()).initial > 0);
      assert.ok(Array.isArray(await connection.getRecentPerformanceSamples(1)));
      assert.equal(Object.keys(await connection.getLeaderSchedule()).length, 1);
    },
    'getRecentPrioritizationFees, getStakeMinimumDelegation, getFirstAvailableBlock': async () => {
      assert.ok(Array.isArray(await connection.getRecentPrioritizationFees()));
      assert.ok((await connection.getStakeMinimumDelegation()).value > 0);
      assert.ok((await connection.getFirstAvailableBlock()) >= 0);
    },
  };
}

export function listenChecks({ connection, payer, friend, send, web3 }) {
  const told = async (listen, stop, then) => {
    let id;
    const first = new Promise((resolve, reject) => {
      id = listen((...values) => resolve(values));
      setTimeout(() => reject(new Error('nothing was told')), LONGEST_MS);
    });
    first.catch(() => undefined);
    try {
      await then();
      return await first;
    } finally {
      // Also after a failure: what is refused is asked for again and again.
      await stop(id);
    }
  };
  const pay = (lamports) => () => send(lamports);
  return {
    onAccountChange: async () => {
      const [account] = await told(
        (tell) => connection.onAccountChange(friend.publicKey, tell, { commitment: 'confirmed' }),
        (id) => connection.removeAccountChangeListener(id),
        pay(30),
      );
      assert.ok(account.lamports > 0);
    },
    onLogs: async () => {
      const [logs] = await told(
        (tell) => connection.onLogs(payer.publicKey, tell, 'confirmed'),
        (id) => connection.removeOnLogsListener(id),
        pay(31),
      );
      assert.equal(logs.err, null);
    },
    onProgramAccountChange: async () => {
      const options = { commitment: 'confirmed', filters: [{ dataSize: 0 }] };
      const [keyed] = await told(
        (tell) => connection.onProgramAccountChange(web3.SystemProgram.programId, tell, options),
        (id) => connection.removeProgramAccountChangeListener(id),
        pay(32),
      );
      assert.ok(keyed.accountId);
    },
    'onSlotChange and onRootChange': async () => {
      const [slot] = await told(
        (tell) => connection.onSlotChange(tell),
        (id) => connection.removeSlotChangeListener(id),
        async () => undefined,
      );
      assert.ok(slot.slot > 0);
      await told(
        (tell) => connection.onRootChange(tell),
        (id) => connection.removeRootChangeListener(id),
        async () => undefined,
      );
    },
    onSlotUpdate: async () => {
      const [update] = await told(
        (tell) => connection.onSlotUpdate(tell),
        (id) => connection.removeSlotUpdateListener(id),
        async () => undefined,
      );
      assert.ok(update.type);
    },
    onSignature: async () => {
      const signature = await connection.requestAirdrop(friend.publicKey, 1_000);
      await told(
        (tell) => connection.onSignature(signature, tell, 'confirmed'),
        async () => undefined,
        async () => undefined,
      );
    },
  };
}
