import {
  decodeLeg,
  ED25519_PROGRAM_ADDRESS,
  type Handoff,
  handoffText,
  INSTRUCTIONS_SYSVAR_ADDRESS,
  LegStatus,
  bySignedText,
} from '@legwork/program-client';
import { AccountRole, address, getAddressEncoder, type Instruction, type KeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, inject, test as plainTest } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME, OTHER_ADDRESSES } from './harness/backend.js';
import { play } from './harness/conservation.js';
import { DEADLINE, must, NOW, SOL, type Delivery } from './harness/delivery.js';
import { FORMER_AT_ONCE, relayOf, upgrade, CURRENT } from './harness/former.js';
import type { Job } from './harness/job.js';
import { stagedJob } from './harness/jobStages.js';
import type { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { games } from './harness/replica/attempts.js';
import { Replica } from './harness/replica/replica.js';
import { staged } from './harness/stages.js';
import { steps } from './harness/steps.js';
import { withData } from './harness/tamper.js';
import { COSIGNED, EVIDENCE_HASH } from './harness/terms.js';
import { handoffOf, saidByText, signText } from './harness/texts.js';
import { BUDGET, transactionBytes } from './harness/transactionBytes.js';
import { twins } from './harness/twinLedger.js';

const PAYMENTS = [SOL / 2n, SOL / 4n];
/** The most that a text costs more than a signature. */
const MORE = 2_500;
const noted = new Uint8Array(32).fill(0xa7);

/** A package on its way, and its first handoff as the next courier signs it. */
interface Scene {
  readonly relay: Relay;
  readonly delivery: Delivery;
  readonly receiver: KeyPairSigner;
  readonly confirm: Instruction;
  readonly handoff: Handoff;
}

async function scene(relay: Relay): Promise<Scene> {
  const delivery = await relay.inTransit(PAYMENTS);
  const [receiver, confirm] = [await relay.courier(1), await relay.handoff(delivery, 0, PAYMENTS.length)];
  return { relay, delivery, receiver, confirm, handoff: await handoffOf(relay, delivery, { said: 'taken over' }) };
}

const errorOf = async ({ relay }: Scene, ...instructions: Instruction[]) =>
  (await relay.ledger.send(...instructions)).error;

async function byText({ receiver, confirm, handoff }: Scene, text = handoffText(handoff), signer = receiver) {
  const [proof, told] = bySignedText(confirm, await signText(signer, text));
  return { proof, told, data: Uint8Array.from(proof.data ?? []) };
}

/** The poster confirms what the agent of the first leg claimed. */
async function byPoster(relay: Relay, job: Job): Promise<Instruction> {
  const { address: agent } = await relay.courier(0);
  return relay.tasks.confirm(job, 0, agent, EVIDENCE_HASH, job.poster);
}

/** Nothing of it counts: the handoff goes on as it should. */
async function requireStillOpen(it: Scene): Promise<void> {
  const { proof, told } = await byText(it);
  expect(await errorOf(it, proof, told)).toBeUndefined();
}

describe('a handoff by a signed text', () => {
  test('[P-104] pays what a signature pays, whoever sends it, for packages, pickups and tasks', async ({ relay }) => {
    const it = await scene(relay);
    const { proof, told } = await byText(it);
    const [courier, before] = [
      (await relay.courier(0)).address,
      await relay.lamports((await relay.courier(0)).address),
    ];
    must(await relay.ledger.send(proof, told));
    expect((await relay.lamports(courier)) - before).toBe(PAYMENTS[0]);
    expect(decodeLeg(await relay.encoded(await relay.leg(it.delivery, 0))).data.status).toBe(LegStatus.Completed);

    const last = await relay.handoff(it.delivery, 1, 2);
    must(await relay.ledger.send(...(await saidByText(relay, last))));
    const pickedUp = await relay.moves.pending(await relay.moves.listed(2, { flags: COSIGNED }));
    const take = await relay.moves.accept(pickedUp, { take: true, lister: pickedUp.shipper });
    const [, taken] = [
      must(await relay.ledger.send(...(await saidByText(relay, take)))),
      await saidByText(relay, take),
    ];
    expect(taken).toHaveLength(2);
    expect(decodeLeg(await relay.encoded(await relay.leg(pickedUp, 0))).data.status).toBe(LegStatus.Carried);
    const job = await stagedJob(relay, 'claimed');
    const accepted = await saidByText(relay, await byPoster(relay, job));
    expect(accepted).toHaveLength(2);
    must(await relay.ledger.send(...accepted));
  });

  test('[P-104] may note what is wrong with the parcel', async ({ relay }) => {
    const it = await scene(relay);
    const { proof, told } = await byText(it, handoffText({ ...it.handoff, said: 'taken over', noted }));
    expect(await errorOf(it, proof, told)).toBeUndefined();
  });

  test('[P-104] is refused where a transaction would be: by somebody else, a second time, out of order', async ({
    relay,
  }) => {
    const it = await scene(relay);
    const { shipper } = it.delivery;
    const others = await relay.confirm(it.delivery, {
      index: 0,
      courier: (await relay.courier(0)).address,
      recipient: shipper,
      next: 1,
    });
    const [proof, told] = bySignedText(others, await signText(shipper, handoffText(it.handoff)));
    expect(await errorOf(it, proof, told)).toBe('UnauthorizedRecipient');
    const second = await relay.handoff(it.delivery, 1, 2);
    expect(await errorOf(it, ...(await saidByText(relay, second)))).toBe('LegOutOfOrder');
    await requireStillOpen(it);
    const again = await byText(it);
    expect(await errorOf(it, again.proof, again.told)).toBe('LegOutOfOrder');
  });

  test.skipIf(CANNOT_SET_TIME)('[P-104] that lands after the deadline takes nothing over', async ({ relay }) => {
    const delivery = await staged(relay, 'carried');
    const late = await saidByText(relay, await relay.moves.handoff(delivery));
    await relay.ledger.setClock(DEADLINE);
    expect((await relay.ledger.send(...late)).error).toBe('DeadlinePassed');
  });
});

describe('the form of the proof', () => {
  /** Each hole of the technique: what stands in the Ed25519 instruction otherwise, little-endian words of its header by place. */
  const HEADERS: readonly [string, Record<number, number>][] = [
    ['no signature', { 0: 0 }],
    ['two signatures', { 0: 2 }],
    ['a byte of padding', { 0: 0x0101 }],
    ['the signature of another instruction', { 2: 0 }],
    ['the key of another instruction', { 4: 0 }],
    ['the text of another instruction', { 7: 0 }],
    ['all three of another instruction', { 2: 0, 4: 0, 7: 0 }],
    ['all three of this instruction by its own number', { 2: 1, 4: 1, 7: 1 }],
    ['a text that begins later', { 5: 113, 6: 100 }],
    ['a text that ends earlier', { 6: 100 }],
    ['a text longer than its instruction', { 6: 1_000 }],
    ['a key that begins later', { 3: 17 }],
    ['a signature that begins later', { 1: 49 }],
  ];

  test('[P-105] has one form: offsets that point elsewhere verify other bytes than are read', async ({ relay }) => {
    const it = await scene(relay);
    const { proof, told, data } = await byText(it);
    for (const [hole, words] of HEADERS) {
      const bytes = Uint8Array.from(data);
      for (const [place, word] of Object.entries(words))
        new DataView(bytes.buffer).setUint16(2 * Number(place), word, true);
      // The valid one stands first, so that offsets into instruction 0 find what they say.
      const error = await errorOf(it, proof, withData(proof, bytes), told);
      expect([hole, error]).toEqual([
        hole,
        expect.stringMatching(/MalformedProof|error|Precompile|InvalidDataOffsets|InvalidSignature/u),
      ]);
    }
    await requireStillOpen(it);
  });

  test('[P-105] has nothing behind or before the text, and the lengths of Ed25519', async ({ relay }) => {
    const it = await scene(relay);
    const { proof, told, data } = await byText(it);
    const long = Uint8Array.of(...data, 0);
    const shorter = [data.slice(0, 112), data.slice(0, 111), data.slice(0, 2), new Uint8Array(0)];
    for (const bytes of [long, ...shorter]) {
      expect(await errorOf(it, withData(proof, bytes), told)).toBeDefined();
    }
    await requireStillOpen(it);
  });

  test('[P-105] stands just before, of the runtime, by this key', async ({ relay }) => {
    const it = await scene(relay);
    const { proof, told } = await byText(it);
    const other = { programAddress: address('11111111111111111111111111111111'), data: new Uint8Array([0]) };
    const nothing: Instruction = {
      programAddress: address('ComputeBudget111111111111111111111111111111'),
      data: Uint8Array.of(2, 0, 0, 4, 0),
    };
    const anotherKey = await byText(it, handoffText(it.handoff), await relay.person('stranger'));
    expect(await errorOf(it, told)).toBe('MissingSignature');
    expect(await errorOf(it, told, proof)).toBe('MissingSignature');
    expect(await errorOf(it, proof, nothing, told)).toBe('MissingSignature');
    expect(await errorOf(it, nothing, told)).toBe('MissingSignature');
    expect(await errorOf(it, anotherKey.proof, told)).toBe('MissingSignature');
    expect(await errorOf(it, { ...proof, programAddress: other.programAddress }, told)).toBeDefined();
    await requireStillOpen(it);
  });

  test('[P-105] is not shown by anything but the instructions sysvar, in the last place', async ({ relay }) => {
    const it = await scene(relay);
    const { proof, told } = await byText(it);
    const accounts = told.accounts ?? [];
    const stranger = { address: (await relay.person('stranger')).address, role: AccountRole.READONLY };
    expect(await errorOf(it, proof, { ...told, accounts: [...accounts.slice(0, -1), stranger] })).toBe(
      'MissingSignature',
    );
    expect(await errorOf(it, proof, { ...told, accounts: [...accounts, stranger] })).toBe('MissingSignature');
    expect(await errorOf(it, proof, { ...told, accounts: accounts.slice(0, -1) })).toBe('MissingSignature');
    await requireStillOpen(it);
  });

  test.skipIf(CANNOT_FORGE)('[P-105] is not shown by an account with the bytes of a sysvar', async ({ relay }) => {
    const it = await scene(relay);
    const { proof, told, data } = await byText(it);
    const forged = (await relay.person('forged sysvar')).address;
    // One instruction before the current one: as the runtime lays them out.
    const body = Uint8Array.of(
      0,
      0,
      ...getAddressEncoder().encode(ED25519_PROGRAM_ADDRESS),
      data.length % 256,
      data.length >> 8,
      ...data,
    );
    const bytes = Uint8Array.of(1, 0, 4, 0, ...body, 1, 0);
    const owner = address('Sysvar1111111111111111111111111111111111111');
    await relay.ledger.forge(forged, { lamports: SOL, owner, data: bytes, executable: false });
    const accounts = (told.accounts ?? []).map((account) =>
      account.address === INSTRUCTIONS_SYSVAR_ADDRESS ? { ...account, address: forged } : account,
    );
    expect(await errorOf(it, proof, { ...told, accounts })).toBe('MissingSignature');
    await requireStillOpen(it);
  });
});

describe('the words of the text', () => {
  test('[P-106] are about this handoff, line by line', async ({ relay }) => {
    const it = await scene(relay);
    const { handoff } = it;
    const other = await relay.inTransit(PAYMENTS, await relay.listed(2));
    const changes: Partial<Handoff>[] = [
      { listing: other.package },
      { legIndex: 1 },
      { formation: 2 },
      { formation: 0 },
      { formation: 65_535 },
      { said: 'received' },
      { said: 'picked up' },
      { nonce: new Uint8Array(8).fill(1) },
      { nonce: new Uint8Array(8) },
    ];
    const text = handoffText(handoff);
    const lines = text.split('\n');
    const texts = [
      ...changes.map((change) => handoffText({ ...handoff, ...change } as Handoff)),
      handoffText({ ...handoff, said: 'accepted', resultHash: noted }),
      `${text}\n`,
      ` ${text}`,
      `${text}\u0000`,
      text.slice(0, -1),
      text.replace('handoff 1', 'handoff 2'),
      text.replace('leg 1', 'leg 01'),
      text.replace('formation 1', 'formation 01'),
      text.replace('as described', 'as Described'),
      text.replace('as described', ''),
      text.replace('as described', `noted ${'A7'.repeat(32)}`),
      text.replace('as described', `noted ${'a7'.repeat(31)}`),
      text.replace('as described', `noted ${'a7'.repeat(32)}\nas described`),
      text.replaceAll('\n', '\r\n'),
      lines.toReversed().join('\n'),
      lines.slice(0, -1).join('\n'),
      // A wallet's prefix before a text, and the handoff of a sidewise key.
      `\u00ffsolana offchain${text}`,
      `\u0018Ethereum Signed Message:\n${text.length}${text}`,
      '',
      '\n',
      `${text}${'x'.repeat(400)}`,
    ];
    for (const said of texts) {
      const { proof, told } = await byText(it, said);
      const error = await errorOf(it, proof, told);
      expect([said, error]).toEqual([said, said === '' ? 'MalformedProof' : 'HandoffMismatch']);
    }
    await requireStillOpen(it);
  });

  test('[P-106] have a time that exists, not more than 15 minutes ahead', async ({ relay }) => {
    const it = await scene(relay);
    const text = handoffText(it.handoff);
    const at = (time: string) => text.replace(/20.*Z/u, time);
    const wrong = [
      '2026-02-29T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01 00:00:00Z',
      '1999-01-01T00:00:00Z',
      '2026-01-01T00:00:00+',
    ];
    for (const time of wrong) {
      const { proof, told } = await byText(it, at(time));
      expect([time, await errorOf(it, proof, told)]).toEqual([time, 'HandoffMismatch']);
    }
    const ahead = (seconds: number) => `${new Date((Number(NOW) + seconds) * 1_000).toISOString().slice(0, 19)}Z`;
    const { proof, told } = await byText(it, at(CANNOT_SET_TIME ? ahead(7_200) : ahead(901)));
    expect(await errorOf(it, proof, told)).toBe('HandoffInFuture');
    if (CANNOT_SET_TIME) return;
    const justAhead = await byText(it, at(ahead(900)));
    expect(await errorOf(it, justAhead.proof, justAhead.told)).toBeUndefined();
  });

  test("[P-106] name the result that a task's agent claimed, and the pickup of no other courier", async ({ relay }) => {
    const job = await stagedJob(relay, 'claimed');
    const accept = await byPoster(relay, job);
    const where = await handoffOf(relay, job);
    for (const handoff of [where, { ...where, said: 'accepted' as const, resultHash: noted }]) {
      const sent = bySignedText(accept, await signText(job.poster, handoffText(handoff)));
      expect((await relay.ledger.send(...sent)).error).toBe('HandoffMismatch');
    }
    const delivery = await relay.moves.pending(await relay.moves.listed(1, { flags: COSIGNED }));
    const take = await relay.moves.accept(delivery, { take: true, lister: delivery.shipper });
    for (const said of ['received', 'taken over'] as const) {
      const text = handoffText(await handoffOf(relay, delivery, { said }));
      const sent = bySignedText(take, await signText(delivery.shipper, text));
      expect((await relay.ledger.send(...sent)).error).toBe('HandoffMismatch');
    }
    const formerly = handoffText(await handoffOf(relay, delivery, { said: 'picked up', formation: 2 }));
    const sent = bySignedText(take, await signText(delivery.shipper, formerly));
    expect((await relay.ledger.send(...sent)).error).toBe('HandoffMismatch');
  });

  test('[P-107] do not stand in for the coordinator, who confirms tasks without terms', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    const confirm = await relay.tasks.confirm(job, 0, await relay.tasks.agent(0));
    const text = handoffText({ ...(await handoffOf(relay, job)), said: 'accepted', resultHash: EVIDENCE_HASH });
    const sent = bySignedText(confirm, await signText(relay.coordinator, text));
    expect((await relay.ledger.send(...sent)).error).toBe('MissingSignature');
  });
});

