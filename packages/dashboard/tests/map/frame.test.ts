import { describe, expect, it } from 'vitest';
import { boxOfAll, countOutside, mainBox } from '../../src/map/frame.js';
import { fit, isReadable } from '../../src/map/geometry.js';
import { route } from './relay.js';

type Place = readonly [number, number];
const ZOO: Place = [52.5074, 13.3326];
const OSTKREUZ: Place = [52.5031, 13.4694];
const POTSDAM: Place = [52.39, 13.06];
const SYDNEY: Place = [-33.87, 151.21];
const AUCKLAND: Place = [-36.85, 174.76];
const SUVA: Place = [-18.14, 178.44];
const APIA: Place = [-13.83, -171.76];
const SIZE = { width: 800, height: 500 };

const between = (...places: Place[]) => route(places);
const city = [between(ZOO, OSTKREUZ), between(OSTKREUZ, ZOO), between(POTSDAM, ZOO)];
const shown = (routes: Parameters<typeof mainBox>[0]) => mainBox(routes);

describe('what is framed first (D-22)', () => {
  it('is a city at work, whatever is listed far away', () => {
    for (const far of [between(SYDNEY, SYDNEY), between(ZOO, SYDNEY), between(SYDNEY, ZOO)]) {
      for (const routes of [
        [...city, far],
        [far, ...city],
        [far, ...city, between(AUCKLAND, SYDNEY)],
      ]) {
        expect(shown(routes)).toEqual(boxOfAll(city));
      }
    }
  });

  it('is all of it where nothing lies apart, or where half of it does', () => {
    expect(shown(city)).toEqual(boxOfAll(city));
    const halves = [...city, between(SYDNEY, SYDNEY), between(SYDNEY, AUCKLAND), between(AUCKLAND, AUCKLAND)];
    expect(shown(halves)).toEqual(boxOfAll(halves));
    expect(shown([between(ZOO, ZOO), between(ZOO, POTSDAM), between(ZOO, ZOO)])).toEqual(
      boxOfAll([between(ZOO, POTSDAM)]),
    );
    expect(shown([between(ZOO, SYDNEY)])).toEqual(boxOfAll([between(ZOO, SYDNEY)]));
    expect(shown([])).toBeUndefined();
  });

  it('counts what is under way before what has ended', () => {
    const ended = Array.from({ length: 9 }, () => route([SYDNEY, AUCKLAND], { status: 'delivered', completed: 1 }));
    expect(shown([...ended, ...city])).toEqual(boxOfAll(city));
    expect(shown(ended)).toEqual(boxOfAll(ended));
  });

  it('goes over the antimeridian', () => {
    const routes = [between(SUVA, APIA), between(APIA, SUVA), between(SUVA, SUVA), between(ZOO, ZOO)];
    expect(shown(routes)).toEqual(boxOfAll(routes.slice(0, 3)));
  });

  it('says how many are out of sight, and none once all are shown', () => {
    const routes = [...city, between(SYDNEY, SYDNEY), between(AUCKLAND, AUCKLAND)];
    const [main, all] = [shown(routes), boxOfAll(routes)];
    if (!main || !all) throw new Error('there is a box');
    const near = fit(main, SIZE, 56);
    expect(city.every(({ box }) => isReadable(box, near) || box.left === box.right)).toBe(true);
    expect(countOutside(routes, near)).toBe(2);
    expect(countOutside(routes, fit(all, SIZE, 56))).toBe(0);
  });
});
