import { address } from '@solana/kit';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { broadcast } from '../../../src/outbox/broadcast.js';
import { listPackageIntent } from '../../../src/outbox/listing.js';
import { signIntent } from '../../../src/outbox/signIntent.js';
import type { AppContext } from '../../../src/context.js';
import { leaseNext, persistSigned } from '../../../src/db/outbox.js';
import { runs } from '../../../src/operations/index.js';
import { draft } from '../../support/market.js';
import { withService } from '../../support/service.js';
import { advancedIn } from './scene.js';

const service = withService();

/** Posts while no worker runs, and waits until the posting is decided. */
async function decide(context: AppContext, requestKey: string) {
  const shipper = await service.current.party(0);
  const answer = runs.postSponsored(
    context,
    { ...draft(), deadline: undefined, terms: undefined, shipperPubkey: shipper.pubkey },
    { pubkey: undefined, ip: '192.0.2.1', requestKey },
  );
  for (;;) {
    const row = await context.db
      .selectFrom('packages')
      .select(['id', 'on_chain_package'])
      .where('request_key', '=', requestKey)
      .executeTakeFirst();
    if (row) return { answer, shipper, ...row };
    await sleep(20);
  }
}

async function listingsOf(onChainPackage: string): Promise<number> {
  return (await service.current.rpc.getSignaturesForAddress(address(onChainPackage)).send()).length;
}

describe('a sponsored posting whose service dies', () => {
  test('after the decision is listed by the next one, once, and a repeat of the request finds it (M-48)', async () => {
    await service.current.stop();
    const context = await service.current.context();
    try {
      const { answer, id, on_chain_package: onChainPackage, shipper } = await decide(context, 'decided');
      expect(await listingsOf(onChainPackage)).toBe(0);
      await service.current.restart();
      expect((await answer).answer).toMatchObject({ id, status: 'listed' });
      const counted = await advancedIn(service.current);
      const again = await runs.postSponsored(
        context,
        { ...draft(), deadline: undefined, terms: undefined, shipperPubkey: shipper.pubkey },
        { pubkey: undefined, ip: '192.0.2.1', requestKey: 'decided' },
      );
      expect(again.answer.id).toBe(id);
      expect(await advancedIn(service.current)).toBe(counted);
      expect(await listingsOf(onChainPackage)).toBe(1);
    } finally {
      await context.db.destroy();
    }
  });

  test('after the listing landed, before that was written, is listed once (M-48)', async () => {
    await service.current.stop();
    const context = await service.current.context();
    try {
      const { answer, id, on_chain_package: onChainPackage } = await decide(context, 'landed');
      const intent = await leaseNext(context.db, 1);
      if (intent?.kind !== 'list_package') throw new Error('no listing is due');
      const toSign = await listPackageIntent.instructions(context, intent);
      const signing = await signIntent(context.ledger, toSign?.instructions ?? []);
      if (!('signed' in signing)) throw new Error(signing.refused.reason);
      await persistSigned(context.db, intent, signing.signed);
      expect(await broadcast(context.ledger, signing.signed, () => undefined)).toMatchObject({ kind: 'landed' });
      await service.current.restart();
      expect((await answer).answer).toMatchObject({ id, status: 'listed', listSignature: signing.signed.signature });
      expect(await listingsOf(onChainPackage)).toBe(1);
      const listed = await context.db
        .selectFrom('events')
        .select('type')
        .where('subject', '=', `package:${id}`)
        .execute();
      expect(listed).toEqual([{ type: 'PACKAGE_LISTED' }]);
    } finally {
      await context.db.destroy();
    }
  });
});
