import { getSettleInstruction } from '@legwork/program-client';
import { createLegworkClient, listPackage, sendTransaction } from '@legwork/sdk';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  address,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { broadcast } from '../../src/outbox/broadcast.js';
import { deliverIntent } from '../../src/outbox/deliverIntent.js';
import { formSwarmIntent } from '../../src/outbox/formSwarm.js';
import { signIntent } from '../../src/outbox/signIntent.js';
import type { AppContext } from '../../src/context.js';
import {
  finishIntent,
  leaseNext,
  LeaseLostError,
  persistSigned,
  type LeasedIntent,
  type SignedIntent,
} from '../../src/db/outbox.js';
import { bidInput, draft, formedPackage, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { hold, letGo } from '../support/holdIntents.js';
import { Wallets } from '../mirror/walletScene.js';

const service = withService();
let context: AppContext;

beforeAll(async () => {
  context = await service.current.context();
});
afterAll(() => context.db.destroy());

/** A package with a winning bid whose service stopped before it could evaluate. */
async function packageToForm(): Promise<string> {
  const shipper = await service.current.party();
  const courier = await service.current.party(1);
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  await hold(context, id);
  await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
  await untilPackage(service.current, id, ({ status }) => status === 'swarm_forming');
  await service.current.stop();
  await letGo(context, id);
  return id;
}

/** Does the work of a worker before it sends. Its lease is over at once. */
async function leaseFormation(): Promise<{ intent: LeasedIntent; signed: SignedIntent }> {
  const intent = await leaseNext(context.db, 0);
  if (!intent) throw new Error('no intent is due');
  const toSign = await formSwarmIntent.instructions(context, intent);
  const signing = await signIntent(context.ledger, toSign?.instructions ?? []);
  if (!('signed' in signing)) throw new Error(signing.refused.reason);
  await persistSigned(context.db, intent, signing.signed);
  return { intent, signed: signing.signed };
}

async function formedWith(packageId: string): Promise<string | null | undefined> {
  const { swarm } = await untilPackage(service.current, packageId, ({ status }) => status === 'in_transit');
  return swarm?.formSignature;
}

describe('the outbox after a crash', () => {
  test('sends the very bytes that were persisted before the crash', async () => {
    const id = await packageToForm();
    const { signed } = await leaseFormation();
    await service.current.restart();
    expect(await formedWith(id)).toBe(signed.signature);
  });

  test('takes over a formation that landed before its effects were written, and forms no second one', async () => {
    const id = await packageToForm();
    const { signed } = await leaseFormation();
    expect(await broadcast(context.ledger, signed, () => undefined)).toMatchObject({ kind: 'landed' });
    await service.current.restart();
    expect(await formedWith(id)).toBe(signed.signature);
    const account = await service.current.rpc
      .getSignaturesForAddress(address((await untilPackage(service.current, id, () => true)).onChainPackage))
      .send();
    // list_package and one formation
    expect(account).toHaveLength(2);
  });

  test('signs again only when the persisted bytes can never land any more', async () => {
    const id = await packageToForm();
    const { signed } = await leaseFormation();
    await service.current.advanceTime(200);
    await service.current.restart();
    const signature = await formedWith(id);
    expect(signature).not.toBe(signed.signature);
    expect(await broadcast(context.ledger, signed, () => undefined)).toEqual({ kind: 'expired' });
  });

  test('signs on a later blockhash what would have the bytes of another intent (S-100)', async () => {
    const id = await packageToForm();
    const pinned = await context.ledger.blockhashes.latest();
    const blockhashes = { ...context.ledger.blockhashes, recent: () => Promise.resolve(pinned) };
    const here = { ...context, ledger: { ...context.ledger, blockhashes } };
    const intent = await leaseNext(context.db, 15);
    if (!intent) throw new Error('the formation is due');
    const instructions = (await formSwarmIntent.instructions(here, intent))?.instructions ?? [];
    const signing = await signIntent(here.ledger, instructions);
    if (!('signed' in signing)) throw new Error(signing.refused.reason);
    const { signature, transaction, lastValidBlockHeight: last_valid_block_height } = signing.signed;
    const taken = { signature, transaction, last_valid_block_height, payload: '{}', status: 'done' } as const;
    const other = { ...taken, kind: 'settle', subject: 'package:of-another', unique_key: `settle:${id}` } as const;
    await context.db.insertInto('outbox').values(other).execute();
    await deliverIntent(here, intent, new AbortController().signal);
    await service.current.restart();
    const formed = await formedWith(id);
    expect([formed, formed === signature]).toEqual([expect.any(String), false]);
  });

  test('a worker that lost its lease can no longer write', async () => {
    const id = await packageToForm();
    const { intent } = await leaseFormation();
    expect((await leaseNext(context.db, 0))?.id).toBe(intent.id);
    await expect(context.db.transaction().execute((trx) => finishIntent(trx, intent))).rejects.toThrow(LeaseLostError);
    await service.current.restart();
    await formedWith(id);
  });
});

async function sendAs(payer: KeyPairSigner, instructions: Instruction[]): Promise<string> {
  const { value: lifetime } = await service.current.rpc.getLatestBlockhash().send();
  const transaction = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions(instructions, message),
    ),
  );
  return sendTransaction(
    service.current.rpc,
    getBase64EncodedWireTransaction(transaction),
    Number(lifetime.lastValidBlockHeight),
  );
}

