import { configAddress, reputationAddress } from '@legwork/program-client';
import { listPackage, openReputation, signTransaction } from '@legwork/sdk';
import { address, generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { HistoryFollower } from '../../../src/mirror/follow.js';
import { dueForEvaluation } from '../../../src/packages/evaluationRows.js';
import { auditOf, linesOf } from '../../audit/scene.js';
import { Wallets } from '../../mirror/walletScene.js';
import { lamportsOf, spoilCourier } from '../../coordinator/scene.js';
import { bidInput, draft, formedPackage } from '../../support/market.js';
import { withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { theFirst } from '../../support/theFirst.js';
import { until } from '../../support/until.js';

const FEE = 5_000n;
const RENT_OF_REPUTATION = (52n + 128n) * 6_960n;

describe('build-open-tx', () => {
  const service = withService();
  const programAddress = () => address(service.current.server.programId);

  test('(S-71) an agent opens its own reputation; the mirror shows it, with nothing counted', async () => {
    const agent = await service.current.party();
    const before = await lamportsOf(service.current, agent.pubkey);
    expect(await agent.client.getReputation({ agentPubkey: agent.pubkey })).toMatchObject({ mirroredAt: null });

    await openReputation(agent.client, service.current.rpc, agent.signer);

    expect(await lamportsOf(service.current, agent.pubkey)).toBe(before - RENT_OF_REPUTATION - FEE);
    const shown = await until('the reputation is mirrored', async () => {
      const reputation = await agent.client.getReputation({ agentPubkey: agent.pubkey });
      return reputation.mirroredAt !== null && reputation;
    });
    expect(shown).toMatchObject({
      onChainPDA: await reputationAddress(programAddress(), agent.signer.address),
      legsAccepted: 0,
      legsCompleted: 0,
      reliabilityScore: 0,
    });
    expect(await agent.client.getAgent({ agentPubkey: agent.pubkey })).toMatchObject({ trust: { isNewcomer: true } });
  });

  test('(S-71) anybody else may pay for it, and signs alone', async () => {
    const payer = await service.current.party();
    const { address: agentPubkey } = await generateKeyPairSigner();
    const built = await payer.client.buildOpenReputationTx({ agentPubkey, payerPubkey: payer.pubkey });
    expect(built).toMatchObject({ agentPubkey, signerPubkey: payer.pubkey });
    const before = await lamportsOf(service.current, payer.pubkey);
    await openReputation(payer.client, service.current.rpc, payer.signer, agentPubkey);
    expect(await lamportsOf(service.current, payer.pubkey)).toBe(before - RENT_OF_REPUTATION - FEE);
  });

  test('(S-71) is open: the key of the agent pays where no other one is named', async () => {
    const { client } = await service.current.party(0);
    const { address: agentPubkey } = await generateKeyPairSigner();
    const { signerPubkey, transaction } = await client.buildOpenReputationTx({ agentPubkey });
    expect(signerPubkey).toBe(agentPubkey);
    const stranger = await generateKeyPairSigner();
    const expected = { programId: service.current.server.programId, name: 'openReputation' } as const;
    await expect(signTransaction(transaction, stranger, expected)).rejects.toThrow(agentPubkey);
  });

  test('(S-71) refuses an agent that has a reputation, opened or earned', async () => {
    const agent = await service.current.party();
    await openReputation(agent.client, service.current.rpc, agent.signer);
    const courier = theFirst((await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]])).couriers);
    for (const { pubkey } of [agent, courier]) {
      expect(await refusalOf(agent.client.buildOpenReputationTx({ agentPubkey: pubkey }))).toMatchObject({
        status: 409,
        code: 'invalid_status',
        fields: ['agentPubkey'],
        message: expect.stringContaining(await reputationAddress(programAddress(), address(pubkey))) as string,
      });
    }
  });

  test('(S-71) refuses keys that no agent and no payer can have', async () => {
    const { client, pubkey } = await service.current.party(0);
    const { coordinatorPubkey, programId } = service.current.server;
    const config = await configAddress(programAddress());
    for (const agentPubkey of [coordinatorPubkey, programId, config]) {
      expect(await refusalOf(client.buildOpenReputationTx({ agentPubkey }))).toMatchObject({
        status: 400,
        fields: ['agentPubkey'],
      });
    }
    const refusal = refusalOf(client.buildOpenReputationTx({ agentPubkey: pubkey, payerPubkey: coordinatorPubkey }));
    expect(await refusal).toMatchObject({ status: 400, fields: ['payerPubkey'] });
    const [payer, spoilt] = [await service.current.party(), await generateKeyPairSigner()];
    await spoilCourier(service.current, payer, spoilt);
    expect(await refusalOf(client.buildOpenReputationTx({ agentPubkey: spoilt.address }))).toMatchObject({
      status: 400,
      fields: ['agentPubkey'],
    });
  });
});

describe('a reputation that a wallet opened without a word to the service', () => {
  const service = withService();

  test.each(['up', 'down'] as const)('(S-50) is mirrored with the service %s, and the audit agrees', async (state) => {
    const payer = await service.current.party();
    const { address: agent } = await generateKeyPairSigner();
    if (state === 'down') await service.current.stop();
    await new Wallets(service.current).openReputation(payer, agent);
    if (state === 'down') await service.current.restart();
    await untilQuiet(service.current);
    const { client } = await service.current.party(0);
    expect((await client.getReputation({ agentPubkey: agent })).mirroredAt).toBeInstanceOf(Date);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });

  test('(S-71) makes packages with a live bid of the agent due for evaluation, and no others', async () => {
    const [shipper, agent, rival] = [
      await service.current.party(3),
      await service.current.party(),
      await service.current.party(),
    ];
    // Half of the way: no chain comes of it.
    const bidOn = async (party: typeof agent, id: string) =>
      party.client.submitBid(bidInput(party, id, 'zoo', 'hauptbahnhof', 0.1));
    const ids: string[] = [];
    for (const who of [agent, rival, agent]) {
      const { id } = await listPackage(shipper.client, shipper.signer, draft());
      const bid = await bidOn(who, id);
      if (ids.length === 2) await who.client.withdrawBid({ bidId: bid.id });
      ids.push(id);
    }
    const gathering = await listPackage(shipper.client, shipper.signer, draft({ biddingWindowSec: 3_600 }));
    await bidOn(agent, gathering.id);
    const context = await service.current.context();
    const due = () => dueForEvaluation(context.db, { except: [], limit: 10 });
    await until('the bids are evaluated', async () => (await due()).length === 0);
    await service.current.stop();
    try {
      await new Wallets(service.current).openReputation(rival, agent.pubkey);
      await new HistoryFollower(context, new AbortController().signal).catchUp(Date.now());
      expect(await due()).toEqual(ids.slice(0, 1));
    } finally {
      await context.db.destroy();
      await service.current.restart();
    }
  });
});
