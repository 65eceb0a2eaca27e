import {
  getSignedTextInstruction,
  handoffText,
  INSTRUCTIONS_SYSVAR_ADDRESS,
  type SignedText,
} from '@legwork/program-client';
import {
  handoffCode,
  makeMove,
  type PackageDetail,
  type Receipt,
  readHandoff,
  readHandoffCode,
  signHandoff,
  submitHandoff,
  verifyReceipts,
} from '@legwork/sdk';
import { AccountRole, createKeyPairSignerFromPrivateKeyBytes, type Instruction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { claim, goal, untilTask } from '../operations/digitalTasks/scene.js';
import {
  at,
  carryTo,
  CHAIN,
  courier,
  formedWithTerms,
  legNow,
  moveWithText,
  newKey,
} from '../operations/turns/scene.js';
import { listDigitalTask, listPackage } from '../support/listed.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { instructionsIn, land, signed } from '../support/transactions.js';

const arbiterPubkey = await newKey();
const service = withService({ settings: () => ({ ARBITER_PUBKEY: arbiterPubkey }) });
const WHOLE_WAY = [['zoo', 'ostkreuz', 0.1]] as const;

/** The text that somebody signs at the door, in the form in which it goes from phone to phone. */
async function signedBy(
  party: Pick<Party, 'client' | 'signer'>,
  parcel: PackageDetail,
  legIndex: number,
  { pickup = false, noted }: { pickup?: boolean; noted?: Uint8Array } = {},
): Promise<string> {
  const ahead = await readHandoff(party.client, party.signer.address, { packageId: parcel.id, legIndex, pickup });
  return handoffCode(await signHandoff(party.signer, ahead, { noted }));
}

async function sent(by: Party, code: string) {
  const signed = await readHandoffCode(code);
  if (signed === undefined) throw new Error(`not a handoff: ${code}`);
  return submitHandoff(by.client, by.signer, signed);
}

const isOfProgram = ({ programAddress }: Instruction) => programAddress === service.current.server.programId;

/** The instruction behind a text, with its own signers. */
function withText(instruction: Instruction, text: SignedText): readonly Instruction[] {
  const sysvar = { address: INSTRUCTIONS_SYSVAR_ADDRESS, role: AccountRole.READONLY };
  return [getSignedTextInstruction(text), { ...instruction, accounts: [...(instruction.accounts ?? []), sysvar] }];
}

/** The service sees what landed by itself. */
const untilCarried = ({ id }: PackageDetail, index: number) =>
  untilPackage(service.current, id, ({ swarm }) => swarm?.legs[index]?.stage === 'carried');

test('what was handed over by transactions has receipts that the ledger alone proves (S-211, S-212)', async () => {
  const cast = await formedWithTerms(service.current, CHAIN, {});
  await carryTo(service.current, cast, 2);
  const { parcel, shipper, couriers } = cast;
  await makeMove(shipper.client, shipper.signer, {
    legId: (await legNow(service.current, parcel.id, 2)).id,
    packageId: parcel.id,
    action: 'confirm',
  });
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  const { receipts } = await shipper.client.getPackageReceipts({ packageId: parcel.id });
  expect(receipts.map(({ said, to, condition }) => [said, to, condition])).toEqual([
    ['picked up', at(couriers, 0).pubkey, 'not said'],
    ['taken over', at(couriers, 1).pubkey, 'not said'],
    ['taken over', at(couriers, 2).pubkey, 'not said'],
    ['received', shipper.pubkey, 'not said'],
  ]);
  expect(await verifyReceipts(receipts)).toMatchObject({ unproven: [0, 1, 2, 3], paid: [] });
  expect(await verifyReceipts(receipts, { rpc: service.current.rpc })).toMatchObject({
    unproven: [],
    paid: [0, 1, 2, 3],
  });
});

describe('a handoff that is signed as a text', () => {
  test('moves a parcel through three couriers to a receiver without SOL, each sent by somebody else (P-104, A-120)', async () => {
    const secret = crypto.getRandomValues(new Uint8Array(32));
    const consignee = await createKeyPairSignerFromPrivateKeyBytes(secret);
    const terms = { receiverPubkey: consignee.address, cosignedPickup: true };
    const { parcel, shipper, couriers } = await formedWithTerms(service.current, CHAIN, terms);
    const [first, second, third] = [at(couriers, 0), at(couriers, 1), at(couriers, 2)];
    const stranger = await service.current.party(1);
    const pickup = await signedBy(shipper, parcel, 0, { pickup: true });
    await expect(sent(stranger, pickup)).rejects.toThrow(/sent by its courier/u);
    expect((await sent(first, pickup)).handoff.said).toBe('picked up');
    await untilCarried(parcel, 0);

    for (const [index, next] of [second, third].entries()) {
      const legId = (await legNow(service.current, parcel.id, index + 1)).id;
      await makeMove(next.client, next.signer, { legId, packageId: parcel.id, action: 'accept' });
      const before = (await service.current.rpc.getBalance(next.signer.address).send()).value;
      await sent(
        stranger,
        await signedBy(next, parcel, index, index === 1 ? { noted: new Uint8Array(32).fill(9) } : {}),
      );
      expect((await service.current.rpc.getBalance(next.signer.address).send()).value).toBe(before);
      await untilCarried(parcel, index + 1);
    }
    const { client } = stranger;
    const arrived = await signedBy({ client, signer: consignee }, parcel, 2);
    expect((await service.current.rpc.getBalance(consignee.address).send()).value).toBe(0n);
    const { signature } = await sent(stranger, arrived);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    const { receipts } = await client.getPackageReceipts({ packageId: parcel.id });
    expect(receipts.map(({ said, condition }) => [said, condition])).toEqual([
      ['picked up', 'as described'],
      ['taken over', 'as described'],
      ['taken over', 'noted'],
      ['received', 'as described'],
    ]);
    const custody = await verifyReceipts(receipts, { rpc: service.current.rpc });
    expect(custody).toMatchObject({ isEnded: true, holder: consignee.address, paid: [0, 1, 2, 3], unproven: [] });
    expect(custody.firstNoted).toMatchObject({ heldBy: second.pubkey, by: third.pubkey });
    const moved = receipts.map((one) => ({ ...one, landed: receipts[1]?.landed ?? null }));
    await expect(verifyReceipts(moved, { rpc: service.current.rpc })).rejects.toThrow(/is not this handoff/u);
    // Sent once more, by another one: found, and nothing is paid twice.
    expect((await sent(third, arrived).catch(String)).valueOf()).toMatchObject({ signature });
  });

  test('confirms a package without terms, and is refused for another courier, place or moment by name (A-118, A-120)', async () => {
    const [shipper, carrier] = [await service.current.party(3), await courier(service.current)];
    const listed = await listPackage(shipper.client, shipper.signer, draft({ terms: 'plain' }));
    await carrier.client.submitBid(bidInput(carrier, listed.id, 'zoo', 'ostkreuz', 0.1));
    const parcel = await untilPackage(service.current, listed.id, ({ status }) => status === 'in_transit');
    const ahead = await readHandoff(shipper.client, shipper.pubkey, { packageId: parcel.id, legIndex: 0 });
    const asIf = async (change: object, signer = shipper.signer) => {
      const signed = await signHandoff(signer, { ...ahead, ...change });
      return submitHandoff(carrier.client, carrier.signer, signed);
    };
    await expect(asIf({ nonce: new Uint8Array(8).fill(1) })).rejects.toThrow(/another cluster/u);
    await expect(asIf({ formation: 7 })).rejects.toThrow(/another courier/u);
    await expect(asIf({ said: 'taken over' })).rejects.toThrow(/another thing/u);
    await expect(asIf({ legIndex: 3 })).rejects.toThrow(/no leg 4/u);
    await expect(asIf({}, carrier.signer)).rejects.toThrow(/UnauthorizedRecipient|signed by somebody else/u);
    const signed = await signHandoff(shipper.signer, ahead);
    const forged = {
      ...signed,
      text: handoffText({ ...ahead, said: 'received', noted: undefined, signedAt: new Date(0) }),
    };
    await expect(submitHandoff(carrier.client, carrier.signer, forged)).rejects.toThrow(/not a handoff that somebody/u);
    expect((await submitHandoff(carrier.client, carrier.signer, signed)).handoff.said).toBe('received');
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  });

  test('is not read ahead for a parcel that nobody has picked up, nor for who has no part in it (T-97, A-118)', async () => {
    const { parcel, shipper } = await formedWithTerms(service.current, WHOLE_WAY, {});
    const of = { packageId: parcel.id, legIndex: 0 };
    await expect(readHandoff(shipper.client, shipper.pubkey, of)).rejects.toThrow(/nobody has picked up/u);
    const stranger = await service.current.party(1);
    await expect(readHandoff(stranger.client, stranger.pubkey, { ...of, pickup: true })).rejects.toThrow(/signed by/u);
  });

  test('accepts the claimed result of a task, and no other (P-106)', async () => {
    const [poster, agent, receiver] = [
      await service.current.party(3),
      await courier(service.current),
      await service.current.party(0),
    ];
    const terms = { preset: 'standard' as const, arbiterPubkey, receiverPubkey: receiver.pubkey };
    const task = await listDigitalTask(poster.client, poster.signer, { ...goal(), terms });
    await claim(agent, task, 0);
    const assigned = await untilTask(service.current, task.id, ({ legs }) => legs[0]?.stage === 'pending');
    const legId = at(assigned.legs, 0).id;
    await makeMove(agent.client, agent.signer, { legId, taskId: task.id, action: 'accept' });
    await expect(readHandoff(receiver.client, receiver.pubkey, { taskId: task.id, legIndex: 0 })).rejects.toThrow(
      /cannot be confirmed/u,
    );
    await makeMove(agent.client, agent.signer, { legId, taskId: task.id, action: 'claim', text: 'the sum is 4' });
    const ahead = await readHandoff(receiver.client, receiver.pubkey, { taskId: task.id, legIndex: 0 });
    await expect(signHandoff(receiver.signer, ahead, { noted: new Uint8Array(32) })).rejects.toThrow(/without a note/u);
    await submitHandoff(agent.client, agent.signer, await signHandoff(receiver.signer, ahead));
    await untilTask(service.current, task.id, ({ legs }) => legs[0]?.stage === 'completed');
    const { receipts } = await agent.client.getTaskReceipts({ taskId: task.id });
    expect(receipts).toMatchObject([
      { said: 'accepted', from: agent.pubkey, to: receiver.pubkey, formation: ahead.formation },
    ]);
    expect(await verifyReceipts(receipts, { rpc: service.current.rpc })).toMatchObject({ paid: [0], isEnded: true });
  });
});

describe('a chain of receipts', () => {
  test('holds no text that the program has not read, unless it says this very handoff by the right key (S-211, S-212)', async () => {
    const cast = await formedWithTerms(service.current, CHAIN, {});
    await carryTo(service.current, cast, 0);
    const { parcel, couriers } = cast;
    const [first, second, third] = [at(couriers, 0), at(couriers, 1), at(couriers, 2)];
    // Each of them signs the transaction itself: the program takes that, and does not look at the text before it.
    const takeOver = async (by: Party, legIndex: number, text: SignedText) => {
      const { id: legId } = await legNow(service.current, parcel.id, legIndex);
      const { transaction } = await by.client.buildTurnTx({ legId, action: 'confirm', pubkey: by.pubkey });
      const instructions = instructionsIn(transaction).flatMap((one) =>
        isOfProgram(one) ? withText(one, text) : [one],
      );
      await land(service.current, await signed(service.current, [by.signer], instructions));
      await untilCarried(parcel, legIndex + 1);
    };
    const ahead = await readHandoff(second.client, second.pubkey, { packageId: parcel.id, legIndex: 0 });
    await takeOver(second, 0, await signHandoff(first.signer, ahead, { noted: new Uint8Array(32).fill(6) }));
    const noted = new Uint8Array(32).fill(9);
    const own = await readHandoff(third.client, third.pubkey, { packageId: parcel.id, legIndex: 1 });
    await takeOver(third, 1, await signHandoff(third.signer, own, { noted }));

    const { receipts } = await first.client.getPackageReceipts({ packageId: parcel.id });
    expect(receipts.map(({ said, condition }) => [said, condition])).toEqual([
      ['picked up', 'not said'],
      ['taken over', 'not said'],
      ['taken over', 'noted'],
    ]);
    const { rpc } = service.current;
    expect(await verifyReceipts(receipts, { rpc })).toMatchObject({ paid: [0, 1, 2], holder: third.pubkey });
    const [one, two, three] = receipts as [Receipt, Receipt, Receipt];
    const hidden = [one, two, { ...three, condition: 'not said', hash: null, signed: null } as Receipt];
    await expect(verifyReceipts(hidden, { rpc })).rejects.toThrow(/is not this handoff/u);
  });

  test('ends before a leg that was ruled, whoever sends the transaction that pays it (S-211)', async () => {
    const cast = await formedWithTerms(service.current, WHOLE_WAY, {});
    const { parcel, couriers, shipper, arbiter } = cast;
    await carryTo(service.current, cast, 0);
    const confirming = async () => {
      const { id: legId } = await legNow(service.current, parcel.id, 0);
      return shipper.client.buildTurnTx({ legId, action: 'confirm', pubkey: shipper.pubkey });
    };
    await moveWithText(service.current, cast, 0, at(couriers, 0), 'claim', 'at the door');
    const { transaction: paying } = await confirming();
    await moveWithText(service.current, cast, 0, shipper, 'dispute', 'nothing is at the door');
    const { id: legId } = await legNow(service.current, parcel.id, 0);
    const ruling = { legId, action: 'rule', pubkey: arbiter.pubkey, percent: 30 } as const;
    const { transaction: ruled } = await arbiter.client.buildTurnTx(ruling);
    const instructions = [ruled, paying].flatMap((one) => instructionsIn(one).filter(isOfProgram));
    await land(service.current, await signed(service.current, [arbiter.signer, shipper.signer], instructions));
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    const { receipts } = await shipper.client.getPackageReceipts({ packageId: parcel.id });
    expect(receipts.map(({ said }) => said)).toEqual(['picked up']);
    expect(await verifyReceipts(receipts, { rpc: service.current.rpc })).toMatchObject({ isEnded: false, paid: [0] });
  });
});

test('a code that was altered, or is none, is no handoff (A-119)', async () => {
  const { signer } = await service.current.party(0);
  const ahead = {
    listing: signer.address,
    legIndex: 0,
    formation: 1,
    said: 'received' as const,
    nonce: new Uint8Array(8).fill(5),
  };
  const code = handoffCode(await signHandoff(signer, ahead));
  expect(code.length).toBeLessThan(450);
  expect(await readHandoffCode(` ${code}\n`)).toMatchObject({ signer: signer.address, handoff: { said: 'received' } });
  const wrong = [
    '',
    'legwork-handoff:',
    'legwork-handoff:{}',
    code.slice(1),
    code.replace('received', 'picked up'),
    `${code}${' '.repeat(1_000)}`,
  ];
  for (const text of wrong) expect([text, await readHandoffCode(text)]).toEqual([text, undefined]);
});
