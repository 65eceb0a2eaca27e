import { resultHash } from '@legwork/protocol/rules';
import { address, getBase64Decoder, getBase64Encoder } from '@solana/kit';
import type { Address, Instruction } from '@solana/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  buildMove,
  completeDigitalLeg,
  createLegworkClient,
  readRelayTransaction,
  TransactionRefusedError,
} from '../src/index.js';
import type { Move, LegworkClient } from '../src/index.js';
import { decodeWire } from '../src/transactions/readTransaction.js';
import { requireMove } from '../src/turns/buildMove.js';
import { expectedMove } from '../src/turns/expectedMoves.js';
import { startOutsideService } from './support/outsideService.js';
import { ParcelLedger } from './support/parcelOnLedger.js';
import { config } from './support/serviceConfig.js';
import { taskJson, TaskLedger } from './support/taskOnLedger.js';
import type { Job } from './support/taskOnLedger.js';
import { computeUnitLimit, SOME_ADDRESS, wire } from './support/transactions.js';

const RESULT = 'Late (2), too dear (1).';
const HASH = resultHash(RESULT).hex;
const REASON = 'no';
const INCINERATOR = address('1nc1nerator11111111111111111111111111111111');

let ledger: ParcelLedger;
let tasks: TaskLedger;
let pending: Job;
let accepted: Job;
let claimed: Job;
let disputed: Job;

beforeAll(async () => {
  ledger = await ParcelLedger.start();
  tasks = new TaskLedger(ledger);
  pending = await tasks.assigned();
  accepted = await tasks.assigned();
  claimed = await tasks.assigned();
  disputed = await tasks.assigned();
  await tasks.accept(accepted);
  await tasks.claim(claimed, RESULT);
  await tasks.claim(disputed, RESULT);
  await tasks.dispute(disputed);
});

afterAll(() => ledger.close());

/** A service that tells of the task what is true, but for `changes`, and builds this transaction whatever was asked. */
async function serviceOf(job: Job, transaction: string, changes: object = {}): Promise<LegworkClient> {
  const built = {
    legId: job.legId,
    action: 'accept',
    signers: [SOME_ADDRESS],
    blockhash: 'x',
    lastValidBlockHeight: 1,
  };
  const service = await startOutsideService(({ path }) => {
    if (path === '/config') return { json: { ...config, programId: ledger.program, rpcUrl: ledger.ledger.rpcUrl } };
    if (path.endsWith('/complete')) return { json: handedIn(job, transaction) };
    if (path.startsWith('/digital-tasks/')) return { json: { ...taskJson(job), ...changes } };
    return { json: { ...built, transaction } };
  });
  return createLegworkClient({ url: service.url, signer: job.agent });
}

function handedIn(job: Job, claimTransaction: string) {
  const said = { taskId: job.id, legId: job.legId, legIndex: 0, status: 'in_progress', taskStatus: 'in_progress' };
  const unpaid = { paymentLamports: null, finality: 'confirmed', confirmSignature: null, nextLeg: null };
  const result = { resultBytes: 1, resultHash: HASH, explorer: { confirmSignature: null } };
  return { ...said, ...unpaid, ...result, stage: 'accepted', claimTransaction };
}

const moveOf = (job: Job, action: Move['action'], details: Partial<Move> = {}): Move => ({
  legId: job.legId,
  taskId: job.id,
  action,
  ...details,
});

type Honest = readonly [Move, Address, Job, Instruction];

async function honestMoves(): Promise<readonly Honest[]> {
  const poster = claimed.poster.address;
  const arbiter = disputed.arbiter.address;
  const agreed = { percent: 80, agreed: true };
  const fee = claimed.arbiter.address;
  return [
    [moveOf(pending, 'accept'), pending.agent.address, pending, tasks.accepting(pending)],
    [moveOf(accepted, 'vacate'), accepted.agent.address, accepted, tasks.vacating(accepted)],
    [moveOf(accepted, 'claim', { hash: HASH }), accepted.agent.address, accepted, tasks.claiming(accepted, RESULT)],
    [moveOf(claimed, 'confirm'), poster, claimed, await tasks.confirming(claimed, poster, RESULT)],
    [moveOf(claimed, 'crank'), SOME_ADDRESS, claimed, await tasks.confirming(claimed, SOME_ADDRESS, RESULT)],
    [
      moveOf(claimed, 'dispute', { hash: resultHash(REASON).hex }),
      claimed.receiver.address,
      claimed,
      tasks.disputing(claimed, claimed.receiver, REASON),
    ],
    [moveOf(claimed, 'agree', { percent: 80 }), poster, claimed, tasks.ruling(claimed, poster, fee, agreed)],
    [moveOf(disputed, 'rule', { percent: 30 }), arbiter, disputed, tasks.ruling(disputed, arbiter, arbiter)],
    [
      moveOf(disputed, 'crank'),
      SOME_ADDRESS,
      disputed,
      tasks.ruling(disputed, SOME_ADDRESS, INCINERATOR, { percent: 50 }),
    ],
  ];
}

