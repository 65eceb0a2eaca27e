import { createUuid } from '@legwork/protocol/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { mirrorLeg } from '../../../src/legs/confirm.js';
import { attempt, post, type Refusal, refusedWith } from '../../support/refusal.js';
import { type Party, withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { type Market, twoLegs, Wallets } from '../../mirror/walletScene.js';

const service = withService();
const wallets = () => new Wallets(service.current);
let context: AppContext;
let market: Market;
let stranger: Party;

const courierOf = (index: number): string => market.parcel.swarm?.legs[index]?.agentPubkey ?? '';
const legOf = (index: number): string => market.parcel.swarm?.legs[index]?.id ?? '';

beforeAll(async () => {
  context = await service.current.context();
  stranger = await service.current.party(0);
  market = await twoLegs(service.current);
});
afterAll(() => context.db.destroy());

async function answerTo(legId: string, body: unknown) {
  await untilQuiet(service.current);
  return attempt(service.current, [], () => post(service.current, `/swarms/legs/${legId}/mirror`, body));
}

describe('having a confirmation read from the ledger', () => {
  test('is refused by name and way while there is none (S-53)', async () => {
    const refusal: Refusal = {
      status: 409,
      code: 'not_confirmed_on_chain',
      fields: ['legId'],
      says: new RegExp(`${courierOf(1)} signs.*${legOf(0)}/build-confirm-tx`),
    };
    for (const agentPubkey of [courierOf(0), courierOf(1)]) {
      expect(await answerTo(legOf(0), { agentPubkey })).toEqual(refusedWith(refusal));
    }
  });

  test('is refused to a key that neither carries nor receives (S-53)', async () => {
    for (const agentPubkey of [stranger.pubkey, market.shipper.pubkey]) {
      expect(await answerTo(legOf(0), { agentPubkey })).toEqual(
        refusedWith({
          status: 403,
          code: 'wrong_recipient',
          fields: ['agentPubkey'],
          says: new RegExp(`carried by ${courierOf(0)} and confirmed by ${courierOf(1)}`),
        }),
      );
    }
  });

  test('is refused for a leg that is not there', async () => {
    expect(await answerTo(createUuid(), { agentPubkey: courierOf(0) })).toEqual(
      refusedWith({ status: 404, code: 'not_found', fields: ['legId'] }),
    );
  });

  test('records it and what was confirmed before it, in order, with no watcher at work (S-53, S-51)', async () => {
    await untilQuiet(service.current);
    await service.current.stop();
    const signatures = [await wallets().confirm(market, 0), await wallets().confirm(market, 1)];
    const ask = (index: number, agentPubkey: string) => mirrorLeg(context, { legId: legOf(index), agentPubkey });
    expect((await ask(1, courierOf(1))).answer).toEqual({
      legId: legOf(1),
      status: 'completed',
      swarmStatus: 'active',
      confirmSignature: signatures[1],
      settleSignature: null,
      recipientPubkey: market.shipper.pubkey,
      finality: 'confirmed',
    });
    expect((await ask(0, courierOf(0))).answer).toMatchObject({ status: 'completed', confirmSignature: signatures[0] });
    await service.current.restart();
    await untilQuiet(service.current);
    const confirmed = await service.current.db
      .selectFrom('events')
      .select('payload')
      .where('type', '=', 'LEG_CONFIRMED')
      .orderBy('seq')
      .execute();
    expect(confirmed.map(({ payload }) => payload['legIndex'])).toEqual([0, 1]);
  });

  test('takes no confirmation of the formation for a leg of a swarm that never was (S-53)', async () => {
    // The swarm that formed has the addresses of the one that did not.
    const { db } = service.current;
    const other = await twoLegs(service.current);
    await wallets().confirm(other, 0);
    await untilQuiet(service.current);
    const ofOther = other.parcel.swarm;
    const formed = await db
      .selectFrom('swarms')
      .selectAll()
      .where('id', '=', ofOther?.id ?? '')
      .executeTakeFirstOrThrow();
    const confirmed = ofOther?.legs[0]?.id ?? '';
    const leg = await db.selectFrom('legs').selectAll().where('id', '=', confirmed).executeTakeFirstOrThrow();
    const swarmId = createUuid();
    const legId = createUuid();
    const never = { id: swarmId, status: 'failed' as const, form_signature: null, failure: 'it was refused' };
    await db
      .insertInto('swarms')
      .values({ ...formed, ...never })
      .execute();
    const open = {
      id: legId,
      swarm_id: swarmId,
      status: 'pending' as const,
      confirm_signature: null,
      completed_at: null,
      paid_lamports: null,
    };
    await db
      .insertInto('legs')
      .values({ ...leg, ...open })
      .execute();
    expect(await answerTo(legId, { agentPubkey: leg.agent_pubkey })).toEqual(
      refusedWith({ status: 409, code: 'not_confirmed_on_chain', fields: ['legId'], says: /swarm is failed/ }),
    );
  });
});
