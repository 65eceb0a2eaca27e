import { readFile } from 'node:fs/promises';
import {
  makeMove,
  type PackageDetail,
  readHandoffCode,
  shareHandoff,
  signPickup,
  submitHandoff,
  type PackageDraft,
} from '@legwork/sdk';
import { createKeyPairSignerFromBytes, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { describe, expect, test } from 'vitest';
import { courier as carrier } from '../operations/turns/scene.js';
import { bidInput, draft, PLACES, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { PATIENT, policyAgent, runDaemon } from './support/agents.js';
import { listPackage } from '../support/listed.js';
import { land, signed as signedAs } from '../support/transactions.js';
import { until } from '../support/until.js';

const arbiter = await generateKeyPairSigner();
const service = withService({ settings: () => ({ ARBITER_PUBKEY: arbiter.address }) });

const HOUR_SEC = 3_600;
const limits = { stakePerLeg: 0.11, stakeInAll: 0.5 };
const way = (from: keyof typeof PLACES, to: keyof typeof PLACES) => ({
  itinerary: [{ from: [PLACES[from].lat, PLACES[from].lng], to: [PLACES[to].lat, PLACES[to].lng] }],
});
const auto = { handoff: { how: 'auto' }, claim: { how: 'auto' } };
/** Nothing is ever in its hands. */
const waits = { handoff: { how: 'command', command: ['false'] } };

const courier = (fields: object, more: object = {}) =>
  policyAgent(service.current, { courier: { ...auto, ...fields }, limits, ...more });

/** A package of the Zoo to Ostkreuz with terms: the stake is a fifth of its half SOL. */
async function listed(terms: PackageDraft['terms'] = 'standard'): Promise<{ shipper: Party; parcel: PackageDetail }> {
  const shipper = await service.current.party(3);
  return { shipper, parcel: await listPackage(shipper.client, shipper.signer, draft({ terms })) };
}

const balanceOf = async (pubkey: string) =>
  (await service.current.rpc.getBalance(pubkey as never, { commitment: 'confirmed' }).send()).value;
const stagesOf = ({ swarm }: PackageDetail) => swarm?.legs.map(({ stage }) => stage);
const legOf = ({ swarm }: PackageDetail, index: number) => {
  const leg = swarm?.legs[index];
  if (!leg) throw new Error(`there is no leg ${index}`);
  return leg;
};

/** The shipper has the parcel. */
const receive = ({ shipper, parcel }: { shipper: Party; parcel: PackageDetail }, index: number) =>
  makeMove(
    shipper.client,
    shipper.signer,
    { packageId: parcel.id, legId: legOf(parcel, index).id, action: 'confirm' },
    { rpc: service.current.rpc },
  );

/** The agent's signatures, as its journal has them. */
const signedBy = async (agent: { journal: () => Promise<Record<string, unknown>[]> }) =>
  (await agent.journal()).filter(({ kind }) => kind === 'signed').map(({ instruction }) => instruction);

/** Gives away all that a wallet has. */
async function sendAll(from: KeyPairSigner, to: KeyPairSigner): Promise<void> {
  const amount = (await balanceOf(from.address)) - 5_000n;
  const transfer = getTransferSolInstruction({ source: from, destination: to.address, amount });
  await land(service.current, await signedAs(service.current, [from], [transfer]));
}

/** The signatures of an agent with one leg while it did not know the outcome of a move. */
function signedMeanwhile(journal: readonly Record<string, unknown>[]) {
  const open = new Set<unknown>();
  return journal.filter(({ kind, call, key }) => {
    if (kind === 'called' && call === 'submitTurn') open.add(key);
    if (kind === 'answered') open.delete(key);
    return kind === 'signed' && open.size > 0;
  });
}

describe('courier daemons and packages with terms', () => {
  test('open a reputation, bid, accept, take, hand over and get pay and stake (A-24, A-34, A-36)', async () => {
    const [first, second] = [
      await courier(way('zoo', 'alexanderplatz')),
      await courier(way('alexanderplatz', 'ostkreuz')),
    ];
    const listing = await listed();
    const before = await balanceOf(first.pubkey);
    const { told } = await runDaemon([first, second]);
    const carried = await untilPackage(service.current, listing.parcel.id, (now) => stagesOf(now)?.[1] === 'carried');
    expect(carried.swarm?.legs.map(({ agentPubkey }) => agentPubkey)).toEqual([first.pubkey, second.pubkey]);
    await receive({ ...listing, parcel: carried }, 1);
    await untilPackage(service.current, listing.parcel.id, ({ status }) => status === 'delivered');
    expect(await signedBy(first)).toEqual(['openReputation', 'accept', 'accept']);
    expect(await signedBy(second)).toEqual(['openReputation', 'accept', 'confirmLeg']);
    const spent = (await first.journal()).reduce((sum, { lamports }) => sum + BigInt((lamports as string) ?? 0), 0n);
    const gained = (await balanceOf(first.pubkey)) - before;
    // The sum it counted as spent is the most; its stake is back.
    expect(gained).toBeGreaterThanOrEqual(legOf(carried, 0).agreedPayment - spent);
    expect(told.join('\n')).toContain('with a stake of 0.1 SOL');
  });

  test('leave a package alone whose terms the policy does not take, and say why once (A-34, A-100)', async () => {
    const picky = await courier(way('zoo', 'ostkreuz'), { limits: { stakePerLeg: 0.05, stakeInAll: 1 } });
    const { parcel } = await listed();
    const { shipper, parcel: plain } = await listed('plain');
    const { told, daemon } = await runDaemon([picky]);
    // It saw both: the one without terms came later.
    await untilPackage(service.current, plain.id, ({ status }) => status === 'in_transit');
    expect((await shipper.client.listBids({ packageId: parcel.id })).items).toEqual([]);
    expect(await signedBy(picky)).toEqual([]);
    const lines = () => told.filter((line) => line.includes(`package ${parcel.id} is left alone`));
    const why = 'its stake is 0.1 SOL, but limits.stakePerLeg is 0.05 SOL';
    await expect.poll(lines, PATIENT).toEqual([expect.stringContaining(why)]);
    expect(await picky.journal()).toContainEqual(
      expect.objectContaining({ kind: 'passed', subject: `package ${parcel.id}` }),
    );
    expect(Object.values(daemon.health[0]?.leftAlone ?? {})).not.toEqual([]);
  });

  test('leave in time what they cannot take, and another one takes the vacant leg (A-35, A-36)', async () => {
    const absent = await courier({ ...way('zoo', 'ostkreuz'), ...waits });
    const listing = await listed({ preset: 'standard', carrySec: 3 * HOUR_SEC });
    const before = await runDaemon([absent]);
    await untilPackage(service.current, listing.parcel.id, (now) => stagesOf(now)?.[0] === 'accepted');
    // Of a ledger whose clock leaps a daemon that runs learns up to ten seconds later.
    await before.stop();
    await service.current.advanceTime(3 * HOUR_SEC - 100);
    const first = await runDaemon([absent]);
    const left = await untilPackage(service.current, listing.parcel.id, (now) => stagesOf(now)?.[0] === 'vacant');
    expect(legOf(left, 0).forfeitedLamports ?? 0n).toBe(0n);
    await expect.poll(() => first.told.join('\n'), PATIENT).toContain('left leg 1');

    const present = await courier(way('zoo', 'ostkreuz'));
    await runDaemon([present]);
    await service.current.db
      .updateTable('legs')
      .set({ evaluate_at: new Date(0) })
      .where('stage', '=', 'vacant')
      .execute();
    const taken = await untilPackage(service.current, listing.parcel.id, (now) => stagesOf(now)?.[0] === 'carried');
    expect(legOf(taken, 0).agentPubkey).toBe(present.pubkey);
    await receive({ ...listing, parcel: taken }, 0);
    await untilPackage(service.current, listing.parcel.id, ({ status }) => status === 'delivered');
  });

  test('send a pickup that the shipper signed too, and carry once it has (A-36, A-130)', async () => {
    const agent = await courier(way('zoo', 'ostkreuz'));
    const { parcel, shipper } = await listed({ cosignedPickup: true });
    const { told } = await runDaemon([agent]);
    const accepted = await untilPackage(service.current, parcel.id, (now) => stagesOf(now)?.[0] === 'accepted');
    await expect.poll(() => told.join('\n'), PATIENT).toContain(`has to sign the pickup of package ${parcel.id}`);
    const leg = { packageId: parcel.id, legId: legOf(accepted, 0).id };
    expect(await signPickup(shipper.client, shipper.signer, leg)).toHaveProperty('code');
    // One transaction was signed for it, and it landed.
    await untilPackage(service.current, parcel.id, (now) => stagesOf(now)?.[0] === 'carried');
    const ours = (await agent.journal()).filter(({ subject }) => subject === legOf(accepted, 0).onChainLeg);
    expect(ours.filter(({ instruction }) => instruction === 'accept')).toHaveLength(2);
  });

  test('send what the receiver has signed, before they claim anything (A-134)', async () => {
    const agent = await courier({ ...way('zoo', 'ostkreuz'), claim: { how: 'command', command: ['false'] } });
    const { parcel, shipper } = await listed({ preset: 'standard', cosignedPickup: false });
    await runDaemon([agent]);
    const carried = await untilPackage(service.current, parcel.id, (now) => stagesOf(now)?.[0] === 'carried');
    const leg = { packageId: parcel.id, legId: legOf(carried, 0).id };
    // Worthless evidence is passed over.
    await shipper.client.putEvidence({ legId: leg.legId, text: 'legwork-handoff:{}' });
    const before = await balanceOf(shipper.pubkey);
    await shareHandoff(shipper.client, shipper.signer, leg);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    // The receiver paid no fee, and got back what the leg does not cost.
    expect(await balanceOf(shipper.pubkey)).toBeGreaterThan(before);
    expect(await signedBy(agent)).toEqual(['openReputation', 'accept', 'accept', 'confirmLeg']);
  });

  test('take a parcel over by text when their wallet cannot pay a fee, and who is paid by it sends it (A-135)', async () => {
    const [first, second] = [await carrier(service.current), await courier(way('alexanderplatz', 'ostkreuz'))];
    const { parcel, shipper } = await listed({ preset: 'standard', cosignedPickup: false });
    await first.client.submitBid(bidInput(first, parcel.id, 'zoo', 'alexanderplatz', 0.1));
    await runDaemon([second]);
    const accepted = await untilPackage(service.current, parcel.id, (now) => stagesOf(now)?.[1] === 'accepted');
    // Nothing is left of its wallet but its stake, which lies in its leg.
    const poor = await createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(await readFile(second.key, 'utf8'))));
    await sendAll(poor, shipper.signer);
    const leg = { packageId: parcel.id, legId: legOf(accepted, 0).id };
    await makeMove(first.client, first.signer, { ...leg, action: 'take' });
    const signed = await until('its text is among the evidence', async () => {
      const { items } = await first.client.listEvidence({ legId: leg.legId });
      return (await readHandoffCode(items[0]?.text ?? '')) ?? false;
    });
    await submitHandoff(first.client, first.signer, signed);
    await untilPackage(service.current, parcel.id, (now) => stagesOf(now)?.[1] === 'carried');
    expect(await balanceOf(second.pubkey)).toBe(0n);
    expect(await signedBy(second)).toEqual(['openReputation', 'accept', 'handoff']);
  });

  test('claim with evidence what nobody takes, and crank what silence decided (A-36, A-37)', async () => {
    const evidence = 'Box 17 of the locker at Ostkreuz.';
    const alone = await courier({
      ...way('zoo', 'ostkreuz'),
      claim: { how: 'command', command: [process.execPath, '-e', `console.log(${JSON.stringify(evidence)})`] },
    });
    const { parcel, shipper } = await listed({ preset: 'standard', reviewSec: 600 });
    await runDaemon([alone]);
    const claimed = await untilPackage(service.current, parcel.id, (now) => stagesOf(now)?.[0] === 'claimed');
    const { items } = await shipper.client.listEvidence({ legId: legOf(claimed, 0).id });
    expect(items.map(({ text, hash }) => [text, hash])).toEqual([[evidence, legOf(claimed, 0).evidenceHash]]);
    await service.current.advanceTime(700);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  });

  test('sign nothing else about a leg until they know whether a move landed, though they are started again (A-36)', async () => {
    const agent = await courier(way('zoo', 'ostkreuz'));
    const { parcel } = await listed();
    const first = await runDaemon([agent]);
    const calls = async () => (await agent.journal()).filter(({ kind }) => kind === 'called').map(({ call }) => call);
    await expect.poll(calls, PATIENT).toContain('submitTurn');
    await first.stop();
    await runDaemon([agent]);
    await untilPackage(
      service.current,
      parcel.id,
      (now) => stagesOf(now)?.[0] === 'claimed' || stagesOf(now)?.[0] === 'carried',
    );
    expect(signedMeanwhile(await agent.journal())).toEqual([]);
  });
});
