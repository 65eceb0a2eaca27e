import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toLamports } from '../../src/contract/money.js';
import { parsePubkey } from '../../src/contract/pubkey.js';
import { type Terms, terms as termsSchema, termsChoice } from '../../src/contract/terms.js';
import { chosenTerms, packageCarrySec, taskCarrySec, SOL_ASSET } from '../../src/rules/presets.js';

function read<T>(file: string, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(readFileSync(new URL(`../../vectors/${file}`, import.meta.url), 'utf8')));
}

const place = z.strictObject({ lat: z.number(), lng: z.number() });
const termsVectors = read(
  'terms.json',
  z.strictObject({
    description: z.string(),
    origin: place,
    destination: place,
    claimTimeoutSec: z.int(),
    arbiterPubkey: z.string(),
    cases: z.array(
      z.strictObject({
        name: z.string(),
        kind: z.enum(['package', 'task']),
        choice: termsChoice,
        budgetLamports: z.int().transform((wire) => toLamports(BigInt(wire))),
        terms: termsSchema.nullable(),
        bytesHex: z.string(),
      }),
    ),
  }),
);

const u16 = (value: number) => [value & 255, value >> 8];
const u32 = (value: number) => [...u16(value & 65_535), ...u16(value >>> 16)];
const u64 = (value: bigint) => [...u32(Number(value & 0xffff_ffffn)), ...u32(Number(value >> 32n))];
const hexOf = (bytes: Iterable<number>) => Buffer.from([...bytes]).toString('hex');

/** Written by hand: the vectors are made by the generated encoder. */
function bytesOf(terms: Terms): number[] {
  const clocks = [terms.carrySec, terms.handoffSec, terms.reviewSec, terms.arbitrationSec];
  const receiver = terms.receiverPubkey === null ? new Uint8Array(32) : parsePubkey(terms.receiverPubkey);
  const keys = [...receiver, ...parsePubkey(terms.arbiterPubkey)];
  return [...keys, ...u64(terms.stake), ...clocks.flatMap(u32), Number(terms.cosignedPickup)];
}

describe('the vectors of terms', () => {
  const { cases, origin, destination, claimTimeoutSec, arbiterPubkey } = termsVectors;

  it.each(cases)('[T-50] agree with the code: $name', ({ kind, choice, budgetLamports, terms }) => {
    const carrySec = kind === 'package' ? packageCarrySec(origin, destination) : taskCarrySec(claimTimeoutSec);
    expect(chosenTerms(choice, { kind, carrySec, budgetLamports, asset: SOL_ASSET, arbiterPubkey })).toEqual(terms);
  });

  it.each(cases)('[T-1] are 89 bytes or none: $name', ({ terms, bytesHex }) => {
    expect(bytesHex).toBe(terms === null ? '' : hexOf(bytesOf(terms)));
    expect([0, 178]).toContain(bytesHex.length);
  });
});

const moveVectors = read(
  'moves.json',
  z.strictObject({
    description: z.string(),
    packageIdHex: z.string(),
    formations: z.tuple([z.int(), z.int()]),
    taskFormation: z.int(),
    accounts: z.object({
      programAddress: z.string(),
      couriers: z.array(z.string()),
      reputations: z.array(z.string()),
      legs: z.array(z.string()),
      task: z.object({ listing: z.string() }),
    }),
    cases: z.array(
      z.strictObject({
        name: z.string(),
        instruction: z.string(),
        discriminator: z.int(),
        arguments: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
        dataHex: z.string(),
        accounts: z.array(z.strictObject({ address: z.string(), isSigner: z.boolean(), isWritable: z.boolean() })),
      }),
    ),
  }),
);

type Move = (typeof moveVectors.cases)[number];

/** The bytes of each argument, by its name. */
const ARGUMENTS: Readonly<Record<string, (value: Move['arguments'][string]) => Iterable<number>>> = {
  formation: (value) => u16(Number(value)),
  take: (value) => [Number(value)],
  percent: (value) => [Number(value)],
  index: (value) => [Number(value)],
  paymentLamports: (value) => u64(BigInt(Number(value))),
  countedLater: (value) => [Number(value)],
  evidenceHash: (value) => Buffer.from(String(value), 'hex'),
  resultHash: (value) => Buffer.from(String(value), 'hex'),
  reasonHash: (value) => Buffer.from(String(value), 'hex'),
};

/** First byte, and how many accounts; one more where the leg begins to count. */
const FORMS: Readonly<Record<string, readonly [number, number]>> = {
  accept: [24, 6],
  vacate: [25, 7],
  claim: [26, 4],
  dispute: [27, 5],
  rule: [28, 9],
  confirmLeg: [7, 9],
  assignLeg: [6, 10],
  confirmTaskLeg: [19, 8],
};

describe('the vectors of moves', () => {
  const { reputations } = moveVectors.accounts;

  it.each(moveVectors.cases)('[P-2] have their first byte, arguments and accounts: $name', (move) => {
    const values = Object.entries(move.arguments).flatMap(([name, value]) => [...(ARGUMENTS[name]?.(value) ?? [])]);
    const [first, accounts] = FORMS[move.instruction] ?? [-1, -1];
    const counted = reputations.includes(move.accounts.at(-1)?.address ?? '') ? 1 : 0;
    expect([move.discriminator, move.accounts.length]).toEqual([first, accounts + counted]);
    expect(move.dataHex).toBe(hexOf([move.discriminator, ...values]));
  });

  it('[T-62] are of every instruction that a move is made of', () => {
    expect(new Set(moveVectors.cases.map(({ instruction }) => instruction))).toEqual(new Set(Object.keys(FORMS)));
  });

  it("[T-35] name the leg's number, and a takeover the larger of both legs'", () => {
    const [first, second] = moveVectors.formations;
    const named = moveVectors.cases
      .filter(({ instruction }) => instruction === 'confirmLeg')
      .map((move) => move.arguments['formation']);
    expect(named).toEqual([Math.max(first, second), first, second]);
  });

  it('[T-11] show the leg before, or the program in its place', () => {
    const { legs, programAddress } = moveVectors.accounts;
    const shown = moveVectors.cases
      .filter(({ instruction }) => instruction === 'vacate')
      .map(({ accounts }) => accounts[6]?.address);
    expect(shown).toEqual([programAddress, legs[0], programAddress]);
  });

  it('[T-62] of a task are those of a package, without a swarm', () => {
    const { task, programAddress } = moveVectors.accounts;
    const ofTask = moveVectors.cases.filter(({ accounts }) => accounts.some(({ address }) => address === task.listing));
    const named = ofTask.filter(({ instruction }) => instruction !== 'confirmTaskLeg');
    expect(named.map(({ arguments: { formation } }) => formation)).toEqual(Array(4).fill(moveVectors.taskFormation));
    for (const { accounts } of named) expect(accounts.map(({ address }) => address)).toContain(programAddress);
    expect(ofTask).toHaveLength(5);
  });
});