test.skipIf(CANNOT_FORGE)(
  '[P-103] what was listed before there were nonces is handed over by signature only',
  async () => {
    const relay = await relayOf(FORMER_AT_ONCE);
    const it = await scene(relay);
    expect(it.handoff.nonce).toEqual(new Uint8Array(8));
    await upgrade(relay, CURRENT);
    const { proof, told } = await byText(it);
    expect(await errorOf(it, proof, told)).toBe('HandoffMismatch');
    expect(await errorOf(it, it.confirm)).toBeUndefined();
  },
);

test.skipIf(OTHER_ADDRESSES)(
  `[P-104] a text costs at most ${MORE} compute units more than a signature`,
  async ({ relay }) => {
    const table: Record<string, number> = {};
    const compare = async (
      name: string,
      prepare: (number: number) => Promise<Instruction>,
      numbers: readonly [number, number],
    ) => {
      const [signed, said] = [await prepare(numbers[0]), await saidByText(relay, await prepare(numbers[1]))];
      table[name] = must(await relay.ledger.send(...said)).units - must(await relay.ledger.send(signed)).units;
    };
    await compare(
      'takeover, plain',
      async (n) => relay.handoff(await relay.inTransit(PAYMENTS, await relay.listed(n)), 0, 2),
      [1, 2],
    );
    await compare(
      'final, plain',
      async (n) => relay.handoff(await relay.inTransit([SOL], await relay.listed(n)), 0, 1),
      [3, 4],
    );
    await compare('takeover', async (n) => relay.moves.handoff(await staged(relay, 'carried', { number: n })), [5, 6]);
    await compare(
      'pickup',
      async (number) => {
        const delivery = await staged(relay, 'accepted', { number, changes: { flags: COSIGNED } });
        return relay.moves.accept(delivery, { take: true, lister: delivery.shipper });
      },
      [7, 8],
    );
    await compare(
      'task',
      async (number) => {
        const job = await stagedJob(relay, 'claimed', { number });
        return byPoster(relay, job);
      },
      [9, 10],
    );
    process.stdout.write(`more compute units by a text: ${JSON.stringify(table)}\n`);
    expect(Object.entries(table).filter(([, units]) => units > MORE)).toEqual([]);
  },
);

