import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { byteOperations, type Operation, operations } from '@legwork/protocol/contract';
import {
  confirmLeg,
  createLegworkClient,
  type DigitalTaskDetail,
  downloadArtifact,
  type Fetch,
  uploadArtifact,
  papersOf,
} from '@legwork/sdk';
import { generateKeyPairSigner, getBase58Decoder } from '@solana/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claim, giveBack, goal, handIn, legIdOf, untilTask } from '../operations/digitalTasks/scene.js';
import { anySignature, newWalletPubkey } from '../operations/rewards/scene.js';
import { paidByCoordinator } from '../fees/scene.js';
import { at, formedWithTerms, legNow, move } from '../operations/turns/scene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { type Party, TestService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { listDigitalTask, listPackage } from '../support/listed.js';
import { Receiver } from '../webhooks/receiver.js';

interface Entry {
  level: number;
  msg: string;
  url?: string;
  method?: string;
  status?: number;
  err?: { message: string; cause?: { cause?: { code?: string } } };
  unsafe?: string[];
}

const WARN = 40;
const password = `password-${randomBytes(8).toString('hex')}`;
const rpcKey = `rpc-key-${randomBytes(8).toString('hex')}`;
const apiKey = `api-key-${randomBytes(8).toString('hex')}`;
const session = `session-${randomBytes(8).toString('hex')}`;
const inBody = `body-${randomBytes(8).toString('hex')}`;
const inQuery = `query-${randomBytes(8).toString('hex')}`;

const lines: string[] = [];
const adminKey = `admin-key-${randomBytes(8).toString('hex')}`;
const secrets = new Set([password, adminKey, rpcKey, apiKey, session, inBody, inQuery]);
let service: TestService;

beforeAll(async () => {
  service = await TestService.start({
    logTo: { write: (line) => lines.push(line) },
    settings: ({ DATABASE_URL = '', SOLANA_RPC_URL = '' }) => ({
      LOG_LEVEL: 'trace',
      WEBHOOK_TARGETS: 'any',
      ADMIN_KEY: adminKey,
      REWARD_WINDOW_OPENS: '2020-01-01T00:00:00.000Z',
      REWARD_WINDOW_CLOSES: '2120-01-01T00:00:00.000Z',
      HOST: '0.0.0.0',
      DATABASE_URL: DATABASE_URL.replace('relay@', `relay:${password}@`),
      SOLANA_RPC_URL: `${SOLANA_RPC_URL}/?api-key=${rpcKey}`,
    }),
  });
  const file = await readFile(service.ledger.keypairs.coordinator.path, 'utf8');
  addKey(Uint8Array.from(JSON.parse(file) as number[]));
});
afterAll(() => service.close());

/** Every way in which a keypair could be written. */
function addKey(bytes: Uint8Array): void {
  for (const part of [bytes, bytes.subarray(0, 32)]) {
    secrets.add(part.join(','));
    secrets.add(part.join(', '));
    for (const encoding of ['hex', 'base64', 'base64url'] as const) secrets.add(Buffer.from(part).toString(encoding));
    secrets.add(getBase58Decoder().decode(part));
  }
}

/** Sends as given, with keys in headers as agents and proxies add them, and remembers what is nobody else's business. */
const recordingFetch: Fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  for (const name of ['x-signature', 'x-nonce']) {
    const value = headers.get(name);
    if (value !== null) secrets.add(value);
  }
  headers.set('x-api-key', apiKey);
  headers.set('authorization', `Bearer ${apiKey}`);
  headers.set('cookie', `session=${session}`);
  if (typeof init?.body === 'string') {
    const [, transaction] = /"transaction":"([^"]+)"/.exec(init.body) ?? [];
    if (transaction !== undefined) secrets.add(transaction);
  }
  return fetch(input, { ...init, headers });
};

const recorded = (wallet: Party): Party => ({
  ...wallet,
  client: createLegworkClient({ url: service.server.url, signer: wallet.signer, adminKey, fetch: recordingFetch }),
});

const party = async () => recorded(await service.party());

