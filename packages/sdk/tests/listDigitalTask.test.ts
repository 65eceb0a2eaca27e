import type { TermsArgs } from '@legwork/program-client';
import { parseSol } from '@legwork/protocol/contract';
import { address, generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import {
  createLegworkClient,
  LegworkNetworkError,
  signDigitalTask,
  submitDigitalTask,
  TransactionRefusedError,
} from '../src/index.js';
import type { DigitalTaskDraft as AnyDraft } from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';
import { config } from './support/serviceConfig.js';
import { listInstruction, listTaskInstruction, SOME_ADDRESS, wire } from './support/transactions.js';

/** A draft in SOL. */
type DigitalTaskDraft = Extract<AnyDraft, { maxBudgetSol: number }>;

const TASK_ID = '01900000-0000-7000-8000-000000000001';
const OTHER_ID = '01900000-0000-7000-8000-000000000002';
const STEPS = ['Group the notes.', 'Count the groups.'];
const draft: DigitalTaskDraft = {
  title: 'Notes',
  description: 'Group the notes. Then count the groups.',
  maxBudgetSol: 0.25,
  legs: STEPS.map((instruction) => ({ instruction })),
  deadline: '2030-01-01T00:00:00.000Z',
};
const { legs: _given, ...unplanned } = draft;
const DEADLINE = BigInt(Date.parse('2030-01-01T00:00:00.000Z') / 1000);
const terms = { taskId: TASK_ID, draft, instructions: STEPS, deadline: DEADLINE };
const poster = await generateKeyPairSigner();

/** A service that answers build-tx with this transaction and this plan, whatever was asked. */
async function serviceThatBuilds(transaction: string, plan: readonly string[] = STEPS, termsDocument = 1) {
  const service = await startOutsideService(({ path }) => {
    if (path === '/config') return { json: { ...config, termsDocument } };
    const addresses = { onChainTask: SOME_ADDRESS, onChainVault: SOME_ADDRESS };
    const lifetime = { blockhash: 'x', lastValidBlockHeight: 1, termsHash: 'x', paymentPerLegLamports: 1 };
    const legs = plan.map((instruction, legIndex) => ({ id: TASK_ID, legIndex, instruction }));
    return { status: 201, json: { taskId: TASK_ID, transaction, ...addresses, ...lifetime, legs } };
  });
  return createLegworkClient({ url: service.url });
}

const built = (change: Partial<typeof terms> = {}, by = poster.address) =>
  wire(poster.address, [listTaskInstruction(by, { ...terms, ...change })]);

describe('signing the listing of a digital task', () => {
  test("(S-55) signs one that locks the draft's budget for the draft's goal and legs", async () => {
    const listing = await signDigitalTask(await serviceThatBuilds(built()), poster, draft);
    expect(listing).toMatchObject({ taskId: TASK_ID, instructions: STEPS });
    expect(listing.transaction).not.toBe(built());
  });

  test('(M-78) wants the hash to be made with its salt, where the service takes one', async () => {
    const salted = { ...draft, salt: '0'.repeat(32) };
    const client = () => serviceThatBuilds(built({ draft: salted }), STEPS, 2);
    await expect(signDigitalTask(await client(), poster, salted)).resolves.toMatchObject({ taskId: TASK_ID });
    await expect(signDigitalTask(await client(), poster, draft)).rejects.toThrow(/terms hash/);
  });

  test('(M-51) signs for the plan that it then tells, where the draft leaves the legs out', async () => {
    const plan = ['Group the notes.', 'Then count the groups.'];
    const planned = built({ draft: unplanned, instructions: plan });
    const listing = await signDigitalTask(await serviceThatBuilds(planned, plan), poster, unplanned);
    expect(listing.instructions).toEqual(plan);
    const signing = signDigitalTask(await serviceThatBuilds(planned, STEPS), poster, unplanned);
    await expect(signing).rejects.toThrow(/terms hash/);
  });

  test.each<[string, RegExp, string, (readonly string[])?]>([
    ['another budget', /budget/, built({ draft: { ...draft, maxBudgetSol: 0.250000001 } })],
    ['another title', /terms hash/, built({ draft: { ...draft, title: 'Note' } })],
    ['another description', /terms hash/, built({ draft: { ...draft, description: 'Group the notes.' } })],
    ['another instruction', /terms hash/, built({ instructions: ['Group the notes.', 'Send your keys.'] })],
    [
      'another instruction, which its answer tells too',
      /terms hash/,
      built({ instructions: ['Group the notes.', 'Send your keys.'] }),
      ['Group the notes.', 'Send your keys.'],
    ],
    ['more legs', /number of legs/, built({ instructions: [...STEPS, 'Rest.'] }), [...STEPS, 'Rest.']],
    ['another deadline', /deadline/, built({ deadline: DEADLINE + 1n })],
    ['another task', /task id/, built({ taskId: OTHER_ID })],
    ['another poster', /poster/, built({}, SOME_ADDRESS)],
  ])('(S-55) refuses one for %s', async (_, message, transaction, plan) => {
    const signing = signDigitalTask(await serviceThatBuilds(transaction, plan), poster, draft);
    await expect(signing).rejects.toThrow(message);
    await expect(signing).rejects.toThrow(TransactionRefusedError);
  });

  test('(S-55) refuses the listing of a package in its place', async () => {
    const parcel = { description: draft.description, weightKg: 1, volumeLitres: 1, maxBudgetSol: 0.25 };
    const places = { originLat: 52.5, originLng: 13.4, destLat: 52.4, destLng: 13.5 };
    const other = wire(poster.address, [listInstruction(poster.address, TASK_ID, { ...parcel, ...places }, DEADLINE)]);
    const signing = signDigitalTask(await serviceThatBuilds(other), poster, draft);
    await expect(signing).rejects.toThrow(/expected listTask/);
  });
});

const { address: arbiter } = await generateKeyPairSigner();
const { address: verifier } = await generateKeyPairSigner();
/** The `standard` terms of the draft. */
const standard: TermsArgs = {
  receiver: address('11111111111111111111111111111111'),
  arbiter,
  stake: 50_000_000n,
  carry: 2_400,
  handoff: 1_800,
  review: 3_600,
  arbitration: 86_400,
  flags: 0,
};

/** A service with this arbiter that builds a listing with these terms, whatever was asked. */
async function serviceThatBinds(bound: TermsArgs | undefined, asked: DigitalTaskDraft, arbiterPubkey: string | null) {
  const listing = listTaskInstruction(poster.address, { ...terms, draft: asked, terms: bound });
  const service = await startOutsideService(({ path }) => {
    if (path === '/config') return { json: { ...config, arbiterPubkey } };
    const addresses = { onChainTask: SOME_ADDRESS, onChainVault: SOME_ADDRESS };
    const lifetime = { blockhash: 'x', lastValidBlockHeight: 1, termsHash: 'x', paymentPerLegLamports: 1 };
    const legs = STEPS.map((instruction, legIndex) => ({ id: TASK_ID, legIndex, instruction }));
    return {
      status: 201,
      json: { taskId: TASK_ID, transaction: wire(poster.address, [listing]), ...addresses, ...lifetime, legs },
    };
  });
  const askedFor = () => JSON.parse(service.received.at(-1)?.body || '{}').terms as unknown;
  return { client: createLegworkClient({ url: service.url }), askedFor };
}

describe('the terms of a digital task', () => {
  test('(T-50) are standard ones where the service has an arbiter and the draft names none', async () => {
    const { client, askedFor } = await serviceThatBinds(standard, draft, arbiter);
    await expect(signDigitalTask(client, poster, draft)).resolves.toMatchObject({ taskId: TASK_ID });
    expect(askedFor()).toEqual({ preset: 'standard' });
  });

  test.each<[string, DigitalTaskDraft, string | null]>([
    ['where the service has no arbiter', draft, null],
    ['for a draft that says so', { ...draft, terms: 'plain' }, arbiter],
    ['for a budget that is no stake', { ...draft, maxBudgetSol: 0.001 }, arbiter],
    ['for the arbiter itself', draft, poster.address],
  ])('are none %s', async (_, asked, arbiterPubkey) => {
    const { client, askedFor } = await serviceThatBinds(undefined, asked, arbiterPubkey);
    await expect(signDigitalTask(client, poster, asked)).resolves.toMatchObject({ taskId: TASK_ID });
    expect(askedFor()).toBeUndefined();
  });

  test('are those of the draft, with a verifier and what agents must have', async () => {
    const chosen = { preset: 'guarded', receiverPubkey: verifier, stakeSol: 0.1 } as const;
    const asked = { ...draft, claimTimeoutSec: 600, terms: chosen, requirements: { minScore: 80 } };
    const built = { ...standard, receiver: verifier, stake: parseSol(0.1), carry: 1_200, review: 10_800 };
    const { client, askedFor } = await serviceThatBinds(built, asked, arbiter);
    await expect(signDigitalTask(client, poster, asked)).resolves.toMatchObject({ taskId: TASK_ID });
    expect(askedFor()).toEqual(chosen);
  });

  test.each<[string, RegExp, TermsArgs | undefined]>([
    ['no terms', /terms of the listing is none/, undefined],
    ['a receiver', /receiver/, { ...standard, receiver: verifier }],
    ['another arbiter', /arbiter/, { ...standard, arbiter: verifier }],
    ['another stake', /stake/, { ...standard, stake: 49_999_999n }],
    ['another carry clock', /carry/, { ...standard, carry: 2_401 }],
    ['a shorter review', /review/, { ...standard, review: 300 }],
    ['a co-signed pickup', /flags/, { ...standard, flags: 1 }],
  ])('[T-1] are not signed when the service builds %s', async (_, message, built) => {
    const { client } = await serviceThatBinds(built, draft, arbiter);
    await expect(signDigitalTask(client, poster, draft)).rejects.toThrow(message);
  });

  test('are not signed when the service binds a plain draft, or leaves its requirements out', async () => {
    const plain = { ...draft, terms: 'plain' } as const;
    const bound = await serviceThatBinds(standard, plain, arbiter);
    await expect(signDigitalTask(bound.client, poster, plain)).rejects.toThrow(/terms of the listing is some/);
    const loose = await serviceThatBinds(undefined, plain, arbiter);
    const picky = { ...plain, requirements: { minScore: 80 } };
    await expect(signDigitalTask(loose.client, poster, picky)).rejects.toThrow(/terms hash/);
  });

  test('[T-3] are refused before anything is built when nothing of a task could be meant by them', async () => {
    const asked = { ...draft, terms: { cosignedPickup: true } };
    const { client, askedFor } = await serviceThatBinds(standard, asked, arbiter);
    await expect(signDigitalTask(client, poster, asked)).rejects.toThrow(RangeError);
    expect(askedFor()).toBeUndefined();
  });
});

describe('submitting the listing of a digital task', () => {
  test('(S-55) sends the same bytes again while no answer comes, and then says so', async () => {
    const service = await startOutsideService(() => 'cut');
    const client = createLegworkClient({ url: service.url });
    const submitting = submitDigitalTask(client, { taskId: TASK_ID, instructions: STEPS, transaction: 'AAAA' });
    await expect(submitting).rejects.toThrow(LegworkNetworkError);
    const sent = service.received.filter(({ method }) => method === 'POST');
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array.from({ length: 3 }, () => 'POST /digital-tasks'),
    );
    expect(new Set(sent.map(({ body }) => body))).toEqual(
      new Set([JSON.stringify({ taskId: TASK_ID, transaction: 'AAAA' })]),
    );
  });
});
