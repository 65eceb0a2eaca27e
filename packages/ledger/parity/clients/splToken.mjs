// As users of @solana/spl-token write it, for Token and for Token-2022.
import assert from 'node:assert/strict';
import { extensionChecks } from './splTokenExtensions.mjs';

const SOL = 1_000_000_000;

export async function checks({ rpcUrl, wsUrl, load, atEnd }) {
  const web3 = load('@solana/web3.js');
  const spl = load('@solana/spl-token');
  const connection = new web3.Connection(rpcUrl, { commitment: 'confirmed', wsEndpoint: wsUrl });
  atEnd(() => connection._rpcWebSocket.close());
  const context = { web3, spl, connection, payer: web3.Keypair.generate(), friend: web3.Keypair.generate() };
  const fund = async () => {
    const signature = await connection.requestAirdrop(context.payer.publicKey, 20 * SOL);
    await connection.confirmTransaction(signature);
  };
  return {
    'funds for the tests': fund,
    ...tokenChecks(context, spl.TOKEN_PROGRAM_ID, 'Token'),
    ...tokenChecks(context, spl.TOKEN_2022_PROGRAM_ID, 'Token-2022'),
    ...wrappedChecks(context),
    ...extensionChecks(context),
  };
}

function tokenChecks({ spl, connection, payer, friend }, program, name) {
  let mint;
  let mine;
  let theirs;
  const options = [undefined, program];
  const accountOf = (owner) =>
    spl.getOrCreateAssociatedTokenAccount(connection, payer, mint, owner, false, 'confirmed', ...options);
  const amountOf = async (account) => (await spl.getAccount(connection, account, 'confirmed', program)).amount;
  return {
    [`${name}: createMint and getMint`]: async () => {
      mint = await spl.createMint(connection, payer, payer.publicKey, payer.publicKey, 6, undefined, ...options);
      assert.equal((await spl.getMint(connection, mint, 'confirmed', program)).decimals, 6);
    },
    [`${name}: getOrCreateAssociatedTokenAccount, twice`]: async () => {
      mine = (await accountOf(payer.publicKey)).address;
      theirs = (await accountOf(friend.publicKey)).address;
      assert.ok((await accountOf(friend.publicKey)).address.equals(theirs));
    },
    [`${name}: mintTo and transfer`]: async () => {
      await spl.mintTo(connection, payer, mint, mine, payer, 1_000n, [], ...options);
      await spl.transferChecked(connection, payer, mine, mint, theirs, payer, 300n, 6, [], ...options);
      assert.equal(await amountOf(theirs), 300n);
    },
    [`${name}: approve, transfer by the delegate, revoke`]: async () => {
      await spl.approve(connection, payer, mine, friend.publicKey, payer, 50n, [], ...options);
      await spl.transferChecked(connection, payer, mine, mint, theirs, friend, 20n, 6, [], ...options);
      await spl.revoke(connection, payer, mine, payer, [], ...options);
      assert.equal((await spl.getAccount(connection, mine, 'confirmed', program)).delegate, null);
    },
    [`${name}: freeze and thaw`]: async () => {
      await spl.freezeAccount(connection, payer, theirs, mint, payer, [], ...options);
      assert.equal((await spl.getAccount(connection, theirs, 'confirmed', program)).isFrozen, true);
      await spl.thawAccount(connection, payer, theirs, mint, payer, [], ...options);
    },
    [`${name}: burn and close`]: async () => {
      await spl.burnChecked(connection, payer, mine, mint, payer, await amountOf(mine), 6, [], ...options);
      await spl.closeAccount(connection, payer, mine, payer.publicKey, payer, [], ...options);
      await assert.rejects(amountOf(mine), spl.TokenAccountNotFoundError);
    },
    [`${name}: getTokenAccountBalance, getTokenSupply, getTokenLargestAccounts`]: async () => {
      assert.equal((await connection.getTokenAccountBalance(theirs)).value.amount, '320');
      assert.equal((await connection.getTokenSupply(mint)).value.amount, '320');
      assert.equal((await connection.getTokenLargestAccounts(mint)).value.length, 1);
    },
    [`${name}: getParsedTokenAccountsByOwner`]: async () => {
      const { value } = await connection.getParsedTokenAccountsByOwner(friend.publicKey, { mint });
      assert.equal(value[0].account.data.parsed.info.tokenAmount.uiAmountString, '0.00032');
    },
    [`${name}: token balances in getParsedTransaction`]: async () => {
      const signature = await spl.mintTo(connection, payer, mint, theirs, payer, 80n, [], ...options);
      const { meta } = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
      assert.equal(meta.postTokenBalances[0].uiTokenAmount.amount, '400');
    },
  };
}

function wrappedChecks({ web3, spl, connection, payer }) {
  return {
    'wrap, sync and unwrap SOL': async () => {
      const account = (await spl.getOrCreateAssociatedTokenAccount(connection, payer, spl.NATIVE_MINT, payer.publicKey))
        .address;
      const pay = web3.SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: account, lamports: SOL });
      const transaction = new web3.Transaction().add(pay, spl.createSyncNativeInstruction(account));
      await web3.sendAndConfirmTransaction(connection, transaction, [payer]);
      assert.equal((await spl.getAccount(connection, account)).amount, BigInt(SOL));
      await spl.closeAccount(connection, payer, account, payer.publicKey, payer);
    },
  };
}
