import {
  type Address,
  decompileTransactionMessage,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
} from '@solana/kit';
import { getAllocateInstruction, getTransferSolInstruction } from '@solana-program/system';
import { beforeAll, describe, expect, test } from 'vitest';
import { legIdOf, untilTask } from '../operations/digitalTasks/scene.js';
import { at, type Cast, formedWithTerms, legNow, move, moveWithText } from '../operations/turns/scene.js';
import { begunBy, type Bound, boundTask } from '../operations/turns/taskScene.js';
import { untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { land, signed } from '../support/transactions.js';
import { accountsSay, factsOf } from './readings.js';
import { auditOf, linesOf } from './scene.js';

const service = withService();
const FEE_LAMPORTS = 5000n;
const ONE_LEG = [['zoo', 'ostkreuz', 0.07]] as const;
const STAKE_LAMPORTS = 1_781_760n;
/** So many bytes need more rent than the stake is. */
const SPACE = 200n;
let cast: Cast;

const balanceOf = async (address: Address) =>
  (await service.current.rpc.getBalance(address, { commitment: 'confirmed' }).send()).value;

/** Sends all that the wallet has to another one. */
async function empty({ signer }: Party, to: Party): Promise<void> {
  const amount = (await balanceOf(signer.address)) - FEE_LAMPORTS;
  const transfer = getTransferSolInstruction({ source: signer, destination: to.signer.address, amount });
  await land(service.current, await signed(service.current, [signer], [transfer]));
}

function instructionsOf(base64: string): readonly Instruction[] {
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
  return decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes)).instructions;
}

/** Lands it while the wallets of others have nothing left, and need more rent than they are due. */
async function landUnreceived(payer: Party, others: readonly Party[], built: string): Promise<void> {
  const before: Instruction[] = [];
  for (const { signer: source } of others) {
    const amount = await balanceOf(source.address);
    before.push(
      getTransferSolInstruction({ source, destination: payer.signer.address, amount }),
      getAllocateInstruction({ newAccount: source, space: SPACE }),
    );
  }
  const signers = [payer.signer, ...others.map(({ signer }) => signer)] as const;
  await land(service.current, await signed(service.current, signers, [...before, ...instructionsOf(built)]));
}

describe('a ruling (T-17)', () => {
  beforeAll(async () => {
    cast = await formedWithTerms(service.current, ONE_LEG, { stakeSol: 0.00178176 });
    const { shipper, arbiter } = cast;
    const courier = at(cast.couriers, 0);
    await move(service.current, cast, 0, courier, 'take');
    await moveWithText(service.current, cast, 0, courier, 'claim', 'at the door');
    await moveWithText(service.current, cast, 0, shipper, 'dispute', 'nothing is at the door');
    await empty(courier, shipper);
    await move(service.current, cast, 0, arbiter, 'rule', { percent: 1 });
    await untilPackage(service.current, cast.parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'completed');
    await untilQuiet(service.current);
  });

  test('what an empty wallet cannot receive is in the vault by the replay, as the accounts say (T-43)', async () => {
    const facts = await factsOf(service.current);
    const parcel = [...facts.packages.values()].find(({ id }) => id === cast.parcel.id);
    // One percent of two stakes, less the fee.
    expect(parcel).toMatchObject({ paidLamports: 0n, gainedLamports: 26_726n });
    expect(parcel?.steps.find((step) => step.move === 'rule')?.movements).toMatchObject([
      { what: 'stake_returned', to: parcel?.vault, lamports: 26_726n },
      { what: 'stake_returned', to: cast.shipper.pubkey },
      { what: 'arbiter_fee', to: cast.arbiter.pubkey },
    ]);
    expect(await accountsSay(service.current, facts)).toBe('');
  });

  test('so it is shown, and the rows say the same (T-68)', async () => {
    const { client } = await service.current.party(0);
    const { movements, vaultLamports } = await client.getPackageMoney({ packageId: cast.parcel.id });
    expect(vaultLamports).toBe(0n);
    expect(movements.filter(({ what }) => what === 'payment')).toEqual([]);
    expect(movements.at(-1)).toMatchObject({ what: 'refund', lamports: cast.parcel.maxBudget + 26_726n });
    const { earnedLamports } = (await client.getAgent({ agentPubkey: at(cast.couriers, 0).pubkey })).history;
    expect(earnedLamports).toBe(0n);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });

  test('leaves in the vault what two of three could not receive, as the rows say', async () => {
    const receiver = await service.current.party(1);
    const choice = { stakeSol: 0.00178176, receiverPubkey: receiver.pubkey };
    const kept = await formedWithTerms(service.current, ONE_LEG, choice);
    const { arbiter, parcel } = kept;
    const courier = at(kept.couriers, 0);
    await move(service.current, kept, 0, courier, 'take');
    await moveWithText(service.current, kept, 0, courier, 'claim', 'at the door');
    await moveWithText(service.current, kept, 0, receiver, 'dispute', 'nothing is at the door');
    const { id: legId } = await legNow(service.current, parcel.id, 0);
    const ruling = { legId, action: 'rule', pubkey: arbiter.pubkey, percent: 50 } as const;
    const { transaction } = await arbiter.client.buildTurnTx(ruling);
    await landUnreceived(arbiter, [courier, receiver], transaction);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    await untilQuiet(service.current);
    const { movements, vaultLamports } = await arbiter.client.getPackageMoney({ packageId: parcel.id });
    const share = (2n * STAKE_LAMPORTS - STAKE_LAMPORTS / 2n) / 2n;
    expect(movements.filter(({ what }) => what === 'stake_returned')).toMatchObject([
      { to: parcel.onChainVault, lamports: share },
      { to: parcel.onChainVault, lamports: share },
    ]);
    expect(vaultLamports).toBe(0n);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });
});

