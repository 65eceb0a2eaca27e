// As users of @solana/web3.js 1 write it.
import assert from 'node:assert/strict';
import { listenChecks, readChecks } from './web3Reading.mjs';
import { stakeChecks } from './web3Staking.mjs';

const LAMPORTS = 1_000_000_000;

export async function checks({ rpcUrl, wsUrl, load, atEnd }) {
  const web3 = load('@solana/web3.js');
  const connection = new web3.Connection(rpcUrl, { commitment: 'confirmed', wsEndpoint: wsUrl });
  atEnd(() => connection._rpcWebSocket.close());
  const context = { web3, connection, payer: web3.Keypair.generate(), friend: web3.Keypair.generate() };
  const pay = (lamports) =>
    new web3.Transaction().add(
      web3.SystemProgram.transfer({
        fromPubkey: context.payer.publicKey,
        toPubkey: context.friend.publicKey,
        lamports,
      }),
    );
  const send = (lamports, options) =>
    web3.sendAndConfirmTransaction(connection, pay(lamports), [context.payer], options);
  const all = { ...context, pay, send };
  return {
    ...sendChecks(all),
    ...versionedChecks(all),
    ...nonceChecks(all),
    ...readChecks(all),
    ...listenChecks(all),
    ...stakeChecks(all),
  };
}

function sendChecks({ web3, connection, payer, friend, pay, send }) {
  return {
    'requestAirdrop and confirmTransaction': async () => {
      const signature = await connection.requestAirdrop(payer.publicKey, 20 * LAMPORTS);
      const latest = await connection.getLatestBlockhash();
      assert.equal((await connection.confirmTransaction({ signature, ...latest })).value.err, null);
      assert.equal(await connection.getBalance(payer.publicKey), 20 * LAMPORTS);
    },
    'confirmTransaction by signature alone': async () => {
      const signature = await connection.requestAirdrop(friend.publicKey, LAMPORTS);
      assert.equal((await connection.confirmTransaction(signature, 'confirmed')).value.err, null);
    },
    sendAndConfirmTransaction: () => send(1_000_000),
    'two identical transactions one after the other': async () => {
      const before = await connection.getBalance(friend.publicKey);
      await send(77);
      await send(77);
      assert.equal(await connection.getBalance(friend.publicKey), before + 154);
    },
    'confirm at processed': () => send(1, { commitment: 'processed' }),
    'confirm at finalized': () => send(2, { commitment: 'finalized', preflightCommitment: 'confirmed' }),
    // As on a cluster since the old names went.
    'preflight at recent is refused': () =>
      assert.rejects(send(3, { preflightCommitment: 'recent' }), /unknown variant `recent`/),
    'sendTransaction and sendRawTransaction': async () => {
      const transaction = pay(5);
      transaction.recentBlockhash = (await connection.getLatestBlockhash()).blockhash;
      transaction.feePayer = payer.publicKey;
      transaction.sign(payer);
      const signature = await connection.sendRawTransaction(transaction.serialize());
      await connection.confirmTransaction(signature);
      await connection.sendTransaction(pay(6), [payer]);
    },
    'a failure has logs': async () => {
      await assert.rejects(
        send(900_000 * LAMPORTS),
        (error) => error instanceof web3.SendTransactionError && error.logs.length > 0,
      );
    },
    'skipPreflight: the failure is in the status': async () => {
      await assert.rejects(send(800_000 * LAMPORTS, { skipPreflight: true }), /failed|Error/);
    },
    'preflight at finalized knows nothing of a wallet that was just funded': async () => {
      const young = web3.Keypair.generate();
      await connection.confirmTransaction(await connection.requestAirdrop(young.publicKey, LAMPORTS), 'confirmed');
      const transaction = new web3.Transaction({
        ...(await connection.getLatestBlockhash('finalized')),
        feePayer: young.publicKey,
      });
      const { publicKey } = young;
      transaction.add(web3.SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: friend.publicKey, lamports: 9 }));
      transaction.sign(young);
      const options = { preflightCommitment: 'finalized' };
      await assert.rejects(
        connection.sendRawTransaction(transaction.serialize(), options),
        /no record of a prior credit/,
      );
    },
    simulateTransaction: async () => {
      const { value } = await connection.simulateTransaction(pay(7), [payer]);
      assert.equal(value.err, null);
    },
    getFeeForMessage: async () => {
      const transaction = pay(8);
      transaction.recentBlockhash = (await connection.getLatestBlockhash()).blockhash;
      transaction.feePayer = payer.publicKey;
      assert.equal((await connection.getFeeForMessage(transaction.compileMessage())).value, 5_000);
      assert.equal(await transaction.getEstimatedFee(connection), 5_000);
    },
  };
}

