import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLegworkClient } from '@legwork/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Instance } from '../src/start/instanceFile.js';
import { temporaryFolders } from './support/command.js';
import { runHere } from './support/line.js';
import { openTown, say, type Town } from './support/town.js';

/** A bound for a machine that is busy with other tests. */
const SLOW = 600_000;
const newFolder = temporaryFolders();

let folder: string;
beforeAll(async () => {
  folder = await newFolder();
});

const WAY = ['--from', '52.5074,13.3326', '--to', '52.5031,13.4694'];
const PARCEL = ['--what', 'a lamp', '--kg', '1', '--litres', '2', '--budget', '0.2'];

interface Posted {
  readonly id: string;
  readonly terms: { readonly receiverPubkey: string | null; readonly arbiterPubkey: string } | null;
}

/** A package with one courier who has accepted. @returns the ids of package and leg */
async function accepted({ instance, folder: at }: Town, options: readonly string[]) {
  const [shipper, courier] = [join(at, 'shipper.json'), join(at, 'courier.json')];
  const posted = await say<Posted>(instance, shipper, ['post', 'package', ...WAY, ...PARCEL, ...options]);
  await say(instance, courier, ['bid', posted.id, '--cost', '0.05']);
  const legId = await legOf(instance, posted.id);
  await say(instance, courier, ['move', 'accept', legId]);
  return { posted, legId };
}

async function legOf({ url }: Instance, packageId: string): Promise<string> {
  const client = createLegworkClient({ url });
  for (;;) {
    const { swarm } = await client.getPackage({ packageId });
    const [leg] = swarm?.legs ?? [];
    if (swarm?.status === 'active' && leg) return leg.id;
    await sleep(100);
  }
}

async function stageOf({ url }: Instance, packageId: string) {
  const { swarm, status } = await createLegworkClient({ url }).getPackage({ packageId });
  return { status, stage: swarm?.legs[0]?.stage, percent: swarm?.legs[0]?.percent };
}

describe('packages with terms, from the command line', () => {
  test('are disputed and ruled, received with a code or early (A-103), and left; private parts are for those in the package', {
    timeout: SLOW,
  }, async () => {
    const town = await openTown(folder, ['shipper', 'courier', 'other']);
    const { instance } = town;
    const [shipper, courier, arbiter] = ['shipper.json', 'courier.json', 'data/arbiter-keypair.json'].map((file) =>
      join(folder, file),
    );

    const { posted, legId } = await accepted(town, []);
    expect(posted.terms).toMatchObject({ arbiterPubkey: instance.arbiterPubkey, cosignedPickup: true });
    await Promise.all([courier, shipper].map((key) => say(instance, key, ['move', 'take', legId])));
    expect(await stageOf(instance, posted.id)).toMatchObject({ stage: 'carried' });

    const said = async (name: string, text: string) => {
      await writeFile(join(folder, name), text);
      return ['--file', join(folder, name)];
    };
    const turns = await runHere(['turns', '--url', instance.url, '--key', courier ?? '']);
    expect(turns.stdout).toContain(`legwork move claim ${legId} --file FILE`);
    await say(instance, courier, ['move', 'claim', legId, ...(await said('claim.txt', 'at the door'))]);
    await say(instance, shipper, ['move', 'dispute', legId, ...(await said('dispute.txt', 'at no door'))]);

    const { disputes } = await say<{ disputes: unknown[] }>(instance, arbiter, ['arbiter', 'list']);
    expect(disputes).toMatchObject([{ legId, stage: 'disputed' }]);
    const { evidence } = await say<{ evidence: { names: string; text: string }[] }>(instance, arbiter, [
      'arbiter',
      'show',
      legId,
    ]);
    const named = evidence.filter(({ names }) => names !== 'nothing');
    expect(named).toMatchObject([
      { names: 'claim', text: 'at the door' },
      { names: 'dispute', text: 'at no door' },
    ]);
    const [, reason = ''] = await said('reason.txt', 'it shows another door');
    await say(instance, arbiter, ['arbiter', 'rule', legId, '--percent', '40', '--reason', reason]);
    await expect.poll(() => stageOf(instance, posted.id)).toMatchObject({ status: 'delivered', percent: 40 });
    // Somebody else reads why, and nothing but that.
    const why = await say(instance, join(folder, 'other.json'), ['arbiter', 'show', legId, '--package', posted.id]);
    expect(why).toMatchObject({ evidence: [{ names: 'ruling', text: 'it shows another door' }] });

    const file = join(folder, 'code.txt');
    const { posted: gift, legId: giftLeg } = await accepted(town, ['--receiver-code', file]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(gift.terms?.receiverPubkey).not.toBeNull();
    await Promise.all([shipper, courier].map((key) => say(instance, key, ['move', 'take', giftLeg])));
    await say(instance, courier, ['move', 'confirm', giftLeg, '--code', file]);
    await expect.poll(() => stageOf(instance, gift.id)).toMatchObject({ status: 'delivered' });

    const { posted: early, legId: earlyLeg } = await accepted(town, []);
    for (const words of [
      ['handoff', early.id],
      ['move', 'confirm', earlyLeg],
    ]) {
      const paid = await runHere([...words, '--url', instance.url, '--key', shipper ?? '']);
      expect(paid).toMatchObject({ code: 1, stdout: '' });
      expect(paid.stderr).toMatch(
        /^nobody has picked up the parcel of this leg, and confirming pays \w+ 0\.\d+ SOL at once\. Run /,
      );
    }
    await say(instance, shipper, ['handoff', early.id, '--even-before-pickup']);
    await expect.poll(() => stageOf(instance, early.id)).toMatchObject({ status: 'delivered' });

    const exact = { pickup: { address: 'Hof 3, left', note: 'ring twice' }, dropoff: { address: 'Attic' } };
    const [, privately = ''] = await said('private.json', JSON.stringify(exact));
    const guarded = ['--terms', 'guarded', '--min-completed', '0'];
    const { posted: left, legId: leftLeg } = await accepted(town, [...guarded, '--private', privately]);
    expect(left).toMatchObject({ originLat: 52.51, originLng: 13.33 });
    expect(await say(instance, shipper, ['private', left.id])).toMatchObject(exact);
    expect(await say(instance, courier, ['private', left.id])).toMatchObject({ pickup: exact.pickup, dropoff: null });
    await say(instance, courier, ['move', 'vacate', leftLeg]);
    const former = await runHere(['private', left.id, '--url', instance.url, '--key', courier ?? '']);
    expect(former).toMatchObject({ code: 1, stdout: '' });
    const vacant = await say<unknown[]>(instance, undefined, ['openings']);
    expect(vacant).toMatchObject([{ packageId: left.id, legId: leftLeg }]);
    const moved = await say(instance, shipper, ['move', 'pickup', leftLeg, '--at', '52.51,13.34']);
    expect(moved).toMatchObject({ legId: leftLeg, pickup: { lat: 52.51, lng: 13.34 } });
    const other = join(folder, 'other.json');
    const bid = await say(instance, other, ['bid', left.id, '--leg', leftLeg, '--cost', '0.05']);
    expect(bid).toMatchObject({ packageId: left.id, costLamports: 50_000_000 });

    const parcel = ['post', 'package', ...WAY, ...PARCEL, '--key', shipper ?? ''];
    const [, faulty = ''] = await said('private.json', '{"pickup": {"adress": "Hof 3"}}');
    const refused = await runHere([...parcel, '--private', faulty]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('pickup.address');
    const again = await runHere([...parcel, '--receiver-code', file]);
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(again.stderr).toContain('cannot be written');
  });
});