describe('a formation that the program refuses', () => {
  test('fails the swarm, lists the package again and takes the bid of the refused courier out of the running', async () => {
    const shipper = await service.current.party();
    const { id } = await listPackage(shipper.client, shipper.signer, draft());
    await hold(context, id);
    const signer = await generateKeyPairSigner();
    const client = createLegworkClient({ url: service.current.server.url, signer });
    const refused = { signer, pubkey: signer.address, client };
    const bid = await client.submitBid(bidInput(refused, id, 'zoo', 'ostkreuz', 0.05));
    await untilPackage(service.current, id, ({ status }) => status === 'swarm_forming');
    // Between the bid and the formation its address is given to a program: it can no longer be assigned.
    await sendAs(shipper.signer, [
      getCreateAccountInstruction({
        payer: shipper.signer,
        newAccount: signer,
        lamports: 2_000_000n,
        space: 0n,
        programAddress: context.ledger.programAddress,
      }),
    ]);
    await letGo(context, id);
    const parcel = await untilPackage(service.current, id, ({ swarm }) => swarm?.status === 'failed');
    expect(parcel).toMatchObject({ status: 'listed', bids: 0 });
    const row = await context.db.selectFrom('bids').select('ended_because').where('id', '=', bid.id).executeTakeFirst();
    expect(row?.ended_because).toBe('excluded');

    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
    const formed = await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    expect(formed.swarm?.legs[0]?.agentPubkey).toBe(courier.pubkey);
  });
});

describe('a settlement by the funder', () => {
  test('is found on the ledger and recorded as the settlement', async () => {
    const market = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const { shipper, parcel } = market;
    await hold(context, parcel.id);
    await new Wallets(service.current).confirm(market, 0);
    await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.completedLegs === 1);
    const settleSignature = await sendAs(shipper.signer, [
      getSettleInstruction(
        {
          signer: shipper.signer,
          config: context.ledger.configAddress,
          package: address(parcel.onChainPackage),
          vault: address(parcel.onChainVault),
          funder: shipper.signer.address,
          swarm: address(parcel.swarm?.onChainSwarm ?? ''),
          rentPayer: context.ledger.coordinator.address,
          legs: parcel.swarm?.legs.map((leg) => address(leg.onChainLeg)) ?? [],
        },
        { programAddress: context.ledger.programAddress },
      ),
    ]);
    await letGo(context, parcel.id);
    const delivered = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    expect(delivered.settleSignature).toBe(settleSignature);
  });
});
