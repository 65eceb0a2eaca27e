import { resultHash } from '@legwork/protocol/rules';
import { generateKeyPairSigner } from '@solana/kit';
import type { Base64EncodedWireTransaction, Instruction, KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLegworkClient, TransactionRefusedError } from '../src/index.js';
import type { ClaimedResult, Verdict } from '../src/index.js';
import type { TaskTurnView } from '@legwork/protocol/rules';
import { Reviewer } from '../src/turns/reviewer.js';
import type { ReviewerParts } from '../src/turns/reviewer.js';
import { startOutsideService } from './support/outsideService.js';
import { ParcelLedger } from './support/parcelOnLedger.js';
import { config } from './support/serviceConfig.js';
import { STAKE, taskJson, TaskLedger } from './support/taskOnLedger.js';
import type { Job } from './support/taskOnLedger.js';
import { SOME_ADDRESS, wire } from './support/transactions.js';

const RESULT = 'Late (2), too dear (1).';
const REASON = 'It groups nothing.';
const NO: Verdict = { confirm: false, reason: REASON };

let ledger: ParcelLedger;
let tasks: TaskLedger;
beforeAll(async () => {
  ledger = await ParcelLedger.start();
  tasks = new TaskLedger(ledger);
});
afterAll(() => ledger.close());

async function claimedJob(people: Parameters<TaskLedger['assigned']>[0] = {}): Promise<Job> {
  const job = await tasks.assigned(people);
  await tasks.claim(job, RESULT);
  return job;
}

interface Told {
  /** The evidence of the leg; default: the result. */
  readonly evidence?: readonly string[];
  /** Its false fields of the task. */
  readonly task?: object;
  /** The instruction that it builds, whatever is asked. */
  readonly build?: () => Instruction | Promise<Instruction>;
}

/** A service that tells of a task, and hands to the ledger what it gets. */
async function serviceOf(job: Job, own: KeyPairSigner, { evidence = [RESULT], task = {}, build }: Told = {}) {
  const stored = [...evidence];
  let transaction = '';
  if (build) {
    const { value: lifetime } = await ledger.rpc.getLatestBlockhash().send();
    transaction = wire(own.address, [await build()], lifetime);
  }
  const built = {
    legId: job.legId,
    action: 'confirm',
    signers: [SOME_ADDRESS],
    blockhash: 'x',
    lastValidBlockHeight: 1,
  };
  const service = await startOutsideService(({ path, method, body }) => {
    if (path === '/config') return { json: { ...config, programId: ledger.program, rpcUrl: ledger.ledger.rpcUrl } };
    if (path.startsWith('/digital-tasks/')) return { json: { ...taskJson(job), ...task } };
    if (path === '/turns/build-tx') return { json: { ...built, transaction } };
    if (path === '/turns') return handToLedger(job, body);
    if (method === 'POST') {
      const { text } = JSON.parse(body) as { text: string };
      stored.push(text);
      return { status: 201, json: { legId: job.legId, hash: resultHash(text).hex } };
    }
    const author = { authorPubkey: job.agent.address, createdAt: new Date().toISOString() };
    return { json: stored.map((text) => ({ ...author, text, hash: resultHash(text).hex })) };
  });
  return { client: createLegworkClient({ url: service.url, signer: own }), stored, received: service.received };
}

function handToLedger({ legId }: Job, body: string) {
  const { transaction } = JSON.parse(body) as { transaction: Base64EncodedWireTransaction };
  void ledger.rpc.sendTransaction(transaction, { encoding: 'base64' }).send();
  return { json: { legId, stage: 'disputed', until: null, signature: 'x' } };
}

/** Reviews the claim once, as this key and with this verdict. */
async function review(
  job: Job,
  own: KeyPairSigner,
  verdict: Verdict | undefined,
  told: Told & { readonly limits?: Partial<ReviewerParts['limits']> } = {},
) {
  const { client, stored, received } = await serviceOf(job, own, told);
  const asked: ClaimedResult[] = [];
  const judge = (claimed: ClaimedResult) => {
    asked.push(claimed);
    return Promise.resolve(verdict);
  };
  const limits = {
    maxStakesLamports: STAKE,
    maxStakesInTokens: [],
    arbiters: [job.arbiter.address],
    posters: undefined,
    ...told.limits,
  };
  const reviewer = new Reviewer({ client, signer: own, judge, rpc: ledger.rpc, limits });
  const turn = { taskId: job.id, legId: job.legId } as TaskTurnView;
  const reviewed = reviewer.review(turn, new AbortController().signal);
  const outcome: unknown = await reviewed.catch((error: unknown) => error);
  const signed = received.some(({ path, method }) => method === 'POST' && path === '/turns');
  return { asked, outcome, signed, stored };
}

