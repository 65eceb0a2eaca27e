import { greatCircleKm } from '@legwork/protocol/rules';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { degrees, mercator, type View, worldAt } from '../../src/map/geometry.js';
import { gridOf, lengthText, scaleOf } from '../../src/map/scale.js';

const viewAt = (lat: number, zoom: number): View => ({
  center: mercator({ lat, lng: 13.4 }),
  world: worldAt(zoom),
  width: 800,
  height: 400,
});

describe('the scale', () => {
  it('says as many kilometres as the bar is long, by great circle (D-24)', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -70, max: 70, noNaN: true }),
        fc.double({ min: 8, max: 17, noNaN: true }),
        (lat, zoom) => {
          const view = viewAt(lat, zoom);
          const { km, px } = scaleOf(view);
          const half = px / view.world / 2;
          const [west, east] = [-half, half].map((by) => degrees({ x: view.center.x + by, y: view.center.y }));
          if (!west || !east) throw new Error('a bar has two ends');
          expect(greatCircleKm(west, east) / km).toBeCloseTo(1, 3);
        },
      ),
    );
  });

  it('is 1, 2 or 5 of a power of ten, between 72 and 180 pixels long (D-24)', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -80, max: 80, noNaN: true }),
        fc.double({ min: 0, max: 17, noNaN: true }),
        (lat, zoom) => {
          const { km, px } = scaleOf(viewAt(lat, zoom));
          expect(px).toBeGreaterThanOrEqual(72 - 1e-6);
          expect(px).toBeLessThanOrEqual(180 + 1e-6);
          expect(['1', '2', '5']).toContain(km.toExponential(6).replace(/\.?0*e.*/, ''));
        },
      ),
    );
  });

  it('is told in metres below a kilometre', () => {
    expect([lengthText(5000), lengthText(1), lengthText(0.2)]).toEqual(['5,000 km', '1 km', '200 m']);
  });
});

describe('the grid (D-24)', () => {
  it('is as wide as the scale says, and stands still while the map is moved', () => {
    const view = viewAt(52.5, 12);
    const { x } = gridOf(view);
    const [first = 0, second = 0] = x;
    expect(((second - first) * view.world) / scaleOf(view).px).toBeCloseTo(1, 1);
    const moved = gridOf({ ...view, center: { x: view.center.x + 40 / view.world, y: view.center.y } });
    expect(moved.x.filter((line) => x.includes(line)).length).toBeGreaterThan(4);
  });

  it('is drawn in a city, not over a country', () => {
    expect(gridOf(viewAt(52.5, 11)).y.length).toBeGreaterThan(2);
    expect(gridOf(viewAt(52.5, 6))).toEqual({ x: [], y: [] });
  });
});
