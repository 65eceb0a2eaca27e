import { createUuid } from '@legwork/protocol/contract';
import { createSolanaRpc, generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createLegworkClient, followTurns } from '../src/index.js';
import { attendTurns } from '../src/turns/attendTurns.js';
import { MoveInstructions } from './support/moveInstructions.js';
import { startOutsideService } from './support/outsideService.js';
import { packageJson, ParcelLedger } from './support/parcelOnLedger.js';
import { config } from './support/serviceConfig.js';
import { wire } from './support/transactions.js';

let ledger: ParcelLedger;

beforeAll(async () => {
  ledger = await ParcelLedger.start();
});

afterAll(() => ledger.close());

/** A turn as the service tells it. */
const turnOf = (packageId: string, legId: string, agentPubkey: string) => ({
  kind: 'package',
  packageId,
  legId,
  legIndex: 0,
  agentPubkey,
  stage: 'carried',
  actions: ['claim'],
  until: new Date(Date.now() + 3_600_000).toISOString(),
  silence: 'x',
  stakeLamports: 1,
  paymentLamports: 1,
});

test('[T-61] every page of turns is looked at, also behind an empty one', async () => {
  const { address: pubkey } = await generateKeyPairSigner();
  const ids = Array.from({ length: 4 }, () => createUuid());
  const pages = [ids.slice(0, 2), [], ids.slice(2)];
  const service = await startOutsideService(({ path }) => {
    const at = Number(new URL(path, 'http://localhost').searchParams.get('cursor') ?? 0);
    const link = at + 1 < pages.length && { link: `<?pubkey=${pubkey}&cursor=${at + 1}>; rel="next"` };
    return { headers: { ...link }, json: pages[at]?.map((id) => turnOf(id, id, pubkey)) };
  });
  const looked: string[] = [];
  const stopping = new AbortController();
  const attendant = {
    client: createLegworkClient({ url: service.url }),
    pubkey,
    rpc: createSolanaRpc(ledger.ledger.rpcUrl),
    look({ legId }: { legId: string }) {
      looked.push(legId);
      if (looked.length === ids.length) stopping.abort();
      return Promise.resolve(undefined);
    },
    failed(error: unknown) {
      throw error;
    },
  };
  await attendTurns(attendant, { signal: stopping.signal });
  expect(looked).toEqual(ids);
});

test('[A-106] no stake is posted under other terms than the policy was told, whatever the service says a moment later', async () => {
  const parcel = await ledger.inTransit(1);
  const [courier] = parcel.couriers;
  if (courier === undefined) throw new Error('there is a courier');
  const turn = { ...turnOf(parcel.id, parcel.legIds[0] ?? '', courier.address), stage: 'pending', actions: ['accept'] };
  const shown = packageJson(parcel);
  const legs = shown.swarm.legs.map((leg) => ({ ...leg, stage: 'pending' }));
  const truth = { ...shown, swarm: { ...shown.swarm, legs } };
  const transaction = wire(courier.address, [new MoveInstructions(ledger).accepting(parcel)]);
  let read = 0;
  const service = await startOutsideService(({ path }) => {
    if (path === '/config') return { json: { ...config, programId: ledger.program, rpcUrl: ledger.ledger.rpcUrl } };
    if (path === '/turns/build-tx') {
      const built = { legId: turn.legId, action: 'accept', signers: [courier.address], blockhash: 'x' };
      return { json: { ...built, transaction, lastValidBlockHeight: 1 } };
    }
    if (!path.startsWith('/packages/')) return { json: [turn] };
    read += 1;
    // The policy decides by the first answer, and the move is checked with the second.
    return { json: read % 2 === 1 ? { ...truth, terms: { ...shown.terms, stakeLamports: 1_781_760 } } : truth };
  });
  const failures = new Set<string>();
  const stopping = new AbortController();
  const ended = followTurns(
    createLegworkClient({ url: service.url, signer: courier }),
    courier,
    { accepts: () => true, failed: (error) => void failures.add(String(error)) },
    { signal: stopping.signal, everyMs: 20 },
  );
  onTestFinished(async () => {
    stopping.abort();
    await ended;
  });
  await expect.poll(() => [...failures].join(' ')).toContain('is 30000000, and 1781760 by the service');
  expect(service.received.filter(({ path }) => path === '/turns')).toEqual([]);
});

test('[T-8] nobody is told to leave with a parcel that the service alone says was picked up', async () => {
  const parcel = await ledger.inTransit(1);
  const [courier] = parcel.couriers;
  if (courier === undefined) throw new Error('there is a courier');
  await ledger.accept(parcel, 0);
  const turn = turnOf(parcel.id, parcel.legIds[0] ?? '', courier.address);
  const service = await startOutsideService(({ path }) => {
    if (path === '/config') return { json: { ...config, programId: ledger.program, rpcUrl: ledger.ledger.rpcUrl } };
    return { json: path.startsWith('/packages/') ? packageJson(parcel) : [turn] };
  });
  const told: string[] = [];
  let asked = 0;
  const stopping = new AbortController();
  const ended = followTurns(
    createLegworkClient({ url: service.url, signer: courier }),
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
