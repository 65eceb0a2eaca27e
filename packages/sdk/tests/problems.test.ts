import { describe, expect, test } from 'vitest';
import { createLegworkClient, LegworkApiError } from '../src/index.js';
import { type Answer, startOutsideService } from './support/outsideService.js';

const AGENT = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const claim = {
  id: '01900000-0000-7000-8000-000000000001',
  devnetPubkey: AGENT,
  mainnetPubkey: AGENT,
  mainnetProven: false,
  devnetEarningsLamports: 70_000_000,
  sponsoredLamports: 20_000_000,
  selfFundedLamports: 50_000_000,
  legs: 2,
  posters: 2,
  lastConfirmSignature: null,
  claimedAt: '2026-05-11T00:00:00.000Z',
  paidSignature: null,
  paidAt: null,
  explorer: { paidSignature: null },
};

function problem(code: unknown, more: object = {}): Answer {
  const told = { type: 'about:blank', title: 'A title', status: 409, detail: 'What was wrong.', code, errors: [] };
  return { status: 409, headers: { 'content-type': 'application/problem+json' }, json: { ...told, ...more } };
}

/** The error that a call throws on this answer. */
async function refusedWith(answer: Answer): Promise<LegworkApiError> {
  const service = await startOutsideService(() => answer);
  const error: unknown = await createLegworkClient({ url: service.url })
    .registerAgent({ agentPubkey: AGENT })
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof LegworkApiError)) throw new Error(`no refusal but ${String(error)}`);
  return error;
}

describe('a refusal', () => {
  test('carries the claim that there is, as an answer would (S-67)', async () => {
    const { extension } = await refusedWith(problem('already_claimed', { claim }));
    expect(extension).toEqual({
      claim: {
        ...claim,
        devnetEarningsLamports: 70_000_000n,
        sponsoredLamports: 20_000_000n,
        selfFundedLamports: 50_000_000n,
        claimedAt: new Date(claim.claimedAt),
      },
    });
  });

  test('carries the figure that is right, in lamports (S-67)', async () => {
    const { extension } = await refusedWith(problem('earnings_changed', { devnetEarningsLamports: 5 }));
    expect(extension).toEqual({ devnetEarningsLamports: 5n });
  });

  test('carries nothing more where nothing more was told', async () => {
    expect((await refusedWith(problem('not_found'))).extension).toEqual({});
  });
});

describe('a refusal of a service newer than the SDK', () => {
  test('keeps its code, its sentence, its fields and whatever else it tells (S-91)', async () => {
    const errors = [{ field: 'costSol', message: 'is too round' }];
    const error = await refusedWith(problem('too_round', { errors, hint: 'Add a lamport.', limits: [1] }));
    expect(error).toMatchObject({ code: 'too_round', status: 409, detail: 'What was wrong.', errors });
    expect(error.problem).toMatchObject({ title: 'A title', hint: 'Add a lamport.', limits: [1] });
    expect(error.message).toBe('What was wrong. (409 too_round)');
  });

  test('may tell more of what is known, which is given, and the document has the rest', async () => {
    const { extension, problem: told } = await refusedWith(
      problem('already_claimed', { claim: { ...claim, rank: 3 } }),
    );
    expect(extension.claim).toMatchObject({ devnetPubkey: AGENT });
    expect(extension.claim).not.toHaveProperty('rank');
    expect(told['claim']).toEqual({ ...claim, rank: 3 });
  });

  test('may have members of another form: each that can be read is', async () => {
    const more = { claim: 'none', devnetEarningsLamports: 5, errors: ['costSol', { field: 'a', message: 'b', c: 1 }] };
    const error = await refusedWith(problem('earnings_changed', more));
    expect(error).toMatchObject({ code: 'earnings_changed', extension: { devnetEarningsLamports: 5n } });
    expect(error.extension).not.toHaveProperty('claim');
    expect(error.errors).toEqual([{ field: 'a', message: 'b', c: 1 }]);
  });
});

test.each([
  ['a code that is no text', problem(500)],
  ['no code', problem(undefined)],
  ['no sentence', problem('not_found', { detail: null })],
  ['a list', { status: 409, json: [] }],
  ['nothing', { status: 409, text: '' }],
])('what has %s is no problem document', async (_what, answer) => {
  const error = await refusedWith(answer);
  expect(error).toMatchObject({ code: 'unreadable_problem', status: 409, problem: {}, extension: {} });
});
