import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { type Party, type TestService, withService } from '../support/service.js';
import { withVisitors } from './acting.js';
import * as desks from './atDesks.js';
import * as doors from './atDoors.js';
import { Reader } from './reader.js';
import { settled } from './visit.js';
import { WALLET } from './wallet.js';

/** The setting of a journey. */
export interface Journeys {
  readonly service: TestService;
  /** Opens a page for somebody with a keyboard, whose wallet has these keys. */
  readonly reading: (parties: readonly Party[], path: string) => Promise<Reader>;
  readonly connect: (reader: Reader) => Promise<unknown>;
}

const ARBITER = await generateKeyPairSigner();
const service = withService({ settings: (usual) => ({ ...usual, ARBITER_PUBKEY: ARBITER.address }) });
const { visitor } = withVisitors(service);

async function readingAt(width: number, parties: readonly Party[], path: string): Promise<Reader> {
  const one = await visitor(parties, undefined, { width });
  await one.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const reader = await Reader.of(one);
  await one.page.goto(service.current.server.url + path);
  await settled(one.page);
  return reader;
}

const connect = (reader: Reader) => reader.press(`Connect ${WALLET}`);

type Journey = (journeys: Journeys) => Promise<Reader[]>;

const [PHONE, DESK] = [390, 1440];

/** From the first key to what a person came for, where most do it. */
const JOURNEYS: readonly (readonly [what: string, width: number, journey: Journey])[] = [
  ['makes a wallet on this device and gets test SOL', PHONE, desks.makeWallet],
  ['posts a package and cancels it', PHONE, desks.postPackage],
  ['takes back what is left', DESK, desks.takeBack],
  ['finds a parcel, bids on it and accepts its leg', PHONE, desks.bid],
  ['hands over by a code, and takes over', PHONE, doors.handOver],
  ['signs at the door', PHONE, doors.sign],
  ['claims where nobody signs, and pays the claim', PHONE, doors.claimIt],
  ['receives a parcel without terms', PHONE, doors.receivePlain],
  ['posts a digital task and cancels it', DESK, desks.postTask],
  ['hands in a result, disputes it and rules', DESK, desks.dispute],
  ['finds a package by its id', DESK, desks.search],
  ['checks a package and its receipts', DESK, desks.check],
];

describe('by keyboard alone, told by a screen reader, somebody', () => {
  test.each(JOURNEYS)('%s, at %i pixels (D-32, D-96)', async (_, width, journey) => {
    const reading = (parties: readonly Party[], path: string) => readingAt(width, parties, path);
    const readers = await journey({ service: service.current, reading, connect });
    expect(readers.flatMap(({ faults }) => faults)).toEqual([]);
  });
});
