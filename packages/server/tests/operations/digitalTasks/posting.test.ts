import { createUuid } from '@legwork/protocol/contract';
import { taskTermsHash } from '@legwork/protocol/rules';
import { getListTaskInstruction } from '@legwork/program-client';
import { signDigitalTask } from '@legwork/sdk';
import { address } from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { lamportsOf } from '../../coordinator/scene.js';
import { post } from '../../support/refusal.js';
import { type Party, withService } from '../../support/service.js';
import { relayInstruction, signed } from '../../support/transactions.js';
import { claim, goal, handIn, legs, postedTask, refused, untilTask } from './scene.js';
import { onceFinal } from '../../support/onceFinal.js';
import { listDigitalTask } from '../../support/listed.js';

const service = withService();
let poster: Party;

beforeAll(async () => {
  poster = await service.current.party(3);
});

const build = (changes: Parameters<typeof goal>[0] = {}) =>
  poster.client.buildListDigitalTaskTx({ ...goal(changes), shipperPubkey: poster.pubkey });

describe('the listing of a goal', () => {
  test('is built with its legs, what each pays and the terms that are signed (M-50, M-52, S-55)', async () => {
    const built = await build();
    expect(built).toMatchObject({
      paymentPerLegLamports: 50_000_000n,
      legs: [
        { legIndex: 0, instruction: 'Group it by topic.' },
        { legIndex: 1, instruction: 'Sum each group up.' },
      ],
    });
    const { accounts, data } = relayInstruction(service.current, built.transaction, 'listTask');
    expect(data).toMatchObject({ numLegs: 2, maxBudget: 100_000_001n });
    expect(accounts.task.address).toBe(built.onChainTask);
    expect(Buffer.from(data.termsHash).toString('hex')).toBe(built.termsHash);
    // A draft is no task yet.
    expect(await refused(service.current, () => poster.client.getDigitalTask({ taskId: built.taskId }))).toMatchObject({
      status: 404,
      fields: ['taskId'],
    });
  });

  test('is planned where the legs are left out, the same way for the same goal, and says so (M-51)', async () => {
    const { legs: _, ...unplanned } = goal({ description: '1. Group it by topic.\n2. Sum each group up.' });
    const [one, other] = [
      await listDigitalTask(poster.client, poster.signer, unplanned),
      await listDigitalTask(poster.client, poster.signer, unplanned),
    ];
    const instructions = one.legs.map(({ instruction }) => instruction);
    expect(instructions).toHaveLength(2);
    expect(other.legs.map(({ instruction }) => instruction)).toEqual(instructions);
    expect([one.isPlanned, one.numLegs]).toEqual([true, 2]);
    const { title, description } = unplanned;
    expect(one.termsHash).toBe(taskTermsHash({ title, description, instructions, salt: one.salt }).hex);
  });

  test('has 72 hours and half an hour a leg unless it says otherwise (M-53)', async () => {
    const { task } = await postedTask(service.current);
    expect(task.claimTimeoutSec).toBe(1_800);
    const hours = (task.deadline.getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(71.9);
    expect(hours).toBeLessThanOrEqual(72);
  });

  test.for([
    ['a share that an empty wallet could not receive (M-52)', { maxBudgetSol: 0.001781759 }, 422, 'maxBudgetSol'],
    ['five legs (M-50)', { legs: legs(5) }, 400, 'legs'],
    ['no legs (M-50)', { legs: [] }, 400, 'legs'],
    ['a leg without an instruction (M-50)', { legs: [{ instruction: '' }] }, 400, 'legs.0.instruction'],
    ['a leg with a blank instruction (M-50)', { legs: [{ instruction: ' \n' }] }, 400, 'legs.0.instruction'],
    ['a blank description (M-50)', { description: ' \t' }, 400, 'description'],
    ['a blank title (M-50)', { title: '  ' }, 400, 'title'],
    ['less than a minute a leg (M-53)', { claimTimeoutSec: 59 }, 400, 'claimTimeoutSec'],
    ['more than a day a leg (M-53)', { claimTimeoutSec: 86_401 }, 400, 'claimTimeoutSec'],
    ['a default deadline too near for its legs (M-53)', { legs: legs(4), claimTimeoutSec: 86_400 }, 400, 'deadline'],
  ] as const)('is refused for %s, and changes nothing', async ([, changes, status, field]) => {
    const asked = { ...goal(), ...changes, shipperPubkey: poster.pubkey };
    const call = () => poster.client.buildListDigitalTaskTx({ ...asked, legs: asked.legs && [...asked.legs] });
    expect(await refused(service.current, call)).toMatchObject({ status, fields: [field] });
  });

  test('is refused a second before the nearest deadline, and taken at it (M-53)', async () => {
    const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
    // Two legs of 60 seconds and 10 minutes.
    const asked = { claimTimeoutSec: 60, deadline: inSeconds(719) };
    const refusal = await refused(service.current, () => build(asked));
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_input', fields: ['deadline'] });
    expect(refusal.message).toContain('720 seconds');
    const nearest = /from (\S+) on/.exec(refusal.message)?.[1] ?? '';
    await expect(
      build({ ...asked, deadline: new Date(Date.parse(nearest) + 20_000).toISOString() }),
    ).resolves.toMatchObject({ paymentPerLegLamports: 50_000_000n });
  });

  test('with a share of exactly what an empty wallet can receive is taken (M-52)', async () => {
    expect((await build({ maxBudgetSol: 0.00178176 })).paymentPerLegLamports).toBe(890_880n);
  });

  test('for the coordinator is refused (M-8)', async () => {
    const shipperPubkey = service.current.server.coordinatorPubkey;
    const call = () => poster.client.buildListDigitalTaskTx({ ...goal(), shipperPubkey });
    expect(await refused(service.current, call)).toMatchObject({ status: 400, fields: ['shipperPubkey'] });
  });
});

describe('a signed listing', () => {
  test('submitted again is answered as it is (S-55)', async () => {
    const { taskId, transaction } = await signDigitalTask(poster.client, poster.signer, goal());
    const first = await poster.client.submitDigitalTask({ taskId, transaction });
    for (const proof of [{ transaction }, { signature: first.listSignature }]) {
      const again = await poster.client.submitDigitalTask({ taskId, ...proof });
      expect(onceFinal(again)).toEqual(onceFinal(first));
    }
  });

  test('of another draft, or with another number of legs, is refused (S-54, S-55)', async () => {
    const [one, other] = [
      await signDigitalTask(poster.client, poster.signer, goal()),
      await signDigitalTask(poster.client, poster.signer, goal()),
    ];
    const expected = { status: 422, code: 'wrong_transaction', fields: ['transaction'] };
    const mixed = { taskId: one.taskId, transaction: other.transaction };
    expect(await refused(service.current, () => poster.client.submitDigitalTask(mixed))).toMatchObject(expected);

    const { accounts, data } = relayInstruction(service.current, one.transaction, 'listTask');
    const changed = getListTaskInstruction(
      {
        funder: poster.signer,
        poster: poster.signer,
        config: accounts.config.address,
        task: accounts.task.address,
        vault: accounts.vault.address,
        ...data,
        numLegs: 3,
      },
      { programAddress: address(service.current.server.programId) },
    );
    const transaction = await signed(service.current, [poster.signer], [changed]);
    const call = () => poster.client.submitDigitalTask({ taskId: one.taskId, transaction });
    const refusal = await refused(service.current, call);
    expect(refusal).toMatchObject(expected);
    expect(refusal.message).toContain('number of legs is 3 instead of 2');
  });

  test('of no draft is refused', async () => {
    const call = () => poster.client.submitDigitalTask({ taskId: createUuid(), signature: '1'.repeat(64) });
    expect(await refused(service.current, call)).toMatchObject({ status: 404, fields: ['taskId'] });
  });
});

describe('a task that the coordinator funds', () => {
  const postTask = async (body: object, headers: Record<string, string> = {}) => {
    const response = await post(service.current, '/digital-tasks/sponsored', body, headers);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test('is listed with its money, worked on as any other, and what is left is the coordinator’s (M-46, M-47, S-55)', async () => {
    const { pubkey, client } = await service.current.party(0);
    const { coordinatorPubkey } = service.current.server;
    const { status, body } = await postTask({ ...goal({ legs: legs(1) }), shipperPubkey: pubkey });
    expect([status, body]).toMatchObject([
      201,
      { status: 'listed', shipperPubkey: pubkey, funderPubkey: coordinatorPubkey, maxBudgetLamports: 100_000_001 },
    ]);
    const task = await client.getDigitalTask({ taskId: String(body['id']) });
    expect(await lamportsOf(service.current, task.onChainVault)).toBeGreaterThan(100_000_000n);
    const agent = await service.current.party(1);
    await claim(agent, task, 0);
    await handIn(agent, task, 0);
    expect(await untilTask(service.current, task.id, (now) => now.status === 'completed')).toMatchObject({
      refundLamports: 0n,
      legs: [{ paymentLamports: 100_000_001n }],
    });
  });

  test('is the same one when the request is repeated with its Idempotency-Key (M-48)', async () => {
    const { pubkey } = await service.current.party(0);
    const asked = { ...goal(), shipperPubkey: pubkey };
    const headers = { 'idempotency-key': `task of ${pubkey}` };
    const answers = [await postTask(asked, headers), await postTask(asked, headers)];
    expect(answers[1]).toEqual(answers[0]);
    const rows = await service.current.db
      .selectFrom('digital_tasks')
      .select('request_key')
      .where('shipper_pubkey', '=', pubkey)
      .execute();
    expect(rows).toEqual([{ request_key: expect.stringMatching(/./) as string }]);
  });

  test('because the ledger refuses its listing leaves neither draft nor legs, and names the way without a sponsor (M-47)', async () => {
    const { pubkey } = await service.current.party(0);
    // Far enough by the clock of the service; by that of the ledger less than 10 minutes.
    const deadline = new Date(Date.now() + 700_000).toISOString();
    await service.current.advanceTime(120);
    const asked = { ...goal({ claimTimeoutSec: 60, legs: legs(1), deadline }), shipperPubkey: pubkey };
    const { status, body } = await postTask(asked);
    expect([status, body]).toMatchObject([422, { code: 'transaction_failed', errors: [{ field: 'deadline' }] }]);
    expect(body['detail']).toContain('POST /digital-tasks/build-tx');
    const left = await service.current.db
      .selectFrom('digital_tasks')
      .select('id')
      .where('shipper_pubkey', '=', pubkey)
      .execute();
    expect(left).toEqual([]);
  });
});