/** Makes the reading calls about a package that was delivered. */
async function readEverything({ client }: Party, courier: Party, packageId: string): Promise<void> {
  const { swarm } = await client.getPackage({ packageId });
  await client.getSwarm({ swarmId: swarm?.id ?? '' });
  await client.getPackageMoney({ packageId });
  await client.getPackageReceipts({ packageId });
  await client.getPackageCustody({ packageId });
  await client.getDecision({ packageId });
  await client.getPrivateParts({ packageId });
  await client.listPrivateReadings({ packageId });
  await client.listBids({ packageId });
  await client.listAgents({});
  await client.listAgentBids({ agentPubkey: courier.pubkey });
  await client.getAgent({ agentPubkey: courier.pubkey });
  await client.listAgentLegs({ agentPubkey: courier.pubkey });
  await client.getReputation({ agentPubkey: courier.pubkey });
  const { address: agentPubkey } = await generateKeyPairSigner();
  await client.buildOpenReputationTx({ agentPubkey, payerPubkey: courier.pubkey });
  await client.getLeaderboard();
  await client.getStats();
  await client.listEvents({ package: packageId });
  await client.listRelays();
  await client.findWork({ q: inBody });
  await client.quote({ numLegs: 1, capabilities: [inBody] });
  await client.lookup({ text: packageId });
  const operator = recorded(await service.operator()).client;
  await operator.getOperations();
  await operator.actAsOperator({ act: 'heal', listingId: packageId });
  await operator.listOperatorActs();
  await client.givePapers(papersOf(await client.getPackage({ packageId })));
  await expect(client.givePapers({ listingId: packageId, document: JSON.stringify({ inBody }) })).rejects.toThrow(
    /has another hash/,
  );
}

/** A package with terms, whose only courier says something and leaves. */
async function useTerms(): Promise<void> {
  const cast = await formedWithTerms(service, [['zoo', 'ostkreuz', 0.1]]);
  const [shipper, courier] = [recorded(cast.shipper), recorded(at(cast.couriers, 0))];
  const packageId = cast.parcel.id;
  const { id: legId } = await legNow(service, packageId, 0);
  await courier.client.listTurns({ pubkey: courier.pubkey });
  await courier.client.getArbiter({ arbiterPubkey: cast.arbiter.pubkey });
  await courier.client.putEvidence({ legId, text: inBody });
  await shipper.client.listEvidence({ legId });
  await move(service, cast, 0, courier, 'vacate');
  await courier.client.listOpenings({ packageId });
  await shipper.client.moveOpening({ packageId, legId, pickupLat: 52.51, pickupLng: 13.34 });
}

/** The ways out of packages that are listed, stuck and over. */
async function buildExits(shipper: Party, courier: Party, deliveredId: string): Promise<void> {
  await shipper.client.buildCloseTx({ packageId: deliveredId });
  const { id } = await listPackage(shipper.client, shipper.signer, draft({ biddingWindowSec: 60 }));
  const { transaction } = await shipper.client.buildCancelTx({ packageId: id });
  const bid = await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
  await courier.client.withdrawBid({ bidId: bid.id });
  await shipper.client.relayTransaction({ transaction: await paidByCoordinator(service, transaction, [shipper]) });
  const stuck = await shipper.client.postSponsored({ ...draft(), shipperPubkey: shipper.pubkey });
  await courier.client.submitBid(bidInput(courier, stuck.id, 'zoo', 'ostkreuz', 0.1));
  await untilPackage(service, stuck.id, ({ status }) => status === 'in_transit');
  await service.advanceTime(73 * 3600);
  await shipper.client.buildReclaimTx({ packageId: stuck.id });
}

/** Hands in a result with a file, and reads that. */
async function handInWithFile({ client, pubkey }: Party, task: DigitalTaskDetail): Promise<void> {
  const leg = { taskId: task.id, legId: legIdOf(task, 0) };
  const content = new Uint8Array(Buffer.from(inBody));
  const file = await uploadArtifact(client, { ...leg, content, name: inBody, contentType: 'text/plain' });
  await client.completeDigitalLeg({ ...leg, agentPubkey: pubkey, result: inBody, artifacts: [file] });
  for await (const piece of downloadArtifact(client, { ...leg, sha256: file.sha256 })) expect(piece).toEqual(content);
}

/**
 * Digital tasks: one that is completed, one whose reservation is given back, and one under way.
 *
 * @returns the id of the last, which can be reclaimed after its deadline
 */
