import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mercator, worldAt, cellsSeen, featuresOf } from '../../src/map/geometry.js';

const seenFrom = (lat: number, lng: number, zoom: number) =>
  cellsSeen({ center: mercator({ lat, lng }), world: worldAt(zoom), width: 800, height: 400 });

describe('cells of places', () => {
  it('are those that a view shows (D-26)', () => {
    expect(seenFrom(52.5, 13.4, 11)).toEqual(['2_10']);
    expect(seenFrom(50, 15, 11).sort()).toEqual(['2_10', '2_9', '3_10', '3_9']);
    expect(seenFrom(-0.1, -0.1, 14)).toEqual(['-1_-1']);
  });

  it('go on behind the antimeridian', () => {
    expect(seenFrom(-17.5, 180, 8)).toEqual(['35_-4', '-36_-4']);
    expect(seenFrom(-17.5, 541, 11)).toEqual(['-36_-4']);
  });

  it('are none far out, and never more than a few (D-26)', () => {
    expect(seenFrom(52.5, 13.4, 3)).toEqual([]);
    fc.assert(
      fc.property(
        fc.double({ min: -85, max: 85, noNaN: true }),
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: 0, max: 17, noNaN: true }),
        (lat, lng, zoom) => {
          const cells = seenFrom(lat, lng, zoom);
          expect(cells.length).toBeLessThanOrEqual(16);
          for (const cell of cells) expect(cell).toMatch(/^-?\d{1,2}_-?\d{1,2}$/);
        },
      ),
    );
  });

  it('become features with what the map needs of them', () => {
    expect(featuresOf([['Mitte', 13.4, 52.52, 81205, 1]]).features[0]).toEqual({
      type: 'Feature',
      properties: { name: 'Mitte', people: 81205, isQuarter: true },
      geometry: { type: 'Point', coordinates: [13.4, 52.52] },
    });
  });
});
