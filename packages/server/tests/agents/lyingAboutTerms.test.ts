import { confirmLeg, createLegworkClient, receive, TransactionRefusedError } from '@legwork/sdk';
import { type Address, address, generateKeyPairSigner } from '@solana/kit';
import getPort from 'get-port';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { courier, formedWithTerms, legNow, move } from '../operations/turns/scene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { TestService } from '../support/service.js';
import { fundedKey, openedBridge } from './bridgeClient.js';
import { LyingService } from './lyingService.js';
import { PATIENT, policyAgent, runDaemon } from './support/agents.js';

const arbiter = await generateKeyPairSigner();
let service: TestService;
let liar: LyingService;

beforeAll(async () => {
  const port = await getPort({ host: '127.0.0.1' });
  const settings = () => ({ PUBLIC_URL: `http://127.0.0.1:${port}`, ARBITER_PUBKEY: arbiter.address });
  service = await TestService.start({ settings });
  liar = await LyingService.start(port, service.server.url, service.ledger.rpcUrl);
});
beforeEach(() => liar.tell((_, said) => said));
afterAll(async () => {
  await liar.close();
  await service.close();
});

/** From now on the package has no terms by the service, and a confirmation of this leg is built for whoever asks. */
async function denyTerms(packageId: string, legId: string, recipient: string): Promise<void> {
  const { client } = await service.party(0);
  const asked = { legId, action: 'confirm', pubkey: recipient, evenBeforePickup: true } as const;
  const { transaction, lastValidBlockHeight, blockhash } = await client.buildTurnTx(asked);
  const built = { legId, legIndex: 0, isFinal: true, recipientPubkey: recipient };
  const confirmation = JSON.stringify({ ...built, transaction, lastValidBlockHeight, blockhash });
  liar.tell((path, said) => {
    if (path === `/swarms/legs/${legId}/build-confirm-tx`) return { status: 200, body: confirmation };
    if (path !== `/packages/${packageId}`) return said;
    return {
      ...said,
      body: said.body.replace(/"terms":\{.*?\}/, '"terms":null').replaceAll(/"stage":"\w+"/g, '"stage":null'),
    };
  });
}

const balanceOf = async (of: Address) => (await service.rpc.getBalance(of, { commitment: 'confirmed' }).send()).value;

test('a plain wallet pays nobody whose parcel stands where it was, though the service says that the package has no terms (A-105)', async () => {
  const cast = await formedWithTerms(service, [['zoo', 'ostkreuz', 0.05]], { arbiterPubkey: arbiter.address });
  const { shipper, couriers, parcel } = cast;
  const [carrier] = couriers;
  if (carrier === undefined) throw new Error('there is a courier');
  await move(service, cast, 0, carrier, 'accept');
  const { id: legId } = await legNow(service, parcel.id, 0);
  await denyTerms(parcel.id, legId, shipper.pubkey);
  const before = await balanceOf(address(carrier.pubkey));
  const client = createLegworkClient({ url: liar.url, signer: shipper.signer });
  const { rpc } = service;
  const receiving = receive(client, shipper.signer, { packageId: parcel.id, evenBeforePickup: true }, { rpc });
  await expect(receiving).rejects.toThrow(/are some on the ledger, and none by the service/);
  await expect(confirmLeg(client, rpc, shipper.signer, legId)).rejects.toThrow(TransactionRefusedError);
  expect(liar.signed).toEqual([]);
  expect(await balanceOf(address(carrier.pubkey))).toBe(before);
});

test('nor does the bridge, whatever a person says (A-105)', async () => {
  const owner = await fundedKey(service);
  const model = await openedBridge({
    key: owner.key,
    service: liar.url,
    limits: { perTransaction: 1, perDay: 1, inAll: 1 },
  });
  const terms = { arbiterPubkey: arbiter.address };
  const { packageId } = await model.answerOf('post_package', { ...draft({ maxBudgetSol: 0.1 }), terms });
  const carrier = await courier(service);
  await carrier.client.submitBid(bidInput(carrier, String(packageId), 'zoo', 'ostkreuz', 0.05));
  const parcel = await untilPackage(service, String(packageId), ({ status }) => status === 'in_transit');
  await move(service, { parcel }, 0, carrier, 'accept');
  await denyTerms(parcel.id, parcel.swarm?.legs[0]?.id ?? '', owner.pubkey);
  const before = await balanceOf(address(carrier.pubkey));
  expect(await model.refusalOf('take_or_hand_over', { packageId })).toMatchObject({ code: 'transaction_refused' });
  expect((await owner.journal()).map(({ instruction }) => instruction)).not.toContain('confirmLeg');
  expect(await balanceOf(address(carrier.pubkey))).toBe(before);
});

test('a worker daemon claims no other hash than that of its result, whatever the service took (A-107)', async () => {
  const worker = { run: { command: ['echo', 'Late (2).'] } };
  const agent = await policyAgent(service, { service: liar.url, worker });
  liar.tell((path, said) =>
    path.endsWith('/complete')
      ? { ...said, body: said.body.replace(/"resultHash":"\w+"/, `"resultHash":"${'ab'.repeat(32)}"`) }
      : said,
  );
  const terms = { arbiterPubkey: arbiter.address };
  const { task } = await postedTask(service, { terms, legs: [{ instruction: 'Sum it up.' }] });
  const { told } = await runDaemon([agent]);
  await expect.poll(() => told.join('\n'), PATIENT).toMatch(/took a result whose sha256 is (ab)+, and handed in was/);
  await untilTask(service, task.id, ({ legs }) => legs[0]?.stage === 'accepted');
  const signed = (await agent.journal()).filter(({ kind }) => kind === 'signed');
  expect(signed.map(({ instruction }) => instruction)).toEqual(['openReputation', 'accept']);
});