describe('a move of a leg of a task that the service builds', () => {
  test('is taken when it is the one that was asked for, and refused when it is any other', async () => {
    const honest = await honestMoves();
    for (const [move, mover, job, own] of honest) {
      const client = await serviceOf(job, wire(mover, [computeUnitLimit(50_000), own]));
      const { leg, signers } = await buildMove(client, mover, move);
      const { forms } = expectedMove(leg, mover, move);
      for (const [other, , , instruction] of honest) {
        if (instruction === own) continue;
        const taking = () => requireMove(wire(mover, [instruction]), leg, { forms, signers });
        expect(taking, `${other.action} for ${move.action}`).toThrow(TransactionRefusedError);
      }
    }
  });

  test.each<[string, () => readonly [Job, Move, Address, Instruction], RegExp]>([
    [
      'for another agent of the leg',
      () => [pending, moveOf(pending, 'accept'), pending.agent.address, tasks.accepting(pending, { formation: 2 })],
      /another accept/,
    ],
    [
      'of another task',
      () => [pending, moveOf(pending, 'accept'), pending.agent.address, tasks.accepting(accepted)],
      /another accept/,
    ],
    [
      'that picks something up',
      () => [pending, moveOf(pending, 'take'), pending.agent.address, tasks.accepting(pending)],
      /nothing of a task is picked up/,
    ],
    [
      'that confirms another result than was read',
      () => {
        const poster = claimed.poster.address;
        const meant = moveOf(claimed, 'confirm', { claimedHash: resultHash('another').hex });
        return [claimed, meant, poster, tasks.vacating(claimed, poster)];
      },
      /claims/,
    ],
    [
      'that disputes another result than was read',
      () => {
        const meant = { hash: resultHash(REASON).hex, claimedHash: resultHash('another').hex };
        const disputing = tasks.disputing(claimed, claimed.poster, REASON);
        return [claimed, moveOf(claimed, 'dispute', meant), claimed.poster.address, disputing];
      },
      /claims/,
    ],
  ])('is refused %s', async (_, lie, message) => {
    const [job, move, mover, instruction] = lie();
    const building = buildMove(await serviceOf(job, wire(mover, [instruction])), mover, move);
    await expect(building).rejects.toThrow(message);
    await expect(building).rejects.toThrow(TransactionRefusedError);
  });

  test.each<[string, () => object, RegExp]>([
    ['no terms', () => ({ terms: null }), /terms of digital task/],
    ['another poster', () => ({ shipperPubkey: SOME_ADDRESS }), /has no leg 1/],
    ['another task', () => ({ id: accepted.id }), /answers with task/],
    ['another leg', () => ({ legs: [] }), /has no leg/],
  ])('is not asked for where the service says what the ledger does not: %s', async (_, changes, message) => {
    const { address: agent } = pending.agent;
    const client = await serviceOf(pending, wire(agent, [tasks.accepting(pending)]), changes());
    await expect(buildMove(client, agent, moveOf(pending, 'accept'))).rejects.toThrow(message);
  });

  test.each<[string, () => readonly [Job, Move, Address, Instruction]]>([
    [
      'claim',
      () => [
        accepted,
        moveOf(accepted, 'claim', { hash: HASH }),
        accepted.agent.address,
        tasks.claiming(accepted, RESULT),
      ],
    ],
    [
      'dispute',
      () => {
        const meant = moveOf(claimed, 'dispute', { hash: resultHash(REASON).hex, claimedHash: HASH });
        return [claimed, meant, claimed.receiver.address, tasks.disputing(claimed, claimed.receiver, REASON)];
      },
    ],
  ])('with any byte changed is refused, or still this %s', async (_, asked) => {
    const [job, move, mover, instruction] = asked();
    const honest = wire(mover, [computeUnitLimit(50_000), instruction]);
    const { leg, signers } = await buildMove(await serviceOf(job, honest), mover, move);
    const { forms } = expectedMove(leg, mover, move);
    const bytes = getBase64Encoder().encode(honest);
    const anyChange = fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(anyChange, ([at, difference]) => {
        const changed = Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ difference : byte));
        const base64 = getBase64Decoder().decode(changed);
        try {
          requireMove(base64, leg, { forms, signers });
        } catch (error) {
          // Bytes that are no transaction at all are refused by its decoder.
          return error instanceof Error;
        }
        const { encoded, feePayer } = readRelayTransaction(decodeWire(base64), ledger.program);
        const [form] = forms;
        const places = ({ accounts = [] }: Instruction) => accounts.map(({ address: one }) => one);
        expect([feePayer, places(encoded), encoded.data]).toEqual([mover, form && places(form), form?.data]);
        return true;
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each<[string, () => Job]>([
  ['nobody has accepted', () => pending],
  ['nobody has claimed', () => accepted],
])(
  'no confirmation of a leg that %s is signed, which could pay for whatever is claimed later (A-105)',
  async (_, job) => {
    const { poster } = job();
    const client = await serviceOf(job(), wire(poster.address, [await tasks.confirming(job(), poster.address)]));
    const building = buildMove(client, poster.address, moveOf(job(), 'confirm'));
    await expect(building).rejects.toThrow('the ledger takes none of this leg as it stands now');
  },
);

describe('handing in a result', () => {
  test('signs no claim but that of exactly this result and leg', async () => {
    const lies = [
      tasks.claiming(accepted, 'another result'),
      tasks.claiming(pending, RESULT),
      tasks.vacating(accepted),
      tasks.accepting(accepted),
    ];
    for (const lie of lies) {
      const client = await serviceOf(accepted, wire(accepted.agent.address, [lie]));
      const handing = completeDigitalLeg(client, accepted.agent, {
        taskId: accepted.id,
        legId: accepted.legId,
        result: RESULT,
      });
      await expect(handing).rejects.toThrow(TransactionRefusedError);
    }
  });

  test('is not done where the service claims nothing, and the ledger waits for the claim (A-107)', async () => {
    const taskId = accepted.id;
    for (const changes of [{}, { terms: null }]) {
      const service = await startOutsideService(({ path }) => {
        if (path === '/config') return { json: { ...config, programId: ledger.program, rpcUrl: ledger.ledger.rpcUrl } };
        if (path.endsWith('/complete')) return { json: { ...handedIn(accepted, ''), claimTransaction: null } };
        return { json: { ...taskJson(accepted), ...changes } };
      });
      const client = createLegworkClient({ url: service.url, signer: accepted.agent });
      const handing = completeDigitalLeg(client, accepted.agent, { taskId, legId: accepted.legId, result: RESULT });
      await expect(handing).rejects.toThrow(/on the ledger, and none by the service|is not claimed: claim it/);
    }
  });

  test('lands the claim, and believes no word of the service about it', async () => {
    const job = await tasks.assigned();
    await tasks.accept(job);
    const { value: lifetime } = await ledger.rpc.getLatestBlockhash().send();
    const claim = wire(job.agent.address, [tasks.claiming(job, RESULT)], lifetime);
    const service = await startOutsideService(({ path, body, method }) => {
      if (path === '/config') return { json: { ...config, programId: ledger.program, rpcUrl: ledger.ledger.rpcUrl } };
      if (path.endsWith('/complete')) return { json: handedIn(job, claim) };
      if (path.startsWith('/digital-tasks/')) return { json: taskJson(job) };
      const sent = (JSON.parse(body) as { transaction: Parameters<typeof ledger.rpc.sendTransaction>[0] }).transaction;
      void ledger.rpc.sendTransaction(sent, { encoding: 'base64' }).send();
      return { json: { legId: job.legId, stage: 'claimed', until: null, signature: method } };
    });
    const client = createLegworkClient({ url: service.url, signer: job.agent });
    const handed = await completeDigitalLeg(client, job.agent, { taskId: job.id, legId: job.legId, result: RESULT });
    expect(handed).toMatchObject({ stage: 'claimed', claim: { stage: 'claimed' } });
  });
});
