import { LegworkApiError, LegworkNetworkError } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { faultOf } from '../../src/data/faultWords.js';

const told = (error: unknown, isOnline = true) => faultOf(error, 'This could not be shown.', isOnline);
const FIELDS = [{ field: 'radiusKm', message: 'must be above 0' }];

describe('what went wrong is told in one way (D-41)', () => {
  test.each([
    [
      'a question that the service did not answer',
      new LegworkNetworkError('GET http://x/p: refused'),
      /^The service cannot be/,
    ],
    ['one that Chromium could not send', new TypeError('Failed to fetch'), /^This browser gets no answer/],
    [
      'one that Firefox could not send',
      new TypeError('NetworkError when attempting to fetch resource.'),
      /^This browser gets no answer/,
    ],
    ['one that Safari could not send', new TypeError('Load failed'), /^This browser gets no answer/],
    [
      'a part of the page that did not come',
      new TypeError('Failed to fetch dynamically imported module: x'),
      /^This browser gets no answer/,
    ],
    ['a style that did not come', new Error('Unable to preload CSS for x'), /^This browser gets no answer/],
    ['too many questions', limited(7), /^Too many requests\. Try again in 7 s.$/],
    ['too many, for how long is not said', limited(undefined), /again in 5 s.$/],
    [
      'a signature that is too old',
      new LegworkApiError('stale_nonce', 401, 'old'),
      /^A signature is valid for a minute/,
    ],
    ['a refusal', new LegworkApiError('not_found', 404, 'There is none.'), /^There is none.$/],
    [
      'a refusal of fields',
      new LegworkApiError('invalid_input', 400, 'Wrong.', { errors: FIELDS }),
      /^Wrong: radiusKm must be above 0.$/,
    ],
    [
      'a refusal of a field, which the service names itself',
      new LegworkApiError('invalid_input', 400, 'radiusKm: must be above 0', { errors: FIELDS }),
      /^radiusKm: must be above 0$/,
    ],
    ['a mistake in the page', new TypeError('x is undefined'), /^x is undefined$/],
    ['an error without words', new Error(''), /^This could not be shown.$/],
    ['no error', 'oh', /^This could not be shown.$/],
  ])('%s', (_, error, words) => {
    expect(told(error)).toMatch(words);
  });

  test.each([new LegworkNetworkError('GET http://x/p: refused'), new TypeError('Failed to fetch')])(
    'a device without a network is said to be offline: %s',
    (error) => expect(told(error, false)).toMatch(/^This device is offline/),
  );
});

function limited(retryAfterSec: number | undefined) {
  return new LegworkApiError('rate_limited', 429, 'Too many.', { retryAfterSec });
}
