import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createRelayClient, followTurns } from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';
import { packageJson, ParcelLedger } from './support/parcelOnLedger.js';
import { config } from './support/serviceConfig.js';

let ledger: ParcelLedger;

beforeAll(async () => {
  ledger = await ParcelLedger.start();
});

afterAll(() => ledger.close());

test('[T-8] nobody is told to leave with a parcel that the service alone says was picked up', async () => {
  const parcel = await ledger.inTransit(1);
  const [courier] = parcel.couriers;
  if (courier === undefined) throw new Error('there is a courier');
  await ledger.accept(parcel, 0);
  const turn = {
    kind: 'package',
    packageId: parcel.id,
    legId: parcel.legIds[0],
    legIndex: 0,
    agentPubkey: courier.address,
    stage: 'carried',
    actions: ['claim'],
    until: new Date(Date.now() + 3_600_000).toISOString(),
    silence: 'x',
    stakeLamports: 1,
    paymentLamports: 1,
  };
  const service = await startOutsideService(({ path }) => {
    if (path === '/config') return { json: { ...config, programId: ledger.program, rpcUrl: ledger.ledger.rpcUrl } };
    return { json: path.startsWith('/packages/') ? packageJson(parcel) : [turn] };
  });
  const told: string[] = [];
  let asked = 0;
  const stopping = new AbortController();
  const ended = followTurns(
    createRelayClient({ url: service.url, signer: courier }),
    courier,
    {
      hasParcel: () => true,
      carried: ({ turn: { legId } }) => void told.push(legId),
      evidence: () => {
        asked += 1;
        return undefined;
      },
    },
    { signal: stopping.signal, everyMs: 20 },
  );
  onTestFinished(async () => {
    stopping.abort();
    await ended;
  });
  await expect.poll(() => asked).toBeGreaterThan(1);
  expect(told).toEqual([]);
  await ledger.accept(parcel, 0, true);
  await expect.poll(() => told).toEqual(parcel.legIds);
});