function versionedChecks({ web3, connection, payer, friend }) {
  let table;
  const versioned = async (instructions, tables) => {
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
    const message = new web3.TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions,
    });
    const transaction = new web3.VersionedTransaction(message.compileToV0Message(tables));
    transaction.sign([payer]);
    const signature = await connection.sendTransaction(transaction);
    const { value } = await connection.confirmTransaction({ signature, blockhash, lastValidBlockHeight });
    assert.equal(value.err, null);
    return signature;
  };
  const transfer = (lamports) =>
    web3.SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: friend.publicKey, lamports });
  return {
    'a version 0 transaction': () => versioned([transfer(10)]),
    'lookup table: create and extend': async () => {
      const recentSlot = await connection.getSlot('finalized');
      const authority = payer.publicKey;
      const [create, address] = web3.AddressLookupTableProgram.createLookupTable({
        authority,
        payer: authority,
        recentSlot,
      });
      const addresses = [friend.publicKey];
      await versioned([
        create,
        web3.AddressLookupTableProgram.extendLookupTable({
          payer: authority,
          authority,
          lookupTable: address,
          addresses,
        }),
      ]);
      table = address;
    },
    'lookup table: use': async () => {
      await versioned([transfer(11)]);
      const { value } = await connection.getAddressLookupTable(table);
      assert.equal(value.state.addresses.length, 1);
      const signature = await versioned([transfer(12)], [value]);
      const { meta } = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
      assert.equal(meta.loadedAddresses.writable[0].toBase58(), friend.publicKey.toBase58());
    },
  };
}

function nonceChecks({ web3, connection, payer, friend, pay }) {
  const nonce = web3.Keypair.generate();
  const stored = async () => (await connection.getNonce(nonce.publicKey)).nonce;
  const withNonce = async (lamports, signer) => {
    const transaction = new web3.Transaction();
    transaction.nonceInfo = {
      nonce: await stored(),
      nonceInstruction: web3.SystemProgram.nonceAdvance({
        noncePubkey: nonce.publicKey,
        authorizedPubkey: payer.publicKey,
      }),
    };
    transaction.feePayer = payer.publicKey;
    transaction.add(web3.SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: friend.publicKey, lamports }));
    if (signer !== undefined) transaction.sign(signer);
    return transaction;
  };
  return {
    'durable nonce: create and read': async () => {
      const lamports = await connection.getMinimumBalanceForRentExemption(web3.NONCE_ACCOUNT_LENGTH);
      const authorizedPubkey = payer.publicKey;
      const create = web3.SystemProgram.createNonceAccount({
        fromPubkey: authorizedPubkey,
        noncePubkey: nonce.publicKey,
        authorizedPubkey,
        lamports,
      });
      await web3.sendAndConfirmTransaction(connection, new web3.Transaction().add(create), [payer, nonce]);
      assert.ok(await stored());
    },
    'durable nonce: made, and advanced on the same blockhash': async () => {
      const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
      const other = web3.Keypair.generate();
      const on = { blockhash, lastValidBlockHeight, feePayer: payer.publicKey };
      const noncePubkey = other.publicKey;
      const authorizedPubkey = payer.publicKey;
      const lamports = await connection.getMinimumBalanceForRentExemption(web3.NONCE_ACCOUNT_LENGTH);
      const steps = [
        web3.SystemProgram.createNonceAccount({
          fromPubkey: authorizedPubkey,
          noncePubkey,
          authorizedPubkey,
          lamports,
        }),
        web3.SystemProgram.nonceAdvance({ noncePubkey, authorizedPubkey }),
        web3.SystemProgram.nonceWithdraw({ noncePubkey, authorizedPubkey, toPubkey: authorizedPubkey, lamports }),
      ];
      for (const [at, step] of steps.entries()) {
        const transaction = new web3.Transaction(on).add(step);
        transaction.sign(...(at === 0 ? [payer, other] : [payer]));
        const signature = await connection.sendRawTransaction(transaction.serialize());
        const { value } = await connection.confirmTransaction({ signature, blockhash, lastValidBlockHeight });
        assert.equal(value.err, null);
      }
    },
    'durable nonce: signed offline, sent later': async () => {
      const before = await stored();
      const bytes = (await withNonce(13, payer)).serialize();
      for (let payments = 0; payments < 2; payments += 1)
        await web3.sendAndConfirmTransaction(connection, pay(14 + payments), [payer]);
      const signature = await connection.sendRawTransaction(bytes);
      const strategy = { signature, nonceAccountPubkey: nonce.publicKey, nonceValue: before, minContextSlot: 0 };
      await connection.confirmTransaction(
        { ...strategy, minContextSlot: await connection.getSlot('confirmed') },
        'confirmed',
      );
      assert.notEqual(await stored(), before);
    },
    'durable nonce: twice the same bytes are refused': async () => {
      const bytes = (await withNonce(16, payer)).serialize();
      const signature = await connection.sendRawTransaction(bytes);
      await connection.confirmTransaction(signature, 'confirmed');
      await assert.rejects(connection.sendRawTransaction(bytes));
    },
  };
}