test('[P-104] the longest of each kind fits one transaction with two compute-budget instructions', async ({
  relay,
}) => {
  const [taken, picked] = [
    await staged(relay, 'carried'),
    await staged(relay, 'accepted', { number: 2, changes: { flags: COSIGNED } }),
  ];
  const job = await stagedJob(relay, 'claimed');
  const signature = new Uint8Array(64);
  const payer = (await relay.person('stranger')).address;
  const sizeOf = (instruction: Instruction, { address: signer }: KeyPairSigner, handoff: Handoff) => {
    const told = bySignedText(instruction, { signer, signature, text: handoffText(handoff) });
    return transactionBytes(payer, 0, [...BUDGET, ...told]);
  };
  const where = { ...(await handoffOf(relay, taken)), formation: 65_535, noted };
  const take = await relay.moves.accept(picked, { take: true, lister: picked.shipper });
  const sizes = {
    takeover: sizeOf(await relay.moves.handoff(taken), await relay.courier(1), { ...where, said: 'taken over' }),
    pickup: sizeOf(take, picked.shipper, { ...where, said: 'picked up' }),
    task: sizeOf(await byPoster(relay, job), job.poster, { ...where, said: 'accepted', resultHash: noted }),
  };
  process.stdout.write(`bytes of a transaction by text: ${JSON.stringify(sizes)}\n`);
  expect(Object.values(sizes).filter((size) => size > 1_232)).toEqual([]);
});