async function useTasks(poster: Party, worker: Party): Promise<string> {
  const words = { title: inBody, description: inBody };
  const whole = await listDigitalTask(
    poster.client,
    poster.signer,
    goal({ ...words, legs: [{ instruction: inBody }] }),
  );
  await worker.client.listDigitalTasks({ open: true });
  await claim(worker, whole, 0);
  await handInWithFile(worker, whole);
  await untilTask(service, whole.id, ({ status }) => status === 'completed');
  await poster.client.buildCloseDigitalTaskTx({ taskId: whole.id });
  await untilQuiet(service);
  await poster.client.eraseTaskData({ taskId: whole.id });
  const sponsored = await poster.client.postSponsoredDigitalTask({ ...goal(words), shipperPubkey: poster.pubkey });
  await claim(worker, sponsored, 1);
  await giveBack(worker, sponsored, 1);
  await poster.client.buildCancelDigitalTaskTx({ taskId: sponsored.id });
  const begun = await listDigitalTask(poster.client, poster.signer, goal(words));
  await claim(worker, begun, 0);
  await handIn(worker, begun, 0, inBody);
  await untilTask(service, begun.id, ({ completedLegs }) => completedLegs === 1);
  await worker.client.getDigitalTask({ taskId: begun.id });
  await worker.client.getTaskMoney({ taskId: begun.id });
  await worker.client.getTaskReceipts({ taskId: begun.id });
  return begun.id;
}

/** The worker's credential, which is checked, and its reward claim, which is paid. */
async function useWhatWasEarned({ client, pubkey }: Party): Promise<void> {
  await client.getDid({ pubkey: 'coordinator' });
  const { jwt } = await client.getReputationCredential({ pubkey });
  secrets.add(jwt);
  expect(await client.verifyCredential({ jwt })).toMatchObject({ valid: true });
  await untilQuiet(service);
  const { devnetEarningsLamports } = await client.previewRewardClaim({ devnetPubkey: pubkey });
  const payout = { mainnetPubkey: newWalletPubkey(), confirmedEarningsLamports: Number(devnetEarningsLamports) };
  const { id } = await client.registerRewardClaim({ devnetPubkey: pubkey, ...payout });
  await client.getMyRewardClaim({ devnetPubkey: pubkey });
  await client.listRewardClaims({});
  await client.exportRewardClaims();
  await client.markRewardClaimPaid({ claimId: id, signature: anySignature() });
}

/** A webhook that is delivered to. */
async function useWebhooks({ client }: Party): Promise<void> {
  const receiver = await Receiver.start();
  secrets.add(receiver.secret.slice('whsec_'.length));
  const { id: webhookId } = await client.registerWebhook({ url: receiver.url, secret: receiver.secret });
  await client.listWebhooks();
  await client.testWebhook({ webhookId });
  await client.redeliverWebhook({ webhookId, since: 0 });
  await receiver.until(1);
  const { secret } = await client.rotateWebhookSecret({ webhookId });
  secrets.add(secret.slice('whsec_'.length));
  await client.deleteWebhook({ webhookId });
  receiver.stop();
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const sent = 'what-only-the-push-service-knows';
  for (const secret of [...Object.values(keys), sent]) secrets.add(secret);
  const { id: subscriptionId } = await client.subscribePush({ endpoint: `https://push.invalid/${sent}`, keys });
  await client.unsubscribePush({ subscriptionId });
}

/** A package and digital tasks, by every operation there is. */
async function useEveryOperation(): Promise<void> {
  const [shipper, courier] = [await party(), await party()];
  await courier.client.getHealth();
  await courier.client.getReadiness();
  await courier.client.getConfig();
  await courier.client.registerAgent({ agentPubkey: courier.pubkey, displayName: inBody });
  const { id } = await listPackage(shipper.client, shipper.signer, draft({ description: inBody }));
  await courier.client.listPackages({});
  await courier.client.submitBid({ ...bidInput(courier, id, 'zoo', 'ostkreuz', 0.1), reasoning: inBody });
  const formed = await untilPackage(service, id, ({ status }) => status === 'in_transit');
  await confirmLeg(shipper.client, service.rpc, shipper.signer, formed.swarm?.legs[0]?.id ?? '');
  await untilPackage(service, id, ({ status }) => status === 'delivered');
  await courier.client.mirrorLeg({ legId: formed.swarm?.legs[0]?.id ?? '', agentPubkey: courier.pubkey });
  await courier.client.updateAgent({ agentPubkey: courier.pubkey, displayName: inBody });
  await readEverything(shipper, courier, id);
  const taskId = await useTasks(shipper, courier);
  await useTerms();
  await useWebhooks(courier);
  await useWhatWasEarned(courier);
  await shipper.client.erasePackageData({ packageId: id });
  await buildExits(shipper, courier, id);
  await shipper.client.buildReclaimDigitalTaskTx({ taskId });
}

