// As users of @solana/kit write it.
import assert from 'node:assert/strict';
import * as kit from '@solana/kit';
import { until } from '../rpc.mjs';
import * as make from '../scene/instructions.mjs';

const SOL = 1_000_000_000n;
const confirmed = { commitment: 'confirmed' };
const token = make.tokenProgram(make.PROGRAMS.token);

export async function checks({ rpcUrl, wsUrl }) {
  const rpc = kit.createSolanaRpc(rpcUrl);
  const rpcSubscriptions = kit.createSolanaRpcSubscriptions(wsUrl);
  const client = { rpc, rpcSubscriptions };
  const payer = await kit.generateKeyPairSigner();
  const friend = await kit.generateKeyPairSigner();
  const context = { ...client, payer, friend, ...sendersOf(client, payer) };
  return {
    ...moneyChecks(context),
    ...confirmationChecks(context),
    ...nonceChecks(context),
    ...tableChecks(context),
    ...readChecks(context),
    ...listenChecks(context),
  };
}

/** The functions that an application builds once. */
function sendersOf({ rpc, rpcSubscriptions }, payer) {
  const sendAndConfirm = kit.sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
  const message = async (instructions, version = 0) => {
    const { value } = await rpc.getLatestBlockhash(confirmed).send();
    return kit.pipe(
      kit.createTransactionMessage({ version }),
      (draft) => kit.setTransactionMessageFeePayerSigner(payer, draft),
      (draft) => kit.setTransactionMessageLifetimeUsingBlockhash(value, draft),
      (draft) => kit.appendTransactionMessageInstructions(instructions, draft),
    );
  };
  const send = async (
    instructions,
    { commitment = 'confirmed', version = 0, signers = [], change = (draft) => draft } = {},
  ) => {
    const draft = kit.addSignersToTransactionMessage(signers, change(await message(instructions, version)));
    const signed = await kit.signTransactionMessageWithSigners(draft);
    await sendAndConfirm(signed, { commitment });
    return kit.getSignatureFromTransaction(signed);
  };
  return { sendAndConfirm, message, send };
}

function moneyChecks({ rpc, rpcSubscriptions, payer, friend, send }) {
  const balance = async (address) => (await rpc.getBalance(address, confirmed).send()).value;
  const airdrop = kit.airdropFactory({ rpc, rpcSubscriptions });
  return {
    'airdrop and wait': async () => {
      await airdrop({ recipientAddress: payer.address, lamports: kit.lamports(20n * SOL), commitment: 'confirmed' });
      assert.equal(await balance(payer.address), 20n * SOL);
    },
    'the same airdrop twice': async () => {
      for (let times = 0; times < 2; times += 1)
        await airdrop({ recipientAddress: friend.address, lamports: kit.lamports(SOL), commitment: 'confirmed' });
      assert.equal(await balance(friend.address), 2n * SOL);
    },
    'transfer, send and confirm': async () => {
      const before = await balance(friend.address);
      await send([make.transfer(payer.address, friend.address, 5_000_000n)]);
      assert.equal(await balance(friend.address), before + 5_000_000n);
    },
    'two identical transactions one after the other': async () => {
      const before = await balance(friend.address);
      await send([make.transfer(payer.address, friend.address, 7n)]);
      await send([make.transfer(payer.address, friend.address, 7n)]);
      assert.equal(await balance(friend.address), before + 14n);
    },
    'legacy transaction': () => send([make.transfer(payer.address, friend.address, 8n)], { version: 'legacy' }),
    'a failure names its custom error': async () => {
      const failing = send([make.transfer(payer.address, friend.address, 900_000n * SOL)]);
      await assert.rejects(failing, (error) =>
        kit.isSolanaError(error, kit.SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE),
      );
    },
  };
}