test.skipIf(CANNOT_SET_TIME)(
  '[P-103] a listing notes a part of the latest slot hash, each slot another one',
  async ({ relay }) => {
    const slotHashes = address('SysvarS1otHashes111111111111111111111111111');
    const latest = async () => (await relay.state(slotHashes)).data.slice(16, 24);
    const nonces = [await handoffOf(relay, await relay.listed(1)), await handoffOf(relay, await relay.tasks.listed(1))];
    for (const { nonce } of nonces) expect(nonce).toEqual(await latest());
    await relay.change(slotHashes, (data) => data.with(16, (data[16] ?? 0) ^ 0xff));
    expect((await handoffOf(relay, await relay.listed(2))).nonce).toEqual(await latest());
  },
);

describe.skipIf(CANNOT_SET_TIME)('random people who hand over by text on a second ledger', () => {
  const RUNS = inject('lane') === 'slow' ? 12 : 3;
  /** Few plays hand anything over: the fast lane plays the same ones each time. */
  const SEED = inject('lane') === 'slow' ? {} : { seed: 3 };

  plainTest('[P-104] leave the same accounts, to the byte, as by signatures', async () => {
    const { relay, ledger } = await twins();
    let run = 0;
    const plays = fc.asyncProperty(steps, async (chosen) => void (await play(relay, (run += 1), chosen)));
    await fc.assert(plays, { numRuns: RUNS, ...SEED });
    process.stdout.write(`by text: ${JSON.stringify(ledger.otherwise)}\n`);
    expect(ledger.otherwise.accepted).toBeGreaterThan(0);
  });

  plainTest.each(['package', 'task'])('[P-104] end the legs of a %s as the model of terms says', async (kind) => {
    const { relay, ledger } = await twins();
    let number = 0;
    const game = fc.asyncProperty(games(kind === 'task'), async ([setting, chances]) => {
      const replica = await Replica.create(relay, (number += 1), setting);
      await replica.play(chances);
    });
    await fc.assert(game, { numRuns: 2 * RUNS, ...SEED });
    process.stdout.write(`by text: ${JSON.stringify(ledger.otherwise)}\n`);
    expect(ledger.otherwise.accepted).toBeGreaterThan(0);
  });
});
