import { SOL, toLamports } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { startOutsideService } from '../../sdk/tests/support/outsideService.js';
import { inHand } from '../src/courier/handoff.js';
import type { Ask } from '../src/index.js';

const handoff = {
  packageId: 'p1',
  legId: 'l1',
  description: 'a box\u001b[2J\nof books',
  from: 'Bo',
  place: { lat: 52.5, lng: 13.4 },
  pays: toLamports(30_000_000n),
  asset: SOL,
};
const never = new AbortController().signal;
const by = { service: 'http://127.0.0.1:1', key: '/keys/ada.json' };
const at = (ask?: Ask) => ({ folder: process.cwd(), ask, by });
const script = (code: string) => ({
  how: 'command' as const,
  command: [process.execPath, '-e', code],
  timeoutSec: 600,
});

/** Ends with code 0 if its input tells of the leg. */
const LOOKS = `let text = ''; process.stdin.on('data', (part) => (text += part)).on('end', () => process.exit(JSON.parse(text).legId === 'l1' ? 0 : 1))`;

describe('a parcel is in hand', () => {
  test('when a person says yes, who sees what a stranger wrote on one line (A-33)', async () => {
    const asked: string[] = [];
    const say =
      (answer: boolean): Ask =>
      (question) => {
        asked.push(question);
        return Promise.resolve(answer);
      };
    await inHand({ how: 'ask' }, handoff, at(say(true)), never);
    await expect(inHand({ how: 'ask' }, handoff, at(say(false)), never)).rejects.toThrow('not here yet');
    expect(asked[0]).toBe(
      'Is package p1 (a box [2J of books) in your hands, from Bo at 52.5, 13.4? Yes pays them 0.03 SOL.',
    );
  });

  test('never without a terminal; the command to confirm it is named (A-33)', async () => {
    await expect(inHand({ how: 'ask' }, handoff, at(), never)).rejects.toThrow(
      'legwork handoff p1 --key /keys/ada.json --url http://127.0.0.1:1',
    );
  });

  test('when a command that is told of it ends with code 0 (A-33)', async () => {
    await inHand(script(LOOKS), handoff, at(), never);
    await expect(inHand(script('process.exit(1)'), handoff, at(), never)).rejects.toThrow('is not here');
  });

  test('when an address that is told of it answers 200 (A-33)', async () => {
    let status = 202;
    const { url, received } = await startOutsideService(() => ({ status, json: {} }));
    const http = { how: 'http', url, timeoutSec: 60 } as const;
    await expect(inHand(http, handoff, at(), never)).rejects.toThrow('says 202');
    status = 200;
    await inHand(http, handoff, at(), never);
    expect(JSON.parse(received[1]?.body ?? '')).toMatchObject({
      packageId: 'p1',
      legId: 'l1',
      paysLamports: 30_000_000,
    });
  });
});
