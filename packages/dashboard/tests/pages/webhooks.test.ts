import { operations } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterWords, newSecret, readTyped } from '../../src/pages/turns/webhooks/draft.js';

const KEY = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const ID = '01a205a1-126e-7692-9cf5-c2e3155574ef';
const NOTHING = { package: '', task: '', agent: '', near: '', radiusKm: '', topics: '' };
const typed = (more: object) => ({ url: 'https://agent.example/events', secret: newSecret(), ...NOTHING, ...more });

test.each([
  [{}, 'Everything'],
  [{ topics: 'LEG_CLAIMED,LEG_RULED' }, 'LEG_CLAIMED, LEG_RULED'],
  [{ agent: KEY }, 'Everything, of listings that 7xKX…sgAsU posted, bid on or worked on'],
  [{ near: '52.52,13.4', topics: 'PACKAGE_LISTED' }, 'PACKAGE_LISTED, of packages within 25 km of 52.52, 13.4'],
  [
    { near: '52.52,13.4', radiusKm: 3, package: ID },
    'Everything, of package 01a2…574ef and packages within 3 km of 52.52, 13.4',
  ],
  [{ task: ID }, 'Everything, of digital task 01a2…574ef'],
])('a filter is told in words: %o (D-50)', (filter, words) => {
  expect(filterWords(filter)).toBe(words);
});

test('what two fields do not say together is told at one of them (D-51, S-180)', () => {
  expect(readTyped(typed({ package: ID, task: ID }))).toMatchObject({
    faults: { task: expect.stringContaining('package') },
  });
  expect(readTyped(typed({ radiusKm: '5' }))).toMatchObject({ faults: { radiusKm: expect.stringContaining('near') } });
});

test('whatever is typed is a registration that the contract takes, or has a fault at a field (D-51)', () => {
  const text = fc.oneof(
    fc.constant(''),
    fc.string(),
    fc.constantFrom(ID, KEY, '52.5, 13.4', '2,5', 'LEG_RULED, LEG_CLAIMED'),
  );
  const fields = fc.record({ package: text, task: text, agent: text, near: text, radiusKm: text, topics: text });
  fc.assert(
    fc.property(fields, fc.oneof(fc.constant('https://a.example'), fc.string()), (more, url) => {
      const { input, faults } = readTyped(typed({ ...more, url }));
      const isTaken = operations.registerWebhook.body.safeParse(input).success;
      const told = Object.values(faults ?? {});
      expect([isTaken, told.length > 0, told.every((one) => one.length > 1)]).toEqual([
        !faults,
        faults !== undefined,
        true,
      ]);
    }),
  );
});
