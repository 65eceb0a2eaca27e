import { getReputationDecoder, reputationAddress } from '@legwork/program-client';
import { address, getBase64Encoder } from '@solana/kit';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { startReplica } from '../../coordinator/scene.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { bidInput, draft, formedPackage, untilPackage } from '../../support/market.js';
import { listPackage } from '@legwork/sdk';
import { type Party, withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { credentialOf, decoded, HOUR_MS, provenAgent, read, verify } from './scene.js';

/** A credential is dated back by the grace of clocks. */
const GRACE_SEC = 60;
const HALF_LIFE_SEC = 43_200;

const service = withService();

let agent: Party;
beforeAll(async () => {
  agent = await provenAgent(service.current);
});

/** The account at an address, read by RPC. */
async function accountAt(pda: string) {
  const { value } = await service.current.rpc
    .getAccountInfo(address(pda), { commitment: 'confirmed', encoding: 'base64' })
    .send();
  if (value === null) throw new Error(`the ledger shows nothing at ${pda}`);
  return { owner: value.owner, ...getReputationDecoder().decode(getBase64Encoder().encode(value.data[0])) };
}

/** Has the mirror say that it read the account so long ago. */
async function mirroredAgo(pubkey: string, hours: number): Promise<Date> {
  const mirroredAt = new Date(Date.now() - hours * HOUR_MS);
  await service.current.db
    .updateTable('reputations')
    .set({ mirrored_at: mirroredAt })
    .where('agent_pubkey', '=', pubkey)
    .execute();
  return mirroredAt;
}

describe('a reputation credential', () => {
  test('has every claim of the interface and nothing else (M-63)', async () => {
    const { coordinatorPubkey, programId } = service.current.server;
    const { header, payload } = decoded(await credentialOf(service.current, agent.pubkey));
    const [iss, sub] = [`did:svc:${coordinatorPubkey}`, `did:svc:${agent.pubkey}`];
    const { mirroredAt } = await agent.client.getReputation({ agentPubkey: agent.pubkey });
    const iat = Math.floor((mirroredAt?.getTime() ?? 0) / 1000) - GRACE_SEC;
    expect(header).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: `${iss}#key-1` });
    expect(payload).toEqual({
      iss,
      sub,
      iat,
      nbf: iat,
      exp: iat + 86_400,
      jti: expect.stringMatching(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      vc: {
        '@context': ['https://www.w3.org/2018/credentials/v1'],
        type: ['VerifiableCredential', 'SvcReputationCredential'],
        issuer: iss,
        issuanceDate: new Date(iat * 1000).toISOString(),
        credentialSubject: {
          id: sub,
          legsAccepted: 1,
          legsCompleted: 1,
          reliabilityScore: 100,
          onChainPDA: await reputationAddress(address(programId), address(agent.pubkey)),
          mirroredAt: mirroredAt?.toISOString(),
        },
      },
    });
    expect(Math.abs(Date.now() / 1000 - iat)).toBeLessThan(3600);
  });

  test('says what the account at onChainPDA says (M-63)', async () => {
    const { payload } = decoded(await credentialOf(service.current, agent.pubkey));
    const { onChainPDA, legsAccepted, legsCompleted, reliabilityScore } = payload.vc.credentialSubject;
    expect(await accountAt(onChainPDA)).toMatchObject({
      owner: service.current.server.programId,
      agent: agent.pubkey,
      legsAccepted: BigInt(legsAccepted),
      legsCompleted: BigInt(legsCompleted),
      reliabilityScore,
    });
  });

  test('is valid (M-64)', async () => {
    const jwt = await credentialOf(service.current, agent.pubkey);
    expect(await verify(service.current, jwt)).toEqual({ valid: true, payload: decoded(jwt).payload });
  });

  test('is text, or JSON for who asks for it (S-64)', async () => {
    const path = `/did/${agent.pubkey}/reputation`;
    const jwt = await credentialOf(service.current, agent.pubkey);
    for (const accept of ['', '*/*', 'text/plain', 'image/png', 'text/*;q=0.5, application/json;q=0.4']) {
      const type = 'text/plain; charset=utf-8';
      expect(await read(service.current, path, accept)).toEqual({
        status: 200,
        type,
        vary: 'Origin, Accept',
        text: jwt,
      });
    }
    const asJson = await read(service.current, path, 'application/json');
    expect(asJson).toMatchObject({ status: 200, type: 'application/json; charset=utf-8', vary: 'Origin, Accept' });
    expect(JSON.parse(asJson.text)).toEqual({ jwt });
    expect(await agent.client.getReputationCredential({ pubkey: agent.pubkey })).toEqual({ jwt });
  });

  test('is not there before the ledger shows an account (S-64)', async () => {
    const { client, pubkey } = await service.current.party(0);
    await client.registerAgent({ agentPubkey: pubkey });
    expect(await refusalOf(client.getReputationCredential({ pubkey }))).toMatchObject({
      status: 404,
      code: 'not_found',
      fields: ['pubkey'],
    });
    expect((await read(service.current, '/did/coordinator/reputation')).status).toBe(404);
    expect((await read(service.current, '/did/nonsense/reputation')).status).toBe(400);
  });

  test('is there from the first assigned leg on, with a score of 0 (M-63)', async () => {
    const { couriers } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const { payload } = decoded(await credentialOf(service.current, couriers[0]?.pubkey ?? ''));
    expect(payload.vc.credentialSubject).toMatchObject({ legsAccepted: 1, legsCompleted: 0, reliabilityScore: 0 });
  });
});