function confirmationChecks({ rpc, payer, friend, message, send }) {
  return {
    'confirm at processed': () =>
      send([make.transfer(payer.address, friend.address, 21n)], { commitment: 'processed' }),
    'confirm at finalized': () =>
      send([make.transfer(payer.address, friend.address, 22n)], { commitment: 'finalized' }),
    'simulate before signing': async () => {
      const draft = await message([make.transfer(payer.address, friend.address, 23n)]);
      const signed = await kit.signTransactionMessageWithSigners(draft);
      const { value } = await rpc
        .simulateTransaction(kit.getBase64EncodedWireTransaction(signed), { encoding: 'base64', ...confirmed })
        .send();
      assert.equal(value.err, null);
      assert.ok(value.unitsConsumed > 0n);
    },
    'estimate of compute units': async () => {
      const estimate = kit.estimateResourceLimitsFactory({ rpc });
      const { computeUnitLimit } = await estimate(await message([make.transfer(payer.address, friend.address, 24n)]));
      assert.ok(computeUnitLimit > 0);
    },
    'fee of a message': async () => {
      const compiled = kit.compileTransactionMessage(
        await message([make.transfer(payer.address, friend.address, 25n)]),
      );
      const bytes = kit.getBase64Decoder().decode(kit.getCompiledTransactionMessageEncoder().encode(compiled));
      assert.equal((await rpc.getFeeForMessage(bytes, confirmed).send()).value, 5_000n);
    },
  };
}

async function laterSlot(rpc) {
  const slot = await rpc.getSlot(confirmed).send();
  await until('a later slot', async () => ((await rpc.getSlot(confirmed).send()) > slot ? true : undefined));
}

function nonceChecks({ rpc, rpcSubscriptions, payer, friend, send }) {
  let nonce;
  const stored = async () => {
    const { data } = await kit.fetchEncodedAccount(rpc, nonce.address, confirmed);
    return kit.getAddressDecoder().decode(data.subarray(40, 72));
  };
  return {
    'durable nonce: create': async () => {
      nonce = await kit.generateKeyPairSigner();
      const rent = await rpc.getMinimumBalanceForRentExemption(80n).send();
      const create = [
        make.createAccount(payer.address, nonce.address, rent, 80, make.PROGRAMS.system),
        make.initializeNonce(nonce.address, payer.address),
      ];
      await send(create, { signers: [nonce] });
      assert.notEqual(await stored(), make.PROGRAMS.system);
    },
    'durable nonce: advance': async () => {
      // Not twice within a slot.
      await laterSlot(rpc);
      const before = await stored();
      await send([make.advanceNonce(nonce.address, payer.address)]);
      assert.notEqual(await stored(), before);
    },
    'durable nonce: send and confirm with it': async () => {
      await laterSlot(rpc);
      const before = await stored();
      const signed = await kit.signTransactionMessageWithSigners(
        kit.pipe(
          kit.createTransactionMessage({ version: 0 }),
          (draft) => kit.setTransactionMessageFeePayerSigner(payer, draft),
          (draft) =>
            kit.setTransactionMessageLifetimeUsingDurableNonce(
              { nonce: before, nonceAccountAddress: nonce.address, nonceAuthorityAddress: payer.address },
              draft,
            ),
          (draft) =>
            kit.appendTransactionMessageInstructions([make.transfer(payer.address, friend.address, 31n)], draft),
        ),
      );
      await kit.sendAndConfirmDurableNonceTransactionFactory({ rpc, rpcSubscriptions })(signed, {
        commitment: 'confirmed',
      });
      assert.notEqual(await stored(), before);
    },
  };
}

