import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsePolicy, PolicyError, readPolicies } from '../src/index.js';

const COURIER = `key: ada.json
courier:
  itinerary: [{ from: [52.5212, 13.3969], to: [52.5030, 13.4692], days: mon-fri, between: "07:30-09:30" }]
  vehicle: { kind: cargo-bike, maxKg: 40, maxLitres: 200 }
  price: { perKm: 0.004, perHour: 0.02, base: 0.002, margin: 15% }
  handoff: { how: auto }
limits: { legsAtOnce: 3, minPayment: 0.005, perDay: 0.02 }
`;

const faultsOf = (text: string) => {
  const parsed = parsePolicy('p.yaml', text);
  return 'faults' in parsed ? parsed.faults : [];
};

describe('a policy', () => {
  test('is read with its amounts in lamports, its hours in minutes and its key beside it (A-2)', () => {
    const parsed = parsePolicy('/somewhere/p.yaml', COURIER);
    if (!('policy' in parsed)) throw new Error(parsed.faults.join('\n'));
    const { policy } = parsed;
    expect(policy.key).toBe('/somewhere/ada.json');
    expect(policy.service).toBe('http://127.0.0.1:8080');
    expect(policy.limits).toEqual({
      perTransaction: 2_000_000n,
      perDay: 20_000_000n,
      inAll: 1_000_000_000n,
      legsAtOnce: 3,
      minPayment: 5_000_000n,
      stakePerLeg: 100_000_000n,
      stakeInAll: 500_000_000n,
    });
    expect(policy.accept).toMatchObject({ arbiters: ['service'], shortestCarrySec: 3_600 });
    expect(policy.courier?.price).toEqual({ base: 2_000_000n, perKm: 4_000_000n, perHour: 20_000_000n, margin: 15 });
    expect(policy.courier?.itinerary?.[0]).toMatchObject({ days: [0, 1, 2, 3, 4], between: { from: 450, to: 570 } });
  });

  test.each<[string, string, readonly string[]]>([
    ['no key', 'courier: { home: [52, 13] }\n', ['p.yaml:1: key: Invalid input: expected string, received undefined']],
    [
      'unknown fields',
      'key: a.json\nprize: 1\nlimits:\n  perDay: 1\n  perWeek: 2\n',
      ['p.yaml:2: prize is not a field of a policy', 'p.yaml:5: limits.perWeek is not a field of a policy'],
    ],
    [
      'a place off the earth',
      'key: a.json\ncourier:\n  home: [91, 13]\n',
      ['p.yaml:3: courier.home.0: Too big: expected number to be <=90'],
    ],
    [
      'neither way nor home',
      'key: a.json\ncourier: { radiusKm: 3 }\n',
      ['p.yaml:2: courier: give either itinerary or home'],
    ],
    [
      'a day that is none',
      'key: a.json\ncourier:\n  itinerary:\n    - { from: [1, 2], to: [1, 3], days: mon-foo }\n',
      ['p.yaml:4: courier.itinerary.0.days: expected days such as mon-fri or sat,sun, not "mon-foo"'],
    ],
    [
      'a negative amount',
      'key: a.json\nlimits: { perDay: -1 }\n',
      ['p.yaml:2: limits.perDay: -1 SOL is negative; give an amount of at least 0 SOL'],
    ],
    [
      'a worker without its model',
      'key: a.json\nworker:\n  run: { model: true }\n',
      ['p.yaml:3: worker.run: run: { model: true } needs a model'],
    ],
    [
      'a password in an address',
      'key: a.json\nmodel:\n  url: http://ada:hunter2@127.0.0.1/v1\n  name: x\n',
      ['p.yaml:3: model.url: must not hold a name or a password'],
    ],
    [
      'more patience with HTTP than fetch has',
      'key: a.json\nworker:\n  run: { http: "http://127.0.0.1:9", timeoutSec: 301 }\n',
      ['p.yaml:3: worker.run.timeoutSec: Too big: expected number to be <=300'],
    ],
    [
      'no YAML',
      'key: [a\n',
      ['p.yaml:2: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
  ])('with %s names every fault with its line (A-2)', (_, text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });

  test('that is not a mapping is refused (A-2)', () => {
    expect(faultsOf('- 1\n')).toHaveLength(1);
  });
});

describe('a folder of policies', () => {
  test('starts nothing when one has a fault or two share a key (A-2)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'legwork-policies-'));
    await writeFile(join(folder, 'a.yaml'), COURIER);
    expect(await readPolicies(folder)).toHaveLength(1);
    await writeFile(join(folder, 'b.yaml'), COURIER);
    await expect(readPolicies(folder)).rejects.toThrow(/ada.json: two policies name this key/);
    await writeFile(join(folder, 'b.yaml'), 'key: b.json\nprize: 1\n');
    await expect(readPolicies(folder)).rejects.toThrow(/b.yaml:2: prize is not a field/);
    await expect(readPolicies(join(folder, 'none'))).rejects.toThrow(PolicyError);
  });
});
