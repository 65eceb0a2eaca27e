import { handoffText } from '@legwork/program-client';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { readMessage } from '../../src/device/message.js';

const HOST = 'legwork.example';
const bytes = (text: string) => new TextEncoder().encode(text);
const call = (method: string, path: string, host = HOST) =>
  ['svc-auth-v1', method, host, path, '1790000000000-abcdefgh', '0'.repeat(64)].join('\n');
const read = (text: string, host = HOST) => readMessage(bytes(text), host);

describe('what the device is asked to sign as a message (D-72)', () => {
  test.each([
    ['GET', '/legs/1/evidence'],
    ['POST', '/bids'],
    ['PUT', '/market/digital-tasks/1/legs/2/artifacts/3/parts/0'],
    ['GET', '/reward-claims/preview?devnetPubkey=x'],
  ])('a call to this very service needs no question: %s %s', (method, path) => {
    expect(read(call(method, path))).toMatchObject({ isOwnCall: true, doubts: [] });
    expect(read(call(method, path), HOST.toUpperCase()).isOwnCall).toBe(true);
  });

  test.each([
    '/reward-claims',
    '/market/reward-claims',
    '/reward%2Dclaims',
    '/%72eward-claims',
    '/REWARD-claims',
    '/%zz',
  ])('a claim of rewards is asked for, however its path is written: %s', (path) => {
    expect(read(call('POST', path))).toMatchObject({ isOwnCall: false, doubts: [] });
  });

  test.each([
    ['of another host', call('GET', '/x', 'evil.example')],
    ['of another port', call('GET', '/x', `${HOST}:8080`)],
    ['with a line more', `${call('GET', '/x')}\nmore`],
    ['with a line less', call('GET', '/x').split('\n').slice(0, 5).join('\n')],
    ['of another version of the scheme', call('GET', '/x').replace('v1', 'v10')],
  ])('a call %s is asked for and doubted', (_, text) => {
    const message = read(text);
    expect(message.isOwnCall).toBe(false);
    expect(message.doubts).toEqual([expect.stringMatching(/^It acts in your name at/)]);
  });

  test('the text of a handoff says what it does, and how', async () => {
    const { address: listing } = await generateKeyPairSigner();
    const place = {
      listing,
      legIndex: 1,
      formation: 3,
      nonce: new Uint8Array(8).fill(7),
      signedAt: new Date(0x19f00000000),
    };
    const said = (handoff: Parameters<typeof handoffText>[0]) => read(handoffText(handoff));
    const received = said({ ...place, said: 'received', noted: undefined });
    expect(received).toMatchObject({ isOwnCall: false, doubts: [], handoff: { legIndex: 1, said: 'received' } });
    expect(received.words.join(' ')).toMatch(/received the parcel at the end of leg 2, as described.*paid.*for good/);
    const noted = said({ ...place, said: 'taken over', noted: new Uint8Array(32) });
    expect(noted.words.join(' ')).toMatch(/taken the parcel over.*with a note of what is wrong/);
    expect(said({ ...place, said: 'picked up', noted: undefined }).words.join()).toMatch(/pays nothing yet/);
    expect(said({ ...place, said: 'accepted', resultHash: new Uint8Array(32) }).words.join()).toMatch(/for good/);
  });

  test('any other text is shown as it is, and what eyes would not see of it too', () => {
    expect(read('I owe\nyou')).toMatchObject({ shown: 'I owe\nyou', words: [], handoff: undefined, isOwnCall: false });
    expect(read('pay \u202e01\u202c\u200b\r SOL').shown).toBe('pay ‹202e›01‹202c›‹200b›‹d› SOL');
    expect(read('<b>bold</b>').shown).toBe('<b>bold</b>');
  });

  test.each([
    ['nothing', []],
    ['a transaction of an early form', [1, 0, 1, 3, 65, 66]],
    ['a transaction of many signers', [9, 0, 1, 65]],
    ['a transaction of ten signers', [10, 0, 1, 65]],
    ['a transaction of a versioned form', [0x80, 1, 0, 1, 3]],
    ['no text', [65, 0xff, 0xfe]],
    ['a text that hides its beginning', [0xe2, 0x80, 0xae, 65]],
    ['a text after a mark of order', [0xef, 0xbb, 0xbf, 65]],
  ])('%s is never signed as a message', (_, given) => {
    expect(() => readMessage(Uint8Array.from(given), HOST)).toThrow('This is not text');
  });
});
