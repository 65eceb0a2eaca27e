import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { withService } from '../support/service.js';
import { changesBetween, snapshot, untilQuiet } from '../support/snapshot.js';
import { brokenSignature, noisyPlan, type Plan, type Pool, rightPlan, wrongPlan } from './arbitraries.js';
import { type Described, describedOperations } from './description.js';
import { answersByContract, type Judge, refusesForm, refusesSignature, takesForm } from './judgement.js';
import { type Answer, send } from './request.js';
import { createWorld, leadingValues, signerOf, type World, WORLD_SETTINGS, walletsOf } from './world.js';

const GIVEN = process.env['RELAY_GENERATED_REQUESTS'];
/** How many requests are sent in all, about. */
const REQUESTS = Number(GIVEN ?? (inject('lane') === 'slow' ? 600 : 120));
/** The seed that a failure printed, to see it again. */
const SEED = process.env['RELAY_GENERATED_SEED'];
const MOST_A_RUN = 40;

const service = withService(WORLD_SETTINGS);
let world: World;
let operations: Described[];
/** The count of each answer: operation, status and code. */
const tally = new Map<string, number>();

beforeAll(async () => {
  world = await createWorld(service.current);
  const document = await fetch(`${service.current.server.url}/openapi.json`);
  operations = describedOperations(await document.json());
});

afterAll(() => {
  if (GIVEN === undefined) return;
  const lines = [...tally].map(([what, times]) => `${what}: ${times}`).toSorted((a, b) => a.localeCompare(b));
  process.stdout.write(`${lines.join('\n')}\n`);
});

async function answerTo({ operation: name, fault: _fault, ...parts }: Plan): Promise<Answer> {
  const operation = operations.find((described) => described.name === name);
  if (operation === undefined) throw new Error(`the description has no ${name}`);
  const answer = await send(service.current, { ...parts, operation, signer: signerOf(world, name) });
  const code = answer.body['code'];
  const told = `${name} ${answer.status}${typeof code === 'string' ? ` ${code}` : ''}`;
  tally.set(told, (tally.get(told) ?? 0) + 1);
  return answer;
}

const stateOf = () => snapshot(service.current, walletsOf(world));

/** Sends requests one after another; answers those complained of. */
async function complaintsAbout(plans: readonly Plan[], judge: Judge): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const plan of plans) {
    const answer = await answerTo(plan);
    const complaints = judge(plan, answer);
    if (complaints.length > 0) found.push({ plan, complaints, answer });
  }
  return found;
}

const listOf = (plan: fc.Arbitrary<Plan>) => fc.array(plan, { minLength: 1, maxLength: MOST_A_RUN, size: 'max' });

/** Requests are answered without complaint. */
const answered = (plan: fc.Arbitrary<Plan>, judge: Judge) =>
  fc.asyncProperty(listOf(plan), async (plans) => {
    expect(await complaintsAbout(plans, judge)).toEqual([]);
  });

/** Requests are answered without complaint, and together they change nothing. */
const refused = (plan: fc.Arbitrary<Plan>, judge: Judge) =>
  fc.asyncProperty(listOf(plan), async (plans) => {
    const before = await stateOf();
    const complaints = await complaintsAbout(plans, judge);
    expect({ complaints, changed: changesBetween(before, await stateOf()) }).toEqual({ complaints: [], changed: [] });
  });

/** Tries a property on lists that together hold about this share of all requests. A failure's message has the seed. */
const trying = (share: number): fc.Parameters<[Plan[]]> => ({
  numRuns: Math.ceil((REQUESTS * share * 2) / MOST_A_RUN),
  ...(SEED !== undefined && { seed: Number(SEED) }),
});

const anyOf = (plan: (operation: Described, pool: Pool) => fc.Arbitrary<Plan>, of = operations) =>
  fc.oneof(...of.map((operation) => plan(operation, leadingValues(world, operation.name))));

describe('requests made from the description', { timeout: 120_000 + REQUESTS * 100 }, () => {
  test('that break one of its rules are refused by the name of the field, and change nothing', async () => {
    await expect(fc.assert(refused(anyOf(wrongPlan), refusesForm), trying(0.45))).resolves.toBeUndefined();
  });

  test('whose signature is broken are refused, and change nothing', async () => {
    const right = anyOf(
      rightPlan,
      operations.filter(({ signed }) => signed),
    );
    const broken = fc.tuple(right, brokenSignature).map(([plan, headers]) => ({ ...plan, headers }));
    await expect(fc.assert(refused(broken, refusesSignature), trying(0.15))).resolves.toBeUndefined();
  });

  test('that have its form are answered as it says', async () => {
    await expect(fc.assert(answered(anyOf(rightPlan), takesForm), trying(0.3))).resolves.toBeUndefined();
  });

  test('and then spoiled at random are answered as it says', async () => {
    await expect(fc.assert(answered(anyOf(noisyPlan), answersByContract), trying(0.1))).resolves.toBeUndefined();
    await untilQuiet(service.current);
  });
});