describe('a reclaim (T-39)', () => {
  const toFunder = (funder: string) => [{ what: 'stake_returned', to: funder, lamports: STAKE_LAMPORTS }];

  test('of a package gives its funder what a courier could not receive, as the rows say; no clock runs on', async () => {
    const kept = await formedWithTerms(service.current, ONE_LEG, { stakeSol: 0.00178176 });
    const { shipper, parcel } = kept;
    const courier = at(kept.couriers, 0);
    await move(service.current, kept, 0, courier, 'accept');
    const { transaction } = await shipper.client.buildReclaimTx({ packageId: parcel.id });
    await landUnreceived(shipper, [courier], transaction);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'failed');
    expect(await balanceOf(courier.signer.address)).toBe(0n);
    const { movements, vaultLamports } = await shipper.client.getPackageMoney({ packageId: parcel.id });
    expect(vaultLamports).toBe(0n);
    expect(movements.filter(({ what }) => what === 'stake_returned')).toMatchObject(toFunder(shipper.pubkey));
    expect(await legNow(service.current, parcel.id, 0)).toMatchObject({
      stage: 'accepted',
      until: null,
      actor: 'nobody',
    });
    await untilQuiet(service.current);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });

  // Last: from here on the ledger is past the deadline.
  test('of a task gives its funder what an agent could not receive, as the rows say; no clock runs on', async () => {
    const deadline = new Date(Date.now() + 6 * 3_600_000).toISOString();
    const legs = [{ instruction: 'Sum it up.' }];
    const bound: Bound = await boundTask(
      service.current,
      { stakeSol: 0.00178176, carrySec: 3600, reviewSec: 300 },
      { deadline, legs },
    );
    const { poster, task } = bound;
    await service.current.advanceTime(6 * 3600 - 600);
    const agent = await begunBy(service.current, bound, 0);
    await service.current.advanceTime(610);
    const { transaction } = await poster.client.buildReclaimDigitalTaskTx({ taskId: task.id });
    await landUnreceived(poster, [agent], transaction);
    const ended = await untilTask(service.current, task.id, ({ status }) => status === 'failed');
    expect(ended.legs[0]).toMatchObject({ id: legIdOf(task, 0), until: null });
    const { movements, vaultLamports } = await poster.client.getTaskMoney({ taskId: task.id });
    expect(vaultLamports).toBe(0n);
    expect(movements.filter(({ what }) => what === 'stake_returned')).toMatchObject(toFunder(poster.pubkey));
    await untilQuiet(service.current);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });
});
