import { ERROR_CODES } from '@legwork/protocol/contract';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { claim, handIn, refused, untilTask } from '../digitalTasks/scene.js';
import { attempt, post, postSigned, refusedWith } from '../../support/refusal.js';
import { hold, letGo } from '../../support/holdIntents.js';
import { withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { formedPackage, confirmAll } from '../../support/market.js';
import {
  claimInput,
  confirmationOf,
  doTask,
  newWalletPubkey,
  ownTask,
  payoutProof,
  REWARDS,
  sponsoredTask,
} from './scene.js';

const service = withService(REWARDS);

describe('a claim', () => {
  test('records what completed digital legs paid, by who funded them, as the preview said (M-66, M-67, S-67)', async () => {
    const [poster, other, agent] = await Promise.all([1, 1, 1].map(() => service.current.party(1)));
    if (!poster || !other || !agent) throw new Error('three parties');
    const own = await doTask(service.current, agent, await ownTask(poster, 0.02));
    await doTask(service.current, agent, await sponsoredTask(poster, 0.03));
    const last = await doTask(service.current, agent, await sponsoredTask(other, 0.05));
    const figures = {
      devnetPubkey: agent.pubkey,
      devnetEarningsLamports: 100_000_000n,
      sponsoredLamports: 80_000_000n,
      selfFundedLamports: 20_000_000n,
      legs: 3,
      posters: 2,
    };
    expect(confirmationOf(own)).not.toBe(confirmationOf(last));
    const shown = await agent.client.previewRewardClaim({ devnetPubkey: agent.pubkey });
    expect(shown).toMatchObject({ ...figures, claim: null, window: { isOpen: true } });

    const mainnetPubkey = newWalletPubkey();
    const input = claimInput(agent, { mainnetPubkey, confirmedEarningsLamports: 100_000_000 });
    const registered = await agent.client.registerRewardClaim(input);
    expect(registered).toMatchObject({
      ...figures,
      mainnetPubkey,
      mainnetProven: false,
      lastConfirmSignature: confirmationOf(last),
      paidSignature: null,
      paidAt: null,
      explorer: { paidSignature: null },
    });
    expect(await agent.client.getMyRewardClaim({ devnetPubkey: agent.pubkey })).toEqual(registered);
    expect((await agent.client.previewRewardClaim({ devnetPubkey: agent.pubkey })).claim).toEqual(registered);
  });

  test('counts no packages, no legs of others and none that is not completed (M-66)', async () => {
    const party = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    await confirmAll(service.current, party);
    const [courier] = party.couriers;
    const poster = await service.current.party(1);
    if (!courier) throw new Error('nobody carried the package');
    await claim(courier, await ownTask(poster), 0, 0.001);
    await untilQuiet(service.current);
    const { legsCompleted } = await courier.client.getReputation({ agentPubkey: courier.pubkey });
    expect(legsCompleted).toBe(1);
    const shown = await courier.client.previewRewardClaim({ devnetPubkey: courier.pubkey });
    expect(shown).toMatchObject({ devnetEarningsLamports: 0n, legs: 0, posters: 0 });
  });

  test('of nothing earned is recorded as 0 (M-67)', async () => {
    const agent = await service.current.party(0);
    const registered = await agent.client.registerRewardClaim(claimInput(agent));
    expect(registered).toMatchObject({ devnetEarningsLamports: 0n, legs: 0, posters: 0, lastConfirmSignature: null });
  });

  test('is one a key, and its payout key is never changed (M-67, S-67)', async () => {
    const agent = await service.current.party(0);
    const registered = await agent.client.registerRewardClaim(claimInput(agent, { mainnetPubkey: newWalletPubkey() }));
    const second = claimInput(agent, { mainnetPubkey: newWalletPubkey() });
    const response = await postSigned(service.current, agent, '/reward-claims', second);
    expect(response.status).toBe(409);
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    const { explorer, claimedAt, ...rest } = registered;
    expect(await response.json()).toMatchObject({
      code: 'already_claimed',
      title: ERROR_CODES.already_claimed.title,
      claim: {
        ...rest,
        devnetEarningsLamports: 0,
        sponsoredLamports: 0,
        selfFundedLamports: 0,
        claimedAt: claimedAt.toISOString(),
        explorer,
      },
    });
    await expect(agent.client.registerRewardClaim(second)).rejects.toMatchObject({ extension: { claim: registered } });
    expect(await agent.client.getMyRewardClaim({ devnetPubkey: agent.pubkey })).toEqual(registered);
  });

  test('of other earnings than confirmed is refused with the figure (M-67, S-67)', async () => {
    const [poster, agent] = [await service.current.party(1), await service.current.party(1)];
    await doTask(service.current, agent, await ownTask(poster, 0.02));
    for (const confirmedEarningsLamports of [0, 19_999_999, 20_000_001]) {
      const send = () =>
        postSigned(service.current, agent, '/reward-claims', claimInput(agent, { confirmedEarningsLamports }));
      expect(await attempt(service.current, [], send)).toEqual(
        refusedWith({
          status: 409,
          code: 'earnings_changed',
          fields: ['confirmedEarningsLamports'],
          says: /20000000 lamports/,
        }),
      );
      const body: unknown = await (await send()).json();
      expect(body).toMatchObject({ devnetEarningsLamports: 20_000_000 });
    }
    const extension = { devnetEarningsLamports: 20_000_000n };
    await expect(agent.client.registerRewardClaim(claimInput(agent))).rejects.toMatchObject({ extension });
    const right = claimInput(agent, { confirmedEarningsLamports: 20_000_000 });
    expect(await agent.client.registerRewardClaim(right)).toMatchObject({ devnetEarningsLamports: 20_000_000n });
  });

  test('waits while a result of the key waits for its payment (M-67, S-67)', async () => {
    const [poster, agent] = [await service.current.party(1), await service.current.party(1)];
    const task = await ownTask(poster, 0.02);
    await claim(agent, task, 0, 0.001);
    await untilTask(service.current, task.id, ({ legs }) => legs[0]?.status === 'in_progress');
    await untilQuiet(service.current);
    await hold(service.current, task.id, 'task');
    await handIn(agent, task, 0);
    const send = () => postSigned(service.current, agent, '/reward-claims', claimInput(agent));
    expect(await attempt(service.current, [], send)).toEqual(
      refusedWith({ status: 409, code: 'payment_under_way', fields: [] }),
    );
    await letGo(service.current, task.id);
    await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    await untilQuiet(service.current);
    const paid = claimInput(agent, { confirmedEarningsLamports: 20_000_000 });
    expect(await agent.client.registerRewardClaim(paid)).toMatchObject({ devnetEarningsLamports: 20_000_000n });
  });

  test('is read by anybody, and not there before it is registered (S-92)', async () => {
    const agent = await service.current.party(0);
    const refusal = await refused(service.current, () => agent.client.getMyRewardClaim({ devnetPubkey: agent.pubkey }));
    expect(refusal).toMatchObject({ status: 404, code: 'not_found', fields: ['devnetPubkey'] });
  });
});

describe('a claimant', () => {
  test.each(['/reward-claims', '/reward-claims/preview'])('at %s signs with the devnet key (S-67)', async (path) => {
    const [agent, other] = [await service.current.party(0), await service.current.party(0)];
    const body = path.endsWith('preview') ? { devnetPubkey: agent.pubkey } : claimInput(agent);
    expect(await attempt(service.current, [], () => post(service.current, path, body))).toEqual(
      refusedWith({ status: 401, code: 'missing_header', fields: [] }),
    );
    expect(await attempt(service.current, [], () => postSigned(service.current, other, path, body))).toEqual(
      refusedWith({ status: 403, code: 'pubkey_mismatch', fields: ['devnetPubkey'] }),
    );
    const forged = () => postSigned(service.current, agent, path, body, { signer: other.signer });
    expect(await attempt(service.current, [], forged)).toEqual(
      refusedWith({ status: 401, code: 'bad_signature', fields: [] }),
    );
  });

  test('may prove that somebody holds the payout key (S-67)', async () => {
    const [agent, payout] = [await service.current.party(0), await generateKeyPairSigner()];
    const { payoutProof: text } = await agent.client.previewRewardClaim({ devnetPubkey: agent.pubkey });
    expect(text.replace('{mainnetPubkey}', payout.address)).toBe(`svc-reward-v1\n${agent.pubkey}\n${payout.address}`);
    const mainnetSignature = await payoutProof(payout, agent.pubkey, payout.address);
    const input = claimInput(agent, { mainnetPubkey: payout.address, mainnetSignature });
    expect(await agent.client.registerRewardClaim(input)).toMatchObject({
      mainnetPubkey: payout.address,
      mainnetProven: true,
    });
  });

  test('is refused with a proof of another key, or for another key (S-67)', async () => {
    const [agent, payout, other] = [
      await service.current.party(0),
      await generateKeyPairSigner(),
      await generateKeyPairSigner(),
    ];
    const wrong = [
      await payoutProof(other, agent.pubkey, payout.address),
      await payoutProof(payout, other.address, payout.address),
      await payoutProof(payout, agent.pubkey, other.address),
    ];
    for (const mainnetSignature of wrong) {
      const body = claimInput(agent, { mainnetPubkey: payout.address, mainnetSignature });
      const send = () => postSigned(service.current, agent, '/reward-claims', body);
      expect(await attempt(service.current, [], send)).toEqual(
        refusedWith({ status: 400, code: 'invalid_input', fields: ['mainnetSignature'] }),
      );
    }
  });

  test('names a payout key that is a wallet (M-8, M-67)', async () => {
    const agent = await service.current.party(0);
    const config = '11111111111111111111111111111111';
    const send = () =>
      postSigned(service.current, agent, '/reward-claims', claimInput(agent, { mainnetPubkey: config }));
    expect(await attempt(service.current, [], send)).toEqual(
      refusedWith({ status: 400, code: 'invalid_input', fields: ['mainnetPubkey'] }),
    );
  });

  test("is refused with a payout key that is the coordinator's (M-67)", async () => {
    const agent = await service.current.party(0);
    const mainnetPubkey = service.current.server.coordinatorPubkey;
    const send = () => postSigned(service.current, agent, '/reward-claims', claimInput(agent, { mainnetPubkey }));
    expect(await attempt(service.current, [], send)).toEqual(
      refusedWith({ status: 400, code: 'invalid_input', fields: ['mainnetPubkey'], says: /this service/ }),
    );
  });
});
