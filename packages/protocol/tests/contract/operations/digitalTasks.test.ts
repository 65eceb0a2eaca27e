import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SOL, toLamports } from '../../../src/contract/money.js';
import { bidDigitalLeg, completeDigitalLeg } from '../../../src/contract/operations/digitalLegs.js';
import {
  buildListDigitalTaskTx,
  getDigitalTask,
  listDigitalTasks,
  submitDigitalTask,
} from '../../../src/contract/operations/digitalTasks.js';
import { isTool, type Operation, toolAnswer } from '../../../src/contract/operations/index.js';

const AGENT = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const ID = '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b31';
const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

describe('what the operations of digital tasks take', () => {
  const body = { shipperPubkey: AGENT, title: 'Notes', description: 'Read them', maxBudgetSol: 0.2 };
  const list = (change: object) => takes(buildListDigitalTaskTx.body, { ...body, ...change });

  it('[M-50] is 1 to 4 legs, or none given', () => {
    const given = (count: number) => ({ legs: Array.from({ length: count }, () => ({ instruction: 'Do it' })) });
    expect(list({})).toBe(true);
    expect([0, 1, 4, 5].map((count) => list(given(count)))).toEqual([false, true, true, false]);
    expect(list({ legs: [{ instruction: '' }] })).toBe(false);
    expect([4000, 4001].map((length) => list({ legs: [{ instruction: 'x'.repeat(length) }] }))).toEqual([true, false]);
  });

  it('[M-53] is 60 to 86,400 seconds for a leg', () => {
    expect([59, 60, 86_400, 86_401, 60.5].map((claimTimeoutSec) => list({ claimTimeoutSec }))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it('[M-8] is the wallet of the one who bids, hands in or posts: an address off the curve is none', () => {
    const offCurve = 'SysvarC1ock11111111111111111111111111111111';
    expect(list({ shipperPubkey: offCurve })).toBe(false);
    expect(takes(bidDigitalLeg.body, { agentPubkey: offCurve, bidSol: 0.1 })).toBe(false);
    expect(takes(completeDigitalLeg.body, { agentPubkey: offCurve, result: 'x' })).toBe(false);
  });

  it('[S-55] is a transaction or its signature', () => {
    const signature = '1'.repeat(64);
    expect(takes(submitDigitalTask.body, { taskId: ID, signature })).toBe(true);
    expect(takes(submitDigitalTask.body, { taskId: ID, transaction: 'AAAA' })).toBe(true);
    expect(takes(submitDigitalTask.body, { taskId: ID, signature, transaction: 'AAAA' })).toBe(false);
    expect(takes(submitDigitalTask.body, { taskId: ID })).toBe(false);
  });
});

describe('what the tools of digital tasks answer', () => {
  const answerOf = (operation: Operation): z.ZodType => {
    if (!isTool(operation)) throw new Error(`${operation.name} is no tool`);
    return toolAnswer(operation);
  };
  const at = new Date('2026-01-02T03:04:05.678Z');
  const result = '😀'.repeat(60_000);
  const leg = {
    id: ID,
    legIndex: 0,
    instruction: '😀'.repeat(2000),
    status: 'completed' as const,
    finality: 'final' as const,
    isOpen: false,
    isWorkable: true,
    agentPubkey: AGENT,
    bid: toLamports(5n),
    bidLamports: toLamports(5n),
    claimedAt: at,
    dueAt: null,
    payment: toLamports(7n),
    paymentLamports: toLamports(7n),
    completedAt: at,
    formation: null,
    stage: null,
    since: null,
    actor: null,
    until: null,
    disputerPubkey: null,
    evidenceHash: null,
    reasonHash: null,
    percent: null,
    forfeited: null,
    forfeitedLamports: null,
  };
  const onLedger = { onChainLeg: AGENT, assignSignature: 's', confirmSignature: 's' };
  const links = { onChainLeg: 'https://x.test/', assignSignature: null, confirmSignature: null };
  const task = {
    id: ID,
    status: 'in_progress' as const,
    failureReason: null,
    finality: 'final' as const,
    shipperPubkey: AGENT,
    funderPubkey: AGENT,
    title: 'Notes',
    description: 'é'.repeat(4000),
    isPlanned: true,
    numLegs: 1,
    completedLegs: 1,
    ...SOL,
    maxBudget: toLamports(7n),
    maxBudgetSol: 7e-9,
    maxBudgetLamports: toLamports(7n),
    paymentPerLeg: toLamports(7n),
    paymentPerLegSol: 7e-9,
    paymentPerLegLamports: toLamports(7n),
    claimTimeoutSec: 60,
    deadline: at,
    termsHash: 'x',
    onChainTask: AGENT,
    onChainVault: AGENT,
    listSignature: 's',
    listedAt: at,
    settleSignature: null,
    refund: null,
    refundLamports: null,
    endSignature: null,
    legs: [leg],
  };
  const detail = {
    ...task,
    legs: [
      {
        ...leg,
        hasResult: true,
        result,
        resultBytes: 240_000,
        resultHash: 'x',
        artifacts: [],
        ...onLedger,
        explorer: links,
      },
    ],
    salt: null,
    erasedAt: null,
    documentKnown: true,
    terms: null,
    requirements: null,
    resourceUri: `relay://digital-tasks/${ID}`,
    explorer: {
      onChainTask: 'https://x.test/',
      onChainVault: 'https://x.test/',
      listSignature: 'https://x.test/',
      settleSignature: null,
      endSignature: null,
    },
  };

  it('[S-56] shows the first 4,000 characters of a result; REST shows all', () => {
    const told = z.encode(answerOf(getDigitalTask), detail) as { legs: { result: string; resultBytes: number }[] };
    expect(told.legs[0]?.result).toBe(`${'😀'.repeat(1999)}…`);
    expect(told.legs[0]?.resultBytes).toBe(240_000);
    expect(z.encode(getDigitalTask.answer, detail).legs[0]?.result).toBe(result);
    const { legs: toldLegs, ...rest } = told;
    const { legs: wholeLegs, ...whole } = z.encode(getDigitalTask.answer, detail);
    expect(rest).toEqual(whole);
    expect(toldLegs).toEqual(wholeLegs.map((each) => ({ ...each, result: `${'😀'.repeat(1999)}…` })));
  });

  it('[S-56] shows a result that is not there as null', () => {
    const open = { ...detail, legs: detail.legs.map((each) => ({ ...each, result: null })) };
    expect(z.encode(answerOf(getDigitalTask), open)).toMatchObject({ legs: [{ result: null }] });
  });

  it('[S-56] shows in a list how description and instructions begin', () => {
    const tool = answerOf(listDigitalTasks);
    const told = z.encode(tool, { items: [task], nextCursor: null, total: 1 }) as {
      items: { description: string; legs: { instruction: string }[] }[];
    };
    const [first] = told.items;
    expect(first?.description).toBe(`${'é'.repeat(299)}…`);
    expect(first?.legs[0]?.instruction).toBe(`${'😀'.repeat(149)}…`);
    expect(first).not.toHaveProperty('termsHash');
    expect(first).toMatchObject({ paymentPerLegLamports: 7, deadline: at.toISOString(), numLegs: 1 });
  });
});
