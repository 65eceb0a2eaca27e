import { describe, expect, test } from 'vitest';
import { SOL, toLamports } from '../src/contract/index.js';
import { type EndableListing, listingExits } from '../src/rules/index.js';

const NOW = Date.parse('2026-11-29T00:00:00Z');
const HOUR = 3_600_000;

/** A package of somebody's own, in time. */
function listing(changes: Partial<EndableListing> = {}): EndableListing {
  return {
    ...SOL,
    kind: 'package',
    status: 'active',
    deadline: new Date(NOW + HOUR),
    shipperPubkey: 'shipper',
    funderPubkey: 'shipper',
    funderSigners: ['shipper'],
    coordinatorPubkey: 'coordinator',
    hasTerms: true,
    legs: [{ stage: 'pending', agentPubkey: 'courier' }],
    left: toLamports(500_000_000n),
    stake: toLamports(50_000_000n),
    rentLamports: toLamports(1_000_000n),
    ...changes,
  };
}

const late = { deadline: new Date(NOW - HOUR) };
const at = (stage: EndableListing['legs'][number]['stage']) => ({ legs: [{ stage, agentPubkey: 'courier' }] });
const exitsOf = (changes: Partial<EndableListing>, who = 'shipper') =>
  listingExits(listing(changes), who, NOW).map(({ action, from, onlyGains }) => [
    action,
    from?.getTime() ?? 'now',
    onlyGains,
  ]);

describe('a listing as a whole', () => {
  test.each([
    [
      'listed: cancelled, by name while somebody could take it (P-19)',
      { status: 'listed' },
      [['cancel', 'now', false]],
    ],
    ['listed and late (P-21)', { status: 'listed', ...late }, [['cancel', 'now', true]]],
    ['forming (P-54)', { status: 'forming' }, [['reclaim', 'now', false]]],
    ['untouched (T-38)', {}, [['reclaim', 'now', false]]],
    ['carried, in time (P-54)', at('carried'), [['reclaim', NOW + HOUR, false]]],
    [
      'carried and late: the courier loses its stake (T-39)',
      { ...at('carried'), ...late },
      [['reclaim', 'now', false]],
    ],
    ['accepted and late: its stake returns (T-39)', { ...at('accepted'), ...late }, [['reclaim', 'now', true]]],
    ['claimed: decided first (T-37)', { ...at('claimed'), ...late }, []],
    ['disputed: decided first (T-37)', { ...at('disputed'), ...late }, []],
    [
      'without terms and late: who has the parcel loses its payment (P-56)',
      { hasTerms: false, ...late },
      [['reclaim', 'now', false]],
    ],
    ['a task that an agent has begun (T-101)', { kind: 'task', ...at('accepted') }, [['reclaim', NOW + HOUR, false]]],
    ['a task that nobody has begun (T-101)', { kind: 'task' }, [['reclaim', 'now', false]]],
    ['all paid (P-47)', at('completed'), [['settle', 'now', true]]],
    ['over (P-65)', { status: 'over' }, [['close', 'now', true]]],
    ['over and closed (P-67)', { status: 'over', rentLamports: toLamports(0n) }, []],
  ] as [string, Partial<EndableListing>, unknown[]][])('%s', (_, changes, exits) => {
    expect(exitsOf(changes)).toEqual(exits);
  });

  test('is ended by who funds it or the owner of its mandate, of others only taken back by who listed it (P-118, P-47)', () => {
    const sponsored = { funderPubkey: 'mandate', funderSigners: ['mandate', 'owner'] };
    expect(exitsOf({ ...sponsored, ...at('completed') })).toEqual([]);
    expect(exitsOf({ ...sponsored, ...at('completed') }, 'owner')).toEqual([['settle', 'now', true]]);
    expect(exitsOf({ ...sponsored, status: 'listed', ...late })).toEqual([['cancel', 'now', false]]);
    expect(exitsOf({}, 'stranger')).toEqual([]);
    expect(exitsOf({ funderPubkey: 'coordinator', funderSigners: ['coordinator'] }, 'coordinator')).toEqual([
      ['reclaim', NOW + HOUR, false],
    ]);
  });
});
