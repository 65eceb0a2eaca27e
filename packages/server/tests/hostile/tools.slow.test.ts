import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { withService } from '../support/service.js';
import { changesBetween, snapshot } from '../support/snapshot.js';
import {
  callText,
  complaintsOf,
  rightArguments,
  sendCall,
  TOOLS,
  WAYS,
  type Way,
  wrongArguments,
} from './toolRequests.js';
import { createWorld, type World, WORLD_SETTINGS, walletsOf } from './world.js';

const GIVEN = process.env['RELAY_GENERATED_REQUESTS'];
/** How many requests are sent by each property, about. */
const REQUESTS = Number(GIVEN ?? 200);
/** The seed that a failure printed, to see it again. */
const SEED = process.env['RELAY_GENERATED_SEED'];
const MOST_A_RUN = 40;

const service = withService(WORLD_SETTINGS);
let world: World;

beforeAll(async () => {
  world = await createWorld(service.current);
});

const stateOf = () => snapshot(service.current, walletsOf(world));

const trying = {
  numRuns: Math.ceil((REQUESTS * 2) / MOST_A_RUN),
  ...(SEED !== undefined && { seed: Number(SEED) }),
};

interface Sent {
  way: Way;
  tool: string;
  body: string;
  field: string;
}

/** Calls with one thing wrong, of any tool, by either way. */
function wrongCalls(): fc.Arbitrary<Sent[]> {
  const one = fc.constantFrom(...TOOLS).chain((tool) =>
    fc.record({
      way: fc.constantFrom(...WAYS),
      wrong: fc.constantFrom(...wrongArguments(world, tool)),
      tool: fc.constant(tool.name),
    }),
  );
  const sent = one.map(({ way, wrong, tool }) => ({
    way,
    tool,
    field: wrong.field,
    body: callText(way, tool, wrong.args),
  }));
  return fc.array(sent, { minLength: 1, maxLength: MOST_A_RUN, size: 'max' });
}

/** Calls of tools that change nothing, with bytes replaced at random. */
function noisyCalls(): fc.Arbitrary<{ way: Way; body: Uint8Array<ArrayBuffer> }[]> {
  const noise = fc.array(fc.tuple(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.nat(255)), {
    minLength: 1,
    maxLength: 5,
  });
  const one = fc.tuple(fc.constantFrom(...WAYS), fc.constantFrom(...TOOLS.filter(({ readOnly }) => readOnly)), noise);
  const sent = one.map(([way, tool, changes]) => {
    const body = Uint8Array.from(Buffer.from(callText(way, tool.name, rightArguments(world, tool))));
    for (const [at, byte] of changes) body[Math.floor(at * body.length)] = byte;
    return { way, body };
  });
  return fc.array(sent, { minLength: 1, maxLength: MOST_A_RUN, size: 'max' });
}

describe('tool calls made from the manifest', { timeout: 120_000 + REQUESTS * 100 }, () => {
  test('that break one rule of it are refused by the name of the argument, and change nothing (S-35, S-36)', async () => {
    const refused = fc.asyncProperty(wrongCalls(), async (calls) => {
      const before = await stateOf();
      const found: unknown[] = [];
      for (const { way, body, field, tool } of calls) {
        const complaints = complaintsOf(await sendCall(service.current, way, body), field);
        if (complaints.length > 0) found.push({ way, tool, body: body.slice(0, 500), complaints });
      }
      expect({ found, changed: changesBetween(before, await stateOf()) }).toEqual({ found: [], changed: [] });
    });
    await expect(fc.assert(refused, trying)).resolves.toBeUndefined();
  });

  test('and then spoiled at random are never a fault of the service (S-36, S-37)', async () => {
    const answered = fc.asyncProperty(noisyCalls(), async (calls) => {
      for (const { way, body } of calls) {
        const { status, failure } = await sendCall(service.current, way, body);
        expect([status < 500, failure.code === 'internal_error']).toEqual([true, false]);
      }
    });
    await expect(fc.assert(answered, trying)).resolves.toBeUndefined();
  });
});
