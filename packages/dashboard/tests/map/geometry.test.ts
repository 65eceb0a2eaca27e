import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boxOf,
  degrees,
  fit,
  isReadable,
  mercator,
  nearest,
  pixelOf,
  type Point,
  seen,
  turnsSeen,
  type View,
  worldAt,
} from '../../src/map/geometry.js';

const SIZE = { width: 800, height: 400 };
const place = fc.record({
  lat: fc.double({ min: -85, max: 85, noNaN: true }),
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
});
const places = fc.array(place.map(mercator), { minLength: 1, maxLength: 8 });

describe('the square of the world', () => {
  it('has the ends of the earth at its edges, and the poles at them as well', () => {
    expect(mercator({ lat: 0, lng: -180 })).toEqual({ x: 0, y: 0.5 });
    expect(mercator({ lat: 90, lng: 180 }).x).toBe(1);
    expect(mercator({ lat: 90, lng: 0 }).y).toBeCloseTo(0, 9);
    expect(mercator({ lat: -90, lng: 0 }).y).toBeCloseTo(1, 9);
  });

  it('gives back every place that it was given', () => {
    fc.assert(
      fc.property(place, ({ lat, lng }) => {
        const back = degrees(mercator({ lat, lng }));
        expect(back.lat).toBeCloseTo(lat, 9);
        expect(back.lng).toBeCloseTo(lng, 9);
      }),
    );
  });

  it('goes the short way over the antimeridian', () => {
    expect(nearest({ x: 0.02, y: 0.4 }, { x: 0.97, y: 0.4 }).x).toBeCloseTo(1.02);
    expect(nearest({ x: 0.97, y: 0.4 }, { x: 0.02, y: 0.4 }).x).toBeCloseTo(-0.03);
  });
});

describe('a box around places', () => {
  it('holds every place in one of its turns, and is never wider than half a turn needs', () => {
    fc.assert(
      fc.property(places, (points) => {
        const box = boxOf(points);
        if (!box) throw new Error('there are places');
        for (const { x, y } of points) {
          const turned = box.left + ((((x - box.left) % 1) + 1) % 1);
          expect(Math.min(Math.abs(turned - box.left - 1), turned - box.right)).toBeLessThanOrEqual(1e-9);
          expect(y).toBeGreaterThanOrEqual(box.top);
          expect(y).toBeLessThanOrEqual(box.bottom);
        }
        expect(box.right - box.left).toBeLessThanOrEqual(1 - 1 / points.length + 1e-9);
      }),
    );
  });

  it('lies over the antimeridian where that is shorter', () => {
    const box = boxOf([
      { x: 0.95, y: 0.5 },
      { x: 0.05, y: 0.4 },
    ]);
    expect(box?.left).toBeCloseTo(0.95);
    expect(box?.right).toBeCloseTo(1.05);
  });

  it('of no places is none', () => {
    expect(boxOf([])).toBeUndefined();
  });
});

describe('a fitted view (D-22)', () => {
  const isWithin = ({ x, y }: Point, view: View) => {
    const pixel = pixelOf(view, nearest({ x, y }, view.center));
    return pixel.x >= 19 && pixel.x <= view.width - 19 && pixel.y >= -1e-6 && pixel.y <= view.height + 1e-6;
  };

  it('shows every place, with room at the sides', () => {
    fc.assert(
      fc.property(places, (points) => {
        const box = boxOf(points);
        if (!box) throw new Error('there are places');
        const view = fit(box, SIZE, 20);
        // The height of the map cannot show more than the world has: then its sides may be cut.
        fc.pre(view.world > SIZE.height);
        expect(points.filter((point) => !isWithin(point, view))).toEqual([]);
      }),
    );
  });

  it('never shows what is above or below the world', () => {
    fc.assert(
      fc.property(places, (points) => {
        const { top, bottom } = seen(fit(boxOf(points) ?? { left: 0, right: 1, top: 0, bottom: 1 }, SIZE, 20));
        expect(top).toBeGreaterThanOrEqual(-1e-9);
        expect(bottom).toBeLessThanOrEqual(1 + 1e-9);
      }),
    );
  });

  it('of one place keeps the city around it', () => {
    const at = mercator({ lat: 52.52, lng: 13.4 });
    const view = fit({ left: at.x, right: at.x, top: at.y, bottom: at.y }, SIZE, 20);
    expect(view.world).toBe(worldAt(13));
    expect(view.center).toEqual(at);
  });

  it('can be read; from far off it cannot, nor from elsewhere', () => {
    const box = boxOf([mercator({ lat: 52.52, lng: 13.4 }), mercator({ lat: 52.4, lng: 13.06 })]);
    if (!box) throw new Error('there are places');
    const view = fit(box, SIZE, 20);
    expect(isReadable(box, view)).toBe(true);
    expect(isReadable(box, { ...view, center: { x: view.center.x + 3, y: view.center.y } })).toBe(true);
    expect(isReadable(box, { ...view, world: 1000 })).toBe(false);
    expect(isReadable(box, { ...view, center: { x: 0.1, y: 0.5 } })).toBe(false);
  });
});

describe('turns of the world in sight', () => {
  const box = { left: 0.9, right: 1.05, top: 0.4, bottom: 0.5 };

  it('are all those where the box is seen', () => {
    const world = { left: -0.6, right: 1.6, top: 0, bottom: 1 };
    expect(turnsSeen(box, world)).toEqual([-1, 0]);
    expect(turnsSeen(box, { ...world, left: 0, right: 0.04 })).toEqual([-1]);
  });

  it('are none above, below and beside it', () => {
    expect(turnsSeen(box, { left: 0, right: 1, top: 0.6, bottom: 1 })).toEqual([]);
    expect(turnsSeen(box, { left: 0.3, right: 0.6, top: 0, bottom: 1 })).toEqual([]);
  });
});
