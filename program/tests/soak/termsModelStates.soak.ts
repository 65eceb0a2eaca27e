import { expect, test } from 'vitest';
import { Relay } from '../harness/relay.js';
import { tour } from '../harness/replica/tour.js';

const HOURS = 3_600_000;

test.each([
  { kind: 'package', legs: 1, states: 309 },
  { kind: 'task', legs: 1, states: 266 },
  { kind: 'task', legs: 2, states: 519 },
])(
  '[T-45, T-48] the program makes every move of every state that play reaches: $kind, $legs legs',
  async ({ kind, legs, states }) => {
    const toured = await tour(await Relay.initialised(), { isTask: kind === 'task', legs });
    process.stdout.write(`${kind}, ${legs} legs: ${JSON.stringify(toured)}\n`);
    expect(toured.states).toBe(states);
  },
  HOURS,
);
