// Mints of Token-2022 with extensions.
import assert from 'node:assert/strict';

export function extensionChecks({ web3, spl, connection, payer, friend }) {
  const program = spl.TOKEN_2022_PROGRAM_ID;
  const authority = payer.publicKey;
  const send = (instructions, signers) =>
    web3.sendAndConfirmTransaction(connection, new web3.Transaction().add(...instructions), [payer, ...signers]);
  const createMint = async (extensions, ...initialize) => {
    const mint = web3.Keypair.generate();
    const space = spl.getMintLen(extensions);
    const lamports = await connection.getMinimumBalanceForRentExemption(space + 500);
    const create = web3.SystemProgram.createAccount({
      fromPubkey: authority,
      newAccountPubkey: mint.publicKey,
      space,
      lamports,
      programId: program,
    });
    const key = mint.publicKey;
    await send(
      [
        create,
        ...initialize.map((one) => one(key)),
        spl.createInitializeMintInstruction(key, 2, authority, null, program),
      ],
      [mint],
    );
    return key;
  };
  const accountOf = async (mint, owner) =>
    (
      await spl.getOrCreateAssociatedTokenAccount(
        connection,
        payer,
        mint,
        owner,
        false,
        'confirmed',
        undefined,
        program,
      )
    ).address;
  return {
    'a mint with a transfer fee': async () => {
      const { ExtensionType } = spl;
      const mint = await createMint([ExtensionType.TransferFeeConfig], (key) =>
        spl.createInitializeTransferFeeConfigInstruction(key, authority, authority, 100, 9n, program),
      );
      const [mine, theirs] = [await accountOf(mint, authority), await accountOf(mint, friend.publicKey)];
      await spl.mintTo(connection, payer, mint, mine, payer, 5_000n, [], undefined, program);
      await spl.transferCheckedWithFee(
        connection,
        payer,
        mine,
        mint,
        theirs,
        payer,
        500n,
        2,
        5n,
        [],
        undefined,
        program,
      );
      const account = await spl.getAccount(connection, theirs, 'confirmed', program);
      assert.equal(spl.getTransferFeeAmount(account).withheldAmount, 5n);
    },
    'a mint with metadata, read parsed': async () => {
      const mint = await createMint([spl.ExtensionType.MetadataPointer], (key) =>
        spl.createInitializeMetadataPointerInstruction(key, authority, key, program),
      );
      await spl.tokenMetadataInitialize(
        connection,
        payer,
        mint,
        authority,
        payer,
        'Leg',
        'LEG',
        'https://example.com',
        [],
        undefined,
        program,
      );
      assert.equal((await spl.getTokenMetadata(connection, mint, 'confirmed', program)).symbol, 'LEG');
      const { value } = await connection.getParsedAccountInfo(mint);
      assert.ok(value.data.parsed.info.extensions.some(({ extension }) => extension === 'tokenMetadata'));
    },
    'a mint that can be closed': async () => {
      const mint = await createMint([spl.ExtensionType.MintCloseAuthority], (key) =>
        spl.createInitializeMintCloseAuthorityInstruction(key, authority, program),
      );
      await spl.closeAccount(connection, payer, mint, authority, payer, [], undefined, program);
      assert.equal(await connection.getAccountInfo(mint), null);
    },
  };
}
