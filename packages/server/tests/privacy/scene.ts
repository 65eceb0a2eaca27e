import { listPackage } from '@legwork/sdk';
import { sql } from 'kysely';
import { claim, goal, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { word } from '../operations/personalData/scene.js';
import { courier, move, moveWithText } from '../operations/turns/scene.js';
import { float8, foundInFiles, jsonbNumber, type Patterns } from '../support/databaseFiles.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import type { Party, TestService } from '../support/service.js';

/** Places that nothing else has. */
const HERE = { lat: 52.50741234, lng: 13.33265678 };
const THERE = { lat: 52.50313456, lng: 13.46947891 };
const PICKUP = { lat: 52.50742468, lng: 13.33261357 };

export const TEXTS = {
  description: word('violin'),
  reasoning: word('quick'),
  evidence: word('photo'),
  title: word('title'),
  goal: word('goal'),
  instruction: word('step'),
  result: word('answer'),
};

export const PATTERNS: Patterns = {
  ...Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, Buffer.from(text)])),
  'origin as text': Buffer.from(String(HERE.lat)),
  'pickup as text': Buffer.from(String(PICKUP.lat)),
  'origin in a column': float8(HERE.lat),
  'destination in a column': float8(THERE.lng),
  'pickup in a column': float8(PICKUP.lng),
  'origin in an event': jsonbNumber(HERE.lat),
};

const bidAt = (one: Party, packageId: string) => ({
  ...bidInput(one, packageId, 'zoo', 'ostkreuz', 0.1),
  pickupLat: PICKUP.lat,
  pickupLng: PICKUP.lng,
  dropoffLat: THERE.lat,
  dropoffLng: THERE.lng,
  reasoning: TEXTS.reasoning,
});

/** A package with terms that was claimed with evidence, disputed, and delivered. */
export async function deliveredPackage(service: TestService) {
  const [shipper, arbiter] = [await service.party(3), await service.party(1)];
  const carrier = await courier(service);
  const places = { originLat: HERE.lat, originLng: HERE.lng, destLat: THERE.lat, destLng: THERE.lng };
  const terms = { arbiterPubkey: arbiter.pubkey, cosignedPickup: false };
  const wanted = draft({ ...places, description: TEXTS.description, terms });
  const { id } = await listPackage(shipper.client, shipper.signer, wanted);
  await carrier.client.submitBid(bidAt(carrier, id));
  const parcel = await untilPackage(service, id, ({ status }) => status === 'in_transit');
  await move(service, { parcel }, 0, carrier, 'accept');
  await move(service, { parcel }, 0, carrier, 'take');
  await moveWithText(service, { parcel }, 0, carrier, 'claim', TEXTS.evidence);
  await move(service, { parcel }, 0, shipper, 'confirm');
  await untilPackage(service, id, ({ status }) => status === 'delivered');
  return { shipper, carrier, id };
}

export async function completedTask(service: TestService) {
  const words = { title: TEXTS.title, description: TEXTS.goal, legs: [{ instruction: TEXTS.instruction }] };
  const { poster, task } = await postedTask(service, goal(words));
  const worker = await service.party(1);
  await claim(worker, task, 0);
  await handIn(worker, task, 0, TEXTS.result);
  await untilTask(service, task.id, ({ status }) => status === 'completed');
  return { poster, worker, task };
}

/** The names of {@link PATTERNS} that the files of the database hold. */
export async function inFiles(service: TestService): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(service.db);
  return foundInFiles(rows[0]?.name ?? '', PATTERNS);
}
