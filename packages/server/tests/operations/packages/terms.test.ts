import { ensureReputation } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { bidInput, draft } from '../../support/market.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { withService } from '../../support/service.js';
import { courier, listedWithTerms, signedWith } from '../turns/scene.js';

const ARBITER = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const service = withService({ settings: () => ({ ARBITER_PUBKEY: ARBITER }) });

const build = async (changes: object) => {
  const shipper = await service.current.party();
  return shipper.client.buildListTx({ ...draft(), shipperPubkey: shipper.pubkey, ...changes });
};

describe('a listing', () => {
  test('without terms has none on the wire, and neither does a plain one (T-50)', async () => {
    for (const changes of [{}, { terms: 'plain' as const }]) {
      const shipper = await service.current.party();
      const input = { ...draft(), shipperPubkey: shipper.pubkey, ...changes };
      const { packageId, transaction } = await shipper.client.buildListTx(input);
      const signed = await signedWith(transaction, [shipper.signer]);
      expect((await shipper.client.submitPackage({ packageId, transaction: signed })).terms).toBeNull();
    }
  });

  test.each([
    ['standard', 100_000_000n, 86_400],
    ['guarded', 200_000_000n, 3 * 86_400],
  ] as const)('with %s terms names the arbiter of the service (T-50)', async (preset, stakeLamports, reviewSec) => {
    const { parcel } = await listedWithTerms(service.current, { preset, arbiterPubkey: ARBITER });
    expect(parcel.terms).toMatchObject({
      receiverPubkey: null,
      arbiterPubkey: ARBITER,
      stakeLamports,
      reviewSec,
      handoffSec: 2700,
      arbitrationSec: 3 * 86_400,
    });
    const { client } = await service.current.party(0);
    expect((await client.getConfig({})).arbiterPubkey).toBe(ARBITER);
  });

  test.each([
    [{ stakeSol: 0.001 }, 'terms.stakeSol'],
    [{ stakeSol: 0.6 }, 'terms.stakeSol'],
    [{ reviewSec: 299 }, 'terms'],
    [{ carrySec: 30 * 86_400 + 1 }, 'terms'],
    [{ arbiterPubkey: '11111111111111111111111111111111' }, 'terms.arbiterPubkey'],
    [{ receiverPubkey: '11111111111111111111111111111111' }, 'terms.receiverPubkey'],
  ])('with terms that the program would refuse, %j, is not drafted (T-3)', async (terms, field) => {
    const { code, fields } = await refusalOf(build({ terms }));
    expect([code, fields[0]?.startsWith(field)]).toEqual(['invalid_input', true]);
  });

  test('with its shipper, funder or coordinator as arbiter is not drafted (T-3)', async () => {
    const shipper = await service.current.party();
    const { coordinatorPubkey } = await shipper.client.getConfig({});
    for (const arbiterPubkey of [shipper.pubkey, coordinatorPubkey]) {
      const input = { ...draft(), shipperPubkey: shipper.pubkey, terms: { arbiterPubkey } };
      expect(await refusalOf(shipper.client.buildListTx(input))).toMatchObject({ code: 'invalid_input' });
    }
  });

  test('of the coordinator has terms as well, and the longer account counts (T-50)', async () => {
    const shipper = await service.current.party(0);
    const sponsored = await shipper.client.postSponsored({
      ...draft({ maxBudgetSol: 0.1 }),
      shipperPubkey: shipper.pubkey,
      terms: 'standard',
    });
    expect(sponsored.terms).toMatchObject({ stakeLamports: 20_000_000n });
    const row = await service.current.db
      .selectFrom('sponsorships')
      .select('lamports')
      .where('subject_id', '=', sponsored.id)
      .executeTakeFirstOrThrow();
    expect(row.lamports).toBe(100_000_000n + 2_784_000n + 890_880n + 10_000n);
  });
});

describe('a bid on a package with terms', () => {
  test('is signed, and of a key with a reputation account (T-54)', async () => {
    const { parcel } = await listedWithTerms(service.current);
    const [known, newcomer] = [await courier(service.current), await service.current.party(1)];
    const input = (agent: typeof known) => bidInput(agent, parcel.id, 'zoo', 'ostkreuz', 0.1);
    expect(await refusalOf(newcomer.client.submitBid(input(newcomer)))).toMatchObject({ code: 'requirements_not_met' });
    expect(await known.client.submitBid(input(known))).toMatchObject({ packageId: parcel.id });
  });

  test('of a wallet that cannot pay the stake is taken with a warning that says how much it needs, and until when (S-167)', async () => {
    const [poor, rich] = await Promise.all([courier(service.current), service.current.party(3)]);
    await ensureReputation(rich.client, service.current.rpc, rich.signer);
    const { parcel } = await listedWithTerms(
      service.current,
      { stakeSol: 1, arbiterPubkey: ARBITER },
      { maxBudgetSol: 2 },
    );
    const bid = (agent: typeof poor) => agent.client.submitBid(bidInput(agent, parcel.id, 'zoo', 'hauptbahnhof', 0.1));
    expect((await bid(poor)).warning).toMatch(
      /has 0\.99\d* SOL.* stakes 1 SOL .* within 2700 seconds .* have 1\.00089\d* SOL/,
    );
    expect((await bid(rich)).warning).toBeNull();
  });

  test('is not of its shipper, whom no account would help (T-54)', async () => {
    const { parcel, shipper } = await listedWithTerms(service.current, { arbiterPubkey: ARBITER });
    const bid = bidInput(shipper, parcel.id, 'zoo', 'ostkreuz', 0.1);
    expect(await refusalOf(shipper.client.submitBid(bid))).toMatchObject({
      code: 'self_dealing',
      fields: ['agentPubkey'],
    });
    const opening = ensureReputation(shipper.client, service.current.rpc, shipper.signer, parcel);
    await expect(opening).rejects.toThrow('would be opened for nothing');
    expect((await shipper.client.getReputation({ agentPubkey: shipper.pubkey })).mirroredAt).toBeNull();
  });

  test('is not of its arbiter or receiver, who would judge themselves (T-29)', async () => {
    const [judge, consignee] = await Promise.all([courier(service.current), courier(service.current)]);
    const { parcel } = await listedWithTerms(service.current, {
      arbiterPubkey: judge.pubkey,
      receiverPubkey: consignee.pubkey,
    });
    for (const one of [judge, consignee]) {
      const bid = one.client.submitBid(bidInput(one, parcel.id, 'zoo', 'ostkreuz', 0.1));
      expect(await refusalOf(bid)).toMatchObject({ code: 'self_dealing' });
    }
  });
});

describe('requirements', () => {
  test('are part of what the shipper signs, shown, and refuse who misses them (T-53)', async () => {
    const required = { minCompleted: 3, blocked: [ARBITER] };
    const [plain, strict] = await Promise.all([build({}), build({ requirements: required })]);
    expect(plain.termsHash).not.toBe(strict.termsHash);
    const { parcel } = await listedWithTerms(service.current, {}, { requirements: required });
    expect(parcel.requirements).toEqual(required);
    const one = await courier(service.current);
    const refused = await refusalOf(one.client.submitBid(bidInput(one, parcel.id, 'zoo', 'ostkreuz', 0.1)));
    expect(refused).toMatchObject({ code: 'requirements_not_met' });
    expect(refused.message).toMatch(/completed 0 legs; at least 3/);
  });

  test('that require nothing are refused (T-53)', async () => {
    expect(await refusalOf(build({ requirements: {} }))).toMatchObject({ code: 'invalid_input' });
  });
});
