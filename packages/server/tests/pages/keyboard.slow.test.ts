import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { type Party, type TestService, withService } from '../support/service.js';
import { withVisitors } from './acting.js';
import * as desks from './atDesks.js';
import * as doors from './atDoors.js';
import { Reader } from './reader.js';
import { settled } from './visit.js';
import { WALLET } from './wallet.js';

/** What a journey is made in. */
export interface Journeys {
  readonly service: TestService;
  /** Opens a page for somebody with a keyboard, at a phone's width, where everything stands beneath each other. */
  readonly reading: (parties: readonly Party[], path: string) => Promise<Reader>;
  readonly connect: (reader: Reader) => Promise<unknown>;
}

const ARBITER = await generateKeyPairSigner();
const service = withService({ settings: (usual) => ({ ...usual, ARBITER_PUBKEY: ARBITER.address }) });
const { visitor } = withVisitors(service);

async function reading(parties: readonly Party[], path: string): Promise<Reader> {
  const one = await visitor(parties, undefined, { width: 390 });
  await one.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const reader = await Reader.of(one);
  await one.page.goto(service.current.server.url + path);
  await settled(one.page);
  return reader;
}

const connect = (reader: Reader) => reader.press(`Connect ${WALLET}`);

/** From the first key to what a person came for. */
const JOURNEYS: Readonly<Record<string, (journeys: Journeys) => Promise<Reader[]>>> = {
  'makes a wallet on this device and gets test SOL': desks.makeWallet,
  'posts a package and cancels it': desks.postPackage,
  'takes back what is left': desks.takeBack,
  'finds a parcel, bids on it and accepts its leg': desks.bid,
  'hands over by a code, and takes over': doors.handOver,
  'signs at the door': doors.sign,
  'claims where nobody signs, and pays the claim': doors.claimIt,
  'receives a parcel without terms': doors.receivePlain,
  'posts a digital task and cancels it': desks.postTask,
  'hands in a result, disputes it and rules': desks.dispute,
  'finds a package by its id': desks.search,
  'checks a package and its receipts': desks.check,
};

describe('by keyboard alone, told by a screen reader, somebody', () => {
  test.each(Object.entries(JOURNEYS))('%s (D-32, D-96)', async (_, journey) => {
    const readers = await journey({ service: service.current, reading, connect });
    expect(readers.flatMap(({ faults }) => faults)).toEqual([]);
  });
});
