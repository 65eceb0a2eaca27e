import { configAddress, getSetCoordinatorInstruction } from '@legwork/program-client';
import { address, type KeyPairSigner, lamports } from '@solana/kit';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.js';
import { listIssuers, noteIssuer } from '../../../src/identity/credentialRows.js';
import { inTransaction } from '../../../src/db/transaction.js';
import { type Party, withService } from '../../support/service.js';
import { land, signed } from '../../support/transactions.js';
import { startServer } from '../../../src/startServer.js';
import {
  credentialOf,
  decoded,
  expiredCredential,
  issuedAt,
  issuerOf,
  keypairOf,
  newKeypairFile,
  provenAgent,
  read,
  verify,
} from './scene.js';

const service = withService();

let folder: string;
let agent: Party;
/** The coordinator that the ledger began with, and one that replaces it. */
let first: KeyPairSigner;
let second: KeyPairSigner;
let secondFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relay-issuers-'));
  [agent, first] = [await provenAgent(service.current), await issuerOf(service.current)];
  secondFile = await newKeypairFile(join(folder, 'second.json'));
  second = await keypairOf(secondFile);
  await service.current.rpc.requestAirdrop(second.address, lamports(1_000_000_000n)).send();
});
afterAll(() => rm(folder, { recursive: true }));

/** Has the program take orders from this key, and the service run with it. */
async function replaceCoordinator(to: KeyPairSigner, file: string): Promise<void> {
  const { current } = service;
  const programAddress = address(current.server.programId);
  const config = await configAddress(programAddress);
  await current.stop();
  const authority = await keypairOf(current.ledger.keypairs.authority.path);
  const set = getSetCoordinatorInstruction({ authority, config, coordinator: to.address }, { programAddress });
  await land(current, await signed(current, [authority], [set]));
  const environment = { ...current.environment(), COORDINATOR_KEYPAIR: file, LOG_LEVEL: 'silent' };
  current.server = await startServer(loadConfig(environment));
}

async function document(pubkey: string) {
  return JSON.parse((await read(service.current, `/did/${pubkey}`)).text) as {
    id: string;
    verificationMethod: { id: string; controller: string }[];
    assertionMethod: string[];
  };
}

const issuers = () =>
  service.current.db.selectFrom('issuer_keys').select(['pubkey', 'until']).orderBy('since').execute();

test('a service that starts with another key signs with it, and what the former one signed still verifies (S-66)', async () => {
  const old = await credentialOf(service.current, agent.pubkey);
  await replaceCoordinator(second, secondFile);
  const fresh = await credentialOf(service.current, agent.pubkey);
  expect(decoded(fresh).payload.iss).toBe(`did:svc:${second.address}`);
  expect(decoded(fresh).payload.jti).not.toBe(decoded(old).payload.jti);
  expect(await verify(service.current, fresh)).toMatchObject({ valid: true });
  expect(await verify(service.current, old)).toMatchObject({
    valid: true,
    payload: { iss: `did:svc:${first.address}` },
  });
  expect(await issuers()).toEqual([
    { pubkey: first.address, until: expect.any(Date) },
    { pubkey: second.address, until: null },
  ]);
});

test('the document of the coordinator lists the former key, which does not sign any more (S-63)', async () => {
  const shown = await document('coordinator');
  expect(shown.id).toBe(`did:svc:${second.address}`);
  expect(shown.verificationMethod.map(({ controller }) => controller)).toEqual([shown.id, `did:svc:${first.address}`]);
  expect(shown.assertionMethod).toEqual([`${shown.id}#key-1`]);
  // Of any other key it is as always, the former coordinator's included.
  expect((await document(first.address)).verificationMethod).toHaveLength(1);
});

test('an expired credential of the former key still costs trust (M-65)', async () => {
  const jwt = await expiredCredential(first, agent.pubkey);
  expect(await verify(service.current, jwt)).toEqual({ valid: false, reason: 'expired', expired: true });
  const { client } = await service.current.party(0);
  const { trust } = await client.getAgent({ agentPubkey: agent.pubkey });
  expect(trust.adjustmentPercent).toBe(-10);
});

test('a service that starts again with an old key makes that the present one (S-66)', async () => {
  const bySecond = await credentialOf(service.current, agent.pubkey);
  await replaceCoordinator(first, service.current.ledger.keypairs.coordinator.path);
  expect(decoded(await credentialOf(service.current, agent.pubkey)).payload.iss).toBe(`did:svc:${first.address}`);
  expect(await verify(service.current, bySecond)).toMatchObject({ valid: true });
  expect(await issuers()).toEqual([
    { pubkey: first.address, until: null },
    { pubkey: second.address, until: expect.any(Date) },
  ]);
});

test('a replica knows the key with which another one started after it (S-66)', async () => {
  const third = await keypairOf(await newKeypairFile(join(folder, 'third.json')));
  const jwt = await issuedAt(third, agent.pubkey, Date.now());
  expect(await verify(service.current, jwt)).toEqual({ valid: false, reason: 'unknown_issuer' });
  await inTransaction(service.current.db, (trx) => noteIssuer(trx, third.address));
  expect(await verify(service.current, jwt)).toMatchObject({ valid: true });
  expect((await document('coordinator')).verificationMethod).toHaveLength(3);
});

test('of many that start at once, with two keys, one says which is present (S-66)', async () => {
  const keys = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? first : second));
  await Promise.all(keys.map((key) => inTransaction(service.current.db, (trx) => noteIssuer(trx, key.address))));
  const present = (await issuers()).filter(({ until }) => until === null);
  expect(present).toHaveLength(1);
  expect([first.address, second.address]).toContain(address(present[0]?.pubkey ?? ''));
  expect(await listIssuers(service.current.db)).toHaveLength(3);
});