describe('the same credential', () => {
  test('is answered every time and by every replica, until the account changes (S-64)', async () => {
    const courier = await provenAgent(service.current);
    const first = await credentialOf(service.current, courier.pubkey);
    const replica = await startReplica(service.current);
    try {
      const response = await fetch(`${replica.url}/did/${courier.pubkey}/reputation`);
      expect(await response.text()).toBe(first);
    } finally {
      await replica.close();
    }
    expect(await credentialOf(service.current, courier.pubkey)).toBe(first);

    const shipper = await service.current.party();
    const { id } = await listPackage(shipper.client, shipper.signer, draft());
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
    await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    await untilQuiet(service.current);
    const second = decoded(await credentialOf(service.current, courier.pubkey)).payload;
    expect(second.vc.credentialSubject).toMatchObject({ legsAccepted: 2, legsCompleted: 1, reliabilityScore: 50 });
    expect(second.jti).not.toBe(decoded(first).payload.jti);
  });

  test.each([
    [11, 0],
    [13, 1],
    [23, 1],
    [30, 2],
  ])('of an account that was mirrored %i hours ago is of %i half lives later (S-64)', async (hours, halves) => {
    const mirroredAt = await mirroredAgo(agent.pubkey, hours);
    const jwt = await credentialOf(service.current, agent.pubkey);
    const { iat, vc } = decoded(jwt).payload;
    expect(iat).toBe(Math.floor(mirroredAt.getTime() / 1000) + halves * HALF_LIFE_SEC - GRACE_SEC);
    expect(vc.credentialSubject.mirroredAt).toBe(mirroredAt.toISOString());
    expect(await credentialOf(service.current, agent.pubkey)).toBe(jwt);
    expect(await verify(service.current, jwt)).toMatchObject({ valid: true });
  });

  test('is not sent to who has it, until it is another one (S-64)', async () => {
    const path = `${service.current.server.url}/did/${agent.pubkey}/reputation`;
    const ask = async (tag?: string) => {
      const response = await fetch(path, tag === undefined ? {} : { headers: { 'if-none-match': tag } });
      const { status, headers } = response;
      return {
        status,
        tag: headers.get('etag') ?? '',
        control: headers.get('cache-control'),
        jwt: await response.text(),
      };
    };
    await mirroredAgo(agent.pubkey, 1);
    const { tag } = await ask();
    expect(await ask(tag)).toEqual({ status: 304, tag, control: 'no-cache', jwt: '' });
    await mirroredAgo(agent.pubkey, 13);
    expect(await ask(tag)).toMatchObject({ status: 200, jwt: await credentialOf(service.current, agent.pubkey) });
    expect((await ask(tag)).tag).not.toBe(tag);
    const missing = await fetch(`${service.current.server.url}/did/coordinator/reputation`);
    expect([missing.status, missing.headers.get('cache-control'), missing.headers.get('etag')]).toEqual([
      404,
      'no-cache',
      null,
    ]);
  });

  test('is another one for every half life and every agent (M-63)', async () => {
    const ids: string[] = [];
    for (const hours of [1, 13, 25]) {
      await mirroredAgo(agent.pubkey, hours);
      ids.push(decoded(await credentialOf(service.current, agent.pubkey)).payload.jti);
    }
    expect(new Set(ids).size).toBe(3);
    const twin = await provenAgent(service.current);
    await sql`update reputations set mirrored_at = '2026-01-01T00:00:00Z'`.execute(service.current.db);
    const [one, other] = [
      await credentialOf(service.current, agent.pubkey),
      await credentialOf(service.current, twin.pubkey),
    ];
    expect(decoded(one).payload.iat).toBe(decoded(other).payload.iat);
    expect(decoded(one).payload.jti).not.toBe(decoded(other).payload.jti);
  });

  test('is kept while the mirror reads the account again and finds it as it was (S-64)', async () => {
    const courier = await provenAgent(service.current);
    const before = await credentialOf(service.current, courier.pubkey);
    // A service that starts reads again what happened last.
    await service.current.stop();
    await service.current.db.deleteFrom('ledger_transactions').execute();
    await service.current.db.deleteFrom('meta').where('key', '=', 'watcher_cursor').execute();
    await service.current.restart();
    await untilQuiet(service.current);
    expect(await credentialOf(service.current, courier.pubkey)).toBe(before);
  });
});