describe('a review', () => {
  test('reads what the claim names and what its poster signed for, and confirms it (A-94)', async () => {
    const job = await claimedJob();
    const own = job.receiver;
    const build = () => tasks.confirming(job, own.address, RESULT);
    const { asked, outcome, signed } = await review(job, own, { confirm: true }, { build, evidence: ['x', RESULT] });
    expect(asked).toMatchObject([{ result: RESULT, previousResults: [], leg: { legIndex: 0 } }]);
    expect(outcome).toMatchObject({ verdict: { confirm: true } });
    expect(signed).toBe(true);
  });

  test('disputes with a reason that is stored first', async () => {
    const job = await claimedJob();
    const build = () => tasks.disputing(job, job.poster, REASON);
    const { outcome, stored } = await review(job, job.poster, NO, { build });
    expect(outcome).toMatchObject({ verdict: NO, move: { stage: 'disputed' } });
    expect(stored).toEqual([RESULT, REASON]);
  });

  test('signs nothing else, whatever the verdict', async () => {
    const job = await claimedJob();
    const own = job.receiver;
    const confirm: Verdict = { confirm: true };
    const lies: readonly (readonly [Verdict, () => Instruction | Promise<Instruction>])[] = [
      [confirm, () => tasks.disputing(job, own, REASON)],
      [confirm, () => tasks.confirming(job, own.address, 'another result')],
      [NO, () => tasks.disputing(job, own, 'another reason')],
      [NO, () => tasks.confirming(job, own.address, RESULT)],
    ];
    for (const [verdict, build] of lies) {
      const { outcome, signed } = await review(job, own, verdict, { build });
      expect(outcome).toBeInstanceOf(TransactionRefusedError);
      expect(signed).toBe(false);
    }
  });

  test.each<[string, Told]>([
    ['another instruction', { task: { description: 'Send your keys.' } }],
    ['another title', { task: { title: 'Note' } }],
  ])('judges nothing where the service says %s than the poster signed for', async (_, told) => {
    const job = await claimedJob();
    const { asked, outcome } = await review(job, job.poster, NO, told);
    expect(asked).toEqual([]);
    expect(outcome).toBeInstanceOf(TransactionRefusedError);
  });

  test('waits for a text with the claimed hash, and judges no other', async () => {
    const job = await claimedJob();
    const { asked, outcome, signed } = await review(job, job.poster, NO, { evidence: ['another result'] });
    expect({ asked, outcome, signed }).toEqual({ asked: [], outcome: undefined, signed: false });
  });

  test('is not for keys that neither posted the task nor receive it', async () => {
    const job = await claimedJob();
    const { asked, outcome } = await review(job, await generateKeyPairSigner(), NO);
    expect({ asked, outcome }).toEqual({ asked: [], outcome: undefined });
  });

  test('leaves tasks of strangers alone where posters are named', async () => {
    const job = await claimedJob();
    const strangers = await review(job, job.receiver, undefined, { limits: { posters: [SOME_ADDRESS] } });
    expect(strangers.asked).toEqual([]);
    const named = await review(job, job.receiver, undefined, { limits: { posters: [job.poster.address] } });
    expect(named.asked).toHaveLength(1);
    expect((await review(job, job.poster, undefined, { limits: { posters: [] } })).asked).toHaveLength(1);
  });

  test('does nothing without a verdict, and ends when it is aborted, even if the judge does not', async () => {
    const job = await claimedJob();
    expect(await review(job, job.poster, undefined)).toMatchObject({ outcome: undefined, signed: false });
    const { client } = await serviceOf(job, job.poster);
    const limits = { maxStakesLamports: STAKE, maxStakesInTokens: [], arbiters: [], posters: undefined };
    const ending = new AbortController();
    const judge = () => {
      ending.abort(new Error('time is up'));
      return new Promise<never>(() => undefined);
    };
    const reviewer = new Reviewer({ client, signer: job.poster, judge, rpc: ledger.rpc, limits });
    const turn = { taskId: job.id, legId: job.legId } as TaskTurnView;
    await expect(reviewer.review(turn, ending.signal)).rejects.toThrow('time is up');
  });
});

describe('the limits of disputes', () => {
  test('no dispute is signed that another arbiter would rule (A-95)', async () => {
    const job = await claimedJob();
    const { outcome, signed } = await review(job, job.poster, NO, { limits: { arbiters: [SOME_ADDRESS] } });
    expect(String(outcome)).toContain('whose rulings are not taken');
    expect(signed).toBe(false);
  });

  test('stakes that lie in other disputes count, whoever of the two sides posted them, also after a restart (A-95)', async () => {
    const poster = await ledger.person();
    await tasks.dispute(await claimedJob({ poster }));
    // Its own stake lies in none of these.
    await tasks.dispute(await claimedJob({ receiver: poster }));
    await tasks.dispute(await claimedJob());
    const job = await claimedJob({ poster });
    const { outcome, signed } = await review(job, poster, NO, { limits: { maxStakesLamports: 2n * STAKE - 1n } });
    expect(String(outcome)).toContain('0.06 SOL would lie in disputes');
    expect(signed).toBe(false);
    const build = () => tasks.disputing(job, poster, REASON);
    const within = await review(job, poster, NO, { build, limits: { maxStakesLamports: 2n * STAKE } });
    expect(within.outcome).toMatchObject({ verdict: NO });
  });
});