function pathOf({ path }: Operation): string {
  return path.replace(/:\w+/g, '00000000-0000-7000-8000-000000000000');
}

/** Wrong input to every operation, full of secrets. */
async function misuseEveryOperation(): Promise<void> {
  const keypair = JSON.parse(await readFile(service.ledger.keypairs.coordinator.path, 'utf8')) as number[];
  for (const operation of Object.values<Operation>({ ...operations, ...byteOperations })) {
    for (const body of [JSON.stringify({ secretKey: keypair, [inBody]: inBody }), `{"${inBody}`]) {
      await recordingFetch(new URL(`${pathOf(operation)}?apiKey=${inQuery}`, service.server.url), {
        method: operation.method,
        headers: { 'content-type': 'application/json', 'x-signature': inBody, 'x-nonce': inBody, 'x-pubkey': inBody },
        ...(operation.method === 'GET' ? {} : { body }),
      });
    }
  }
  await new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(service.server.url).port), '127.0.0.1', () =>
      socket.end(`${inBody}\r\n\r\n`),
    );
    socket.on('close', () => resolve()).resume();
  });
}

/** Failures inside, which are logged with all that is known about them. */
async function breakEverything(): Promise<void> {
  const wallet = await party();
  await sql`alter table agents rename to agents_away`.execute(service.db);
  const broken = await recordingFetch(new URL('/agents', service.server.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agentPubkey: wallet.pubkey, displayName: inBody }),
  });
  expect(broken.status).toBe(500);
  await sql`alter table agents_away rename to agents`.execute(service.db);
  await service.ledger.close();
  const refused = await recordingFetch(new URL('/packages/build-tx', service.server.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...draft({ description: inBody }), shipperPubkey: wallet.pubkey }),
  });
  expect(refused.status).toBe(503);
}

function entries(): Entry[] {
  return lines.map((line) => JSON.parse(line) as Entry);
}

describe('[S-8] the log at its finest level', () => {
  beforeAll(async () => {
    await useEveryOperation();
    await misuseEveryOperation();
    await breakEverything();
  });

  test('shows that every operation was used, and refused', () => {
    for (const operation of Object.values<Operation>({ ...operations, ...byteOperations })) {
      const pattern = new RegExp(`^${operation.path.replace(/:\w+/g, '[^/]+')}$`);
      const statuses = entries()
        .filter(({ msg, method, url = '' }) => msg === 'request' && method === operation.method && pattern.test(url))
        .map(({ status = 0 }) => status);
      expect(
        statuses.some((status) => status < 300),
        `${operation.name} was used`,
      ).toBe(true);
      expect(
        statuses.some((status) => status >= 400),
        `${operation.name} was misused`,
      ).toBe(true);
    }
  });

  test('holds no signature, key, password, body or query', () => {
    expect(secrets.size).toBeGreaterThan(20);
    const log = lines.join('');
    expect([...secrets].filter((secret) => log.includes(secret))).toEqual([]);
  });

  test('tells errors with their causes', () => {
    const causes = entries().map(
      ({ err }) => err?.cause?.cause?.code ?? (err?.cause as { code?: string } | undefined)?.code,
    );
    expect(causes).toContain('ECONNREFUSED');
    expect(entries().some(({ err }) => err?.message.includes('relation "agents" does not exist'))).toBe(true);
  });

  test('[S-43] names what is not safe in production, once', () => {
    const warnings = entries().filter(({ unsafe }) => unsafe !== undefined);
    expect(warnings).toEqual([
      expect.objectContaining({ level: WARN, msg: 'these choices are not safe in production' }),
    ]);
    expect(warnings[0]?.unsafe).toEqual([
      expect.stringContaining('the ledger (localnet) is one for development'),
      expect.stringContaining('PUBLIC_URL is not set'),
      expect.stringContaining('API_KEYS is not set'),
      expect.stringContaining('WEBHOOK_TARGETS=any'),
      expect.stringContaining('GET /config'),
    ]);
  });
});