function tableChecks({ rpc, payer, friend, send }) {
  let table;
  return {
    'lookup table: create and extend': async () => {
      const slot = await rpc.getSlot({ commitment: 'finalized' }).send();
      const [address, bump] = await make.lookupTableAddress(payer.address, slot);
      table = address;
      await send([make.createLookupTable(address, bump, payer.address, slot)]);
      await send([make.extendLookupTable(address, payer.address, [friend.address])]);
    },
    'lookup table: use': async () => {
      // A table's addresses count from the slot after.
      await laterSlot(rpc);
      const tables = await kit.fetchAddressesForLookupTables([table], rpc, confirmed);
      assert.deepEqual(tables, { [table]: [friend.address] });
      const change = (draft) => kit.compressTransactionMessageUsingAddressLookupTables(draft, tables);
      const signature = await send([make.transfer(payer.address, friend.address, 41n)], { change });
      const { meta } = await rpc
        .getTransaction(signature, { ...confirmed, encoding: 'json', maxSupportedTransactionVersion: 0 })
        .send();
      assert.deepEqual(meta.loadedAddresses.writable, [friend.address]);
    },
  };
}

function readChecks({ rpc, payer, friend, send }) {
  let mint;
  return {
    'a mint, read parsed': async () => {
      mint = await kit.generateKeyPairSigner();
      const rent = await rpc.getMinimumBalanceForRentExemption(82n).send();
      await send(
        [
          make.createAccount(payer.address, mint.address, rent, 82, make.PROGRAMS.token),
          token.initializeMint(mint.address, 6, payer.address, payer.address),
        ],
        { signers: [mint] },
      );
      const { data } = await kit.fetchJsonParsedAccount(rpc, mint.address, confirmed);
      assert.equal(data.decimals, 6);
    },
    'token balances of an owner': async () => {
      const account = await make.associatedAddress(friend.address, mint.address, make.PROGRAMS.token);
      await send([
        make.createAssociated(payer.address, account, friend.address, mint.address, make.PROGRAMS.token),
        token.mintTo(mint.address, account, payer.address, 900n),
      ]);
      const { value } = await rpc
        .getTokenAccountsByOwner(friend.address, { mint: mint.address }, { ...confirmed, encoding: 'jsonParsed' })
        .send();
      assert.equal(value[0].account.data.parsed.info.tokenAmount.amount, '900');
    },
    'the block of a transaction': async () => {
      const signature = await send([make.transfer(payer.address, friend.address, 51n)]);
      const { slot } = await rpc
        .getTransaction(signature, { ...confirmed, encoding: 'json', maxSupportedTransactionVersion: 0 })
        .send();
      const block = await rpc
        .getBlock(slot, { ...confirmed, transactionDetails: 'signatures', maxSupportedTransactionVersion: 0 })
        .send();
      assert.ok(block.signatures.includes(signature));
    },
    'the clock sysvar, parsed': async () => {
      const clock = kit.address('SysvarC1ock11111111111111111111111111111111');
      assert.ok((await kit.fetchJsonParsedAccount(rpc, clock, confirmed)).data.slot > 0);
    },
    'several accounts at once': async () => {
      const [first, second] = await kit.fetchEncodedAccounts(
        rpc,
        [payer.address, (await kit.generateKeyPairSigner()).address],
        confirmed,
      );
      assert.equal(first.exists, true);
      assert.equal(second.exists, false);
    },
  };
}

function listenChecks({ rpcSubscriptions, payer, friend, send }) {
  const first = async (request, then) => {
    const stop = new AbortController();
    try {
      const notifications = await request.subscribe({ abortSignal: stop.signal });
      const next = notifications[Symbol.asyncIterator]().next();
      await then();
      return (await next).value;
    } finally {
      stop.abort();
    }
  };
  const pay = (amount) => () => send([make.transfer(payer.address, friend.address, amount)]);
  return {
    'account notifications': async () => {
      const { value } = await first(
        rpcSubscriptions.accountNotifications(friend.address, { ...confirmed, encoding: 'base64' }),
        pay(61n),
      );
      assert.equal(value.owner, make.PROGRAMS.system);
    },
    'logs notifications': async () => {
      const { value } = await first(
        rpcSubscriptions.logsNotifications({ mentions: [friend.address] }, confirmed),
        pay(62n),
      );
      assert.equal(value.err, null);
    },
    'slot notifications': async () => {
      const { slot } = await first(rpcSubscriptions.slotNotifications(), async () => undefined);
      assert.ok(slot > 0n);
    },
  };
}
