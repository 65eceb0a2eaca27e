import { createHash } from 'node:crypto';
import { cancelPackage, createLegworkClient, papersOf } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { listWithoutService } from '../audit/scene.js';
import { listPackage } from '../support/listed.js';
import { draft, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { until } from '../support/until.js';
import { refused } from './digitalTasks/scene.js';

const service = withService({ settings: (usual) => ({ ...usual, REBUILD: 'all' }) });

test('papers with another salt, text or listing, and those of what was erased, are refused and change nothing (S-259)', async () => {
  const { current } = service;
  const { client, signer } = await current.party(2);
  const stranger = await current.party(0);
  const [one, other] = [await listPackage(client, signer, draft()), await listPackage(client, signer, draft())];
  const { listingId, document } = papersOf(one);
  const wrong = [
    document.replace(/"salt":"../, (salt) => `${salt.slice(0, -2)}${salt.endsWith('00') ? '11' : '00'}`),
    document.replace('books', 'bricks'),
    document.replaceAll(',"', ', "'),
    papersOf(other).document,
  ];
  for (const said of wrong) {
    expect(said).not.toBe(document);
    const giving = () => stranger.client.givePapers({ listingId, document: said });
    expect(await refused(current, giving)).toMatchObject({ code: 'invalid_input' });
  }
  await cancelPackage(client, current.rpc, signer, one.id);
  await untilPackage(current, one.id, ({ finality }) => finality === 'final');
  await client.erasePackageData({ packageId: one.id });
  const again = () => stranger.client.givePapers({ listingId, document });
  expect(await refused(current, again)).toMatchObject({ code: 'invalid_status' });
  expect(await client.getPackage({ packageId: one.id })).toMatchObject({ description: 'erased', salt: null });
});

test('papers that were signed for and are none, because nobody checked them, stay unknown (S-259)', async () => {
  const { current } = service;
  const parcel = { description: 'x', destination: { lat: 1, lng: 1 }, origin: { lat: 0, lng: 0 }, v: 1 };
  const documents = [
    JSON.stringify({ volumeLitres: 1, weightKg: 1, ...parcel }),
    `{"description":${'['.repeat(30_000)}}`,
    `{"description":${'['.repeat(15_000)}${']'.repeat(15_000)}}`,
  ];
  const ids: string[] = [];
  for (const document of documents) {
    ids.push(await listWithoutService(current, createHash('sha256').update(document).digest()));
  }
  await current.stop();
  await current.restart();
  const client = createLegworkClient({ url: current.server.url });
  await until('they are rebuilt', async () => {
    const { items } = await client.listPackages({ limit: 200 });
    return ids.every((id) => items.some((one) => one.id === id));
  });
  for (const [index, document] of documents.entries()) {
    const listingId = ids[index] ?? '';
    expect(await refused(current, () => client.givePapers({ listingId, document }))).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('has the hash of the listing, and cannot be shown') as string,
    });
    expect(await client.getPackage({ packageId: listingId })).toMatchObject({ documentKnown: false });
  }
});
