// What users of @solana/web3.js 1 do with stake and votes.
import assert from 'node:assert/strict';

const SOL = 1_000_000_000;

export function stakeChecks({ web3, connection }) {
  const { Authorized, Keypair, Lockup, PublicKey, StakeProgram, StakeAuthorizationLayout, VoteProgram } = web3;
  const [owner, stake, part, heir] = Array.from({ length: 4 }, () => Keypair.generate());
  const send = (transaction, ...signers) => web3.sendAndConfirmTransaction(connection, transaction, signers);
  const stakePubkey = stake.publicKey;
  const authorizedPubkey = owner.publicKey;
  let votePubkey;
  let reserve;
  return {
    'a validator votes': async () => {
      const { current } = await connection.getVoteAccounts();
      votePubkey = new PublicKey(current[0].votePubkey);
      assert.ok(current[0].activatedStake > 0 && current[0].lastVote > 0);
      const { value } = await connection.getParsedAccountInfo(votePubkey);
      assert.equal(value.data.parsed.info.nodePubkey, current[0].nodePubkey);
      assert.equal(await connection.getSlotLeader(), current[0].nodePubkey);
    },
    'create and delegate a stake': async () => {
      const signature = await connection.requestAirdrop(owner.publicKey, 20 * SOL);
      await connection.confirmTransaction(signature);
      reserve = await connection.getMinimumBalanceForRentExemption(StakeProgram.space);
      const authorized = new Authorized(authorizedPubkey, authorizedPubkey);
      const from = {
        fromPubkey: owner.publicKey,
        stakePubkey,
        authorized,
        lockup: new Lockup(0, 0, PublicKey.default),
      };
      await send(StakeProgram.createAccount({ ...from, lamports: reserve + 5 * SOL }), owner, stake);
      await send(StakeProgram.delegate({ stakePubkey, authorizedPubkey, votePubkey }), owner);
      const { value } = await connection.getParsedAccountInfo(stakePubkey);
      assert.equal(value.data.parsed.info.stake.delegation.voter, votePubkey.toBase58());
    },
    'what is delegated cannot be withdrawn': () =>
      assert.rejects(
        send(StakeProgram.withdraw({ stakePubkey, authorizedPubkey, toPubkey: heir.publicKey, lamports: SOL }), owner),
      ),
    'split, merge and deactivate it': async () => {
      const split = { stakePubkey, authorizedPubkey, splitStakePubkey: part.publicKey, lamports: 2 * SOL };
      await send(StakeProgram.split(split, reserve), owner, part);
      assert.equal(await connection.getBalance(part.publicKey), reserve + 2 * SOL);
      await send(StakeProgram.merge({ stakePubkey, sourceStakePubKey: part.publicKey, authorizedPubkey }), owner);
      assert.equal(await connection.getBalance(part.publicKey), 0);
      await send(StakeProgram.deactivate({ stakePubkey, authorizedPubkey }), owner);
      const { value } = await connection.getParsedAccountInfo(stakePubkey);
      const { activationEpoch, deactivationEpoch } = value.data.parsed.info.stake.delegation;
      assert.equal(activationEpoch, deactivationEpoch);
    },
    'withdraw what never counted, and give it away': async () => {
      await send(
        StakeProgram.withdraw({ stakePubkey, authorizedPubkey, toPubkey: heir.publicKey, lamports: SOL }),
        owner,
      );
      assert.equal(await connection.getBalance(heir.publicKey), SOL);
      const stakeAuthorizationType = StakeAuthorizationLayout.Withdrawer;
      const newAuthorizedPubkey = heir.publicKey;
      await send(
        StakeProgram.authorize({ stakePubkey, authorizedPubkey, newAuthorizedPubkey, stakeAuthorizationType }),
        owner,
      );
      await assert.rejects(
        send(StakeProgram.withdraw({ stakePubkey, authorizedPubkey, toPubkey: owner.publicKey, lamports: SOL }), owner),
      );
    },
    'create a vote account that nobody votes with': async () => {
      const [node, vote] = [Keypair.generate(), Keypair.generate()];
      const voteInit = new web3.VoteInit(node.publicKey, owner.publicKey, owner.publicKey, 5);
      const lamports = await connection.getMinimumBalanceForRentExemption(VoteProgram.space);
      const from = { fromPubkey: owner.publicKey, votePubkey: vote.publicKey, voteInit };
      await send(VoteProgram.createAccount({ ...from, lamports: lamports + SOL }), owner, vote, node);
      const { current } = await connection.getVoteAccounts();
      assert.ok(current.every((one) => one.votePubkey !== vote.publicKey.toBase58()));
      const withdraw = { votePubkey: vote.publicKey, authorizedWithdrawerPubkey: owner.publicKey, lamports: SOL };
      await send(VoteProgram.withdraw({ ...withdraw, toPubkey: heir.publicKey }), owner);
    },
    'rewards of an epoch that is not over': () =>
      assert.rejects(connection.getInflationReward([stakePubkey], 1_000), /not available/),
    'getBlockProduction, of the leader': async () => {
      const { value } = await connection.getBlockProduction();
      const leader = await connection.getSlotLeader();
      assert.ok(value.byIdentity[leader][0] > 0);
      assert.equal((await connection.getSlotLeaders(0, 2))[0].toBase58(), leader);
    },
  };
}
