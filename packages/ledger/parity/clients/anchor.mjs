// As tests of Anchor programs write it. The program is one that every cluster has, the system program, by an IDL of its own.
import assert from 'node:assert/strict';

const SOL = 1_000_000_000;
const u64 = 'u64';

const IDL = {
  address: '11111111111111111111111111111111',
  metadata: { name: 'systemProgram', version: '0.1.0', spec: '0.1.0' },
  instructions: [
    {
      name: 'transfer',
      discriminator: [2, 0, 0, 0],
      accounts: [
        { name: 'from', writable: true, signer: true },
        { name: 'to', writable: true },
      ],
      args: [{ name: 'lamports', type: u64 }],
    },
    {
      name: 'initializeNonce',
      discriminator: [6, 0, 0, 0],
      accounts: [{ name: 'nonce', writable: true }, { name: 'recentBlockhashes' }, { name: 'rent' }],
      args: [{ name: 'authority', type: 'pubkey' }],
    },
  ],
  accounts: [{ name: 'nonceState', discriminator: [1, 0, 0, 0, 1, 0, 0, 0] }],
  types: [
    {
      name: 'nonceState',
      type: {
        kind: 'struct',
        fields: [
          { name: 'authority', type: 'pubkey' },
          { name: 'blockhash', type: 'pubkey' },
          { name: 'lamportsPerSignature', type: u64 },
        ],
      },
    },
  ],
};

export async function checks({ rpcUrl, wsUrl, load, atEnd }) {
  const anchor = load('@coral-xyz/anchor');
  const { web3 } = anchor;
  const payer = web3.Keypair.generate();
  const connection = new web3.Connection(rpcUrl, { commitment: 'processed', wsEndpoint: wsUrl });
  atEnd(() => connection._rpcWebSocket.close());
  const provider = new anchor.AnchorProvider(
    connection,
    new anchor.Wallet(payer),
    anchor.AnchorProvider.defaultOptions(),
  );
  const program = new anchor.Program(IDL, provider);
  return { ...providerChecks({ web3, payer, provider }), ...programChecks({ anchor, payer, provider, program }) };
}

function providerChecks({ web3, payer, provider }) {
  const friend = web3.Keypair.generate().publicKey;
  const pay = (lamports) =>
    new web3.Transaction().add(
      web3.SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: friend, lamports }),
    );
  return {
    'airdrop, as a before() does': async () => {
      const signature = await provider.connection.requestAirdrop(payer.publicKey, 10 * SOL);
      await provider.connection.confirmTransaction(signature, 'confirmed');
    },
    'provider.sendAndConfirm': () => provider.sendAndConfirm(pay(2_000_000)),
    'provider.sendAndConfirm, twice the same': async () => {
      await provider.sendAndConfirm(pay(5));
      await provider.sendAndConfirm(pay(5));
    },
    'provider.sendAll': async () => assert.equal((await provider.sendAll([{ tx: pay(6) }, { tx: pay(7) }])).length, 2),
    'provider.simulate': async () => {
      const { unitsConsumed } = await provider.simulate(pay(8), [], 'processed', [friend]);
      assert.ok(unitsConsumed > 0);
    },
    'preflight at recent is refused': () =>
      assert.rejects(provider.sendAndConfirm(pay(9), [], { preflightCommitment: 'recent' }), /recent/),
  };
}

function programChecks({ anchor, payer, provider, program }) {
  const { web3 } = anchor;
  const nonce = web3.Keypair.generate();
  const from = payer.publicKey;
  const to = web3.Keypair.generate().publicKey;
  const transfer = (lamports) => program.methods.transfer(new anchor.BN(lamports)).accounts({ from, to });
  return {
    'methods.….rpc()': async () => {
      await transfer(3_000_000).rpc();
      assert.equal(await provider.connection.getBalance(to, 'processed'), 3_000_000);
    },
    'methods.….rpc(), the same again': async () => {
      await transfer(11).rpc();
      await transfer(11).rpc();
    },
    'methods.….simulate()': () => transfer(12).simulate(),
    'a failure has logs': () =>
      assert.rejects(transfer(900_000 * SOL).rpc(), (error) =>
        /insufficient|0x1/.test(`${error.message} ${error.logs}`),
      ),
    'account.….fetch() and all()': async () => {
      const rent = await provider.connection.getMinimumBalanceForRentExemption(80);
      const sysvars = { recentBlockhashes: web3.SYSVAR_RECENT_BLOCKHASHES_PUBKEY, rent: web3.SYSVAR_RENT_PUBKEY };
      const create = web3.SystemProgram.createAccount({
        fromPubkey: from,
        newAccountPubkey: nonce.publicKey,
        lamports: rent,
        space: 80,
        programId: program.programId,
      });
      await program.methods
        .initializeNonce(from)
        .accounts({ nonce: nonce.publicKey, ...sysvars })
        .preInstructions([create])
        .signers([nonce])
        .rpc();
      assert.ok((await program.account.nonceState.fetch(nonce.publicKey)).authority.equals(from));
      const found = await program.account.nonceState.all([{ memcmp: { offset: 8, bytes: from.toBase58() } }]);
      assert.equal(found.length, 1);
    },
  };
}
