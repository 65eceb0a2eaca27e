import { createUuid } from '@legwork/protocol/contract';
import { listPackage } from '@legwork/sdk';
import { getTransactionDecoder, getTransactionEncoder, signTransaction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { bidInput, draft, formedPackage, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { claim, giveBack, handIn, legIdOf, postedTask, refused, untilTask } from './digitalTasks/scene.js';

const service = withService();

/** The ledger takes back a transaction of the listing, as far as this database knows; the answer ends that. */
async function halt(subject: string): Promise<() => Promise<void>> {
  const signature = `taken back ${createUuid()}`;
  const { db } = service.current;
  await db
    .insertInto('ledger_transactions')
    .values({ signature, slot: 1n, subjects: [subject], reverted_at: new Date() })
    .execute();
  return async () => {
    await db.deleteFrom('ledger_transactions').where('signature', '=', signature).execute();
  };
}

/** A transaction that the service built, signed by a wallet. */
async function sign({ signer }: Party, transaction: string): Promise<string> {
  const built = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'));
  return Buffer.from(getTransactionEncoder().encode(await signTransaction([signer.keyPair], built))).toString('base64');
}

async function expectHalted(calls: Record<string, () => Promise<unknown>>): Promise<void> {
  const refusals: Record<string, unknown> = {};
  for (const [name, call] of Object.entries(calls)) {
    const { status, code } = await refused(service.current, call);
    refusals[name] = [status, code];
  }
  expect(refusals).toEqual(Object.fromEntries(Object.keys(calls).map((name) => [name, [409, 'ledger_reverted']])));
}

describe('while the ledger has taken back a transaction of it', () => {
  test('a package takes no bid, no confirmation and no exit, is read as before, and goes on afterwards (S-107)', async () => {
    const { shipper, couriers, parcel } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const { client } = shipper;
    const [packageId, legId] = [parcel.id, parcel.swarm?.legs[0]?.id ?? ''];
    const built = await client.buildConfirmTx({ legId });
    const transaction = await sign(shipper, built.transaction);
    const goOn = await halt(`package:${packageId}`);
    await expectHalted({
      buildConfirmTx: () => client.buildConfirmTx({ legId }),
      confirmLeg: () => client.confirmLeg({ legId, transaction }),
      mirrorLeg: () => client.mirrorLeg({ legId, agentPubkey: couriers[0]?.pubkey ?? '' }),
      buildCancelTx: () => client.buildCancelTx({ packageId }),
      buildReclaimTx: () => client.buildReclaimTx({ packageId }),
      buildCloseTx: () => client.buildCloseTx({ packageId }),
    });
    expect((await client.getPackage({ packageId })).status).toBe('in_transit');
    await goOn();
    await client.confirmLeg({ legId, transaction });
    await untilPackage(service.current, packageId, ({ status }) => status === 'delivered');
  });

  test('a listed package is not bid for, and bids that it has are not chosen (S-107)', async () => {
    const [shipper, courier, late] = [
      await service.current.party(),
      await service.current.party(1),
      await service.current.party(1),
    ];
    const { id } = await listPackage(shipper.client, shipper.signer, draft({ biddingWindowSec: 60 }));
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
    const goOn = await halt(`package:${id}`);
    await expectHalted({
      submitBid: () => late.client.submitBid(bidInput(late, id, 'zoo', 'ostkreuz', 0.1)),
      buildCancelTx: () => shipper.client.buildCancelTx({ packageId: id }),
    });
    const closed = { bidding_closes_at: new Date(0), evaluate_at: new Date(0) };
    await service.current.db.updateTable('packages').set(closed).where('id', '=', id).execute();
    // Another one is carried meanwhile: the evaluator has looked.
    await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    expect((await shipper.client.getPackage({ packageId: id })).status).toBe('listed');
    await goOn();
    await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
  });

  test('a task gives no work, takes no result, and goes on afterwards (S-107)', async () => {
    const [agent, other] = [await service.current.party(1), await service.current.party(1)];
    const { poster, task } = await postedTask(service.current);
    await claim(agent, task, 0);
    await untilTask(service.current, task.id, ({ legs }) => legs[0]?.status === 'in_progress');
    const { client } = poster;
    const goOn = await halt(`task:${task.id}`);
    await expectHalted({
      bidDigitalLeg: () => claim(other, task, 1),
      completeDigitalLeg: () => handIn(agent, task, 0),
      releaseDigitalLeg: () => giveBack(agent, task, 0),
      buildCancelDigitalTaskTx: () => client.buildCancelDigitalTaskTx({ taskId: task.id }),
      buildReclaimDigitalTaskTx: () => client.buildReclaimDigitalTaskTx({ taskId: task.id }),
      buildCloseDigitalTaskTx: () => client.buildCloseDigitalTaskTx({ taskId: task.id }),
    });
    await goOn();
    expect(await handIn(agent, task, 0)).toMatchObject({ legId: legIdOf(task, 0), status: 'completed' });
  });
});
