import { describe, expect, it } from 'vitest';
import { boxOf, fit, pixelOf, type Point } from '../../src/map/geometry.js';
import { pick, REACH_PX } from '../../src/map/pick.js';
import { parcelOf, type Route } from '../../src/map/route.js';
import { BERLIN, HONOLULU, MINUTE, POTSDAM, route, START, TOKYO } from './relay.js';

const NOW = START + 10 * MINUTE;
const TEGEL = [52.58, 13.29] as const;
const one: Route = route([BERLIN, POTSDAM]);
const other: Route = route([TEGEL, BERLIN, POTSDAM], { completed: 1 });
const view = fit(
  boxOf([one, other].flatMap(({ origin, destination }) => [origin, destination])) ?? one.box,
  { width: 800, height: 400 },
  40,
);
const near = ({ x, y }: Point, dx = 0, dy = 0) => ({ x: x + dx, y: y + dy });

describe('what a pointer means (D-25)', () => {
  const legOf = ({ legs }: Route) => legs[0] ?? { from: { x: 0, y: 0 }, to: { x: 0, y: 0 } };

  it('is the line or the parcel nearest to it', () => {
    const { from, to } = legOf(other);
    const middle = pixelOf(view, { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 });
    expect(pick([one, other], view, near(middle, 3, 3), REACH_PX.mouse, NOW)).toBe(other);
    const parcel = pixelOf(view, parcelOf(one, NOW));
    expect(pick([one], view, near(parcel, 0, -18), REACH_PX.mouse, NOW)).toBe(one);
  });

  it('is nothing where nothing is within reach; fingers reach further', () => {
    const origin = pixelOf(view, other.origin);
    const beside = near(origin, 0, -20);
    expect(pick([one, other], view, beside, REACH_PX.mouse, NOW)).toBeUndefined();
    expect(pick([one, other], view, beside, REACH_PX.touch, NOW)).toBe(other);
  });

  it('is found on either side of the antimeridian', () => {
    const pacific = route([TOKYO, HONOLULU]);
    const center = { x: 0.02, y: 0.43 };
    const far = { width: 800, height: 400, world: 1000, center };
    const parcel = parcelOf(pacific, NOW);
    expect(pick([pacific], far, pixelOf(far, { x: parcel.x - 1, y: parcel.y }), REACH_PX.mouse, NOW)).toBe(pacific);
  });
});
