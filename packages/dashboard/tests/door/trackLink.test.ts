import { expect, test } from 'vitest';
import { trackLink } from '../../src/door/trackLink.js';

const ID = '0190b6f1-0000-7000-8000-000000000001';
const WORDS = 'canyon-lemon-orbit-puzzle-river-violin';

test.each([
  ['https://legwork.example', 'https://legwork.example', 'https://legwork.example', false],
  ['https://a.example/market', 'https://other.example', 'https://a.example/market', false],
  ['http://192.168.1.5:8080', 'http://127.0.0.1:8080', 'http://192.168.1.5:8080', false],
  ['http://localhost:8080', 'https://legwork.example', 'https://legwork.example', false],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080', 'http://127.0.0.1:8080', true],
  ['http://[::1]:8080', 'http://localhost:8080', 'http://localhost:8080', true],
])(
  'at %s of %s, the link of a receiver leads to %s; only on this machine: %s (D-90)',
  (serviceUrl, publicUrl, at, isOnlyHere) => {
    expect(trackLink(ID, WORDS, { serviceUrl, publicUrl })).toEqual({
      link: `${at}/track/${ID}#${WORDS}`,
      isOnlyHere,
    });
  },
);
