import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { KeptPapers, openSession, papersFolderOf, papersIn, policySchema, readPapers } from '@legwork/agents';
import { packageTermsHash } from '@legwork/protocol/rules';
import { cancelPackage, createLegworkClient, papersOf } from '@legwork/sdk';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runHere } from '../../../cli/tests/support/line.js';
import { postedTask } from '../operations/digitalTasks/scene.js';
import { listPackage } from '../support/listed.js';
import { draft, PLACES, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { until } from '../support/until.js';
import { fundedKey, openedBridge } from './bridgeClient.js';
import { PATIENT, policyAgent, runDaemon } from './support/agents.js';

const service = withService();
const url = () => service.current.server.url;

const home = process.cwd();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'legwork-papers-'));
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command with this key to its end. */
const run = (key: string, ...args: readonly string[]) =>
  runHere(args, { XDG_CONFIG_HOME: folder, LEGWORK_URL: url(), LEGWORK_KEY: key });

const PARCEL = ['--from', '52.5074,13.3326', '--to', '52.5031,13.4694', '--what', 'a box of books', '--kg', '4'];
const POST = ['post', 'package', ...PARCEL, '--litres', '12', '--budget', '0.3'];

async function posted(key: string, ...more: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(key, ...POST, ...more, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as { id: string }).id;
}

const keptBy = (key: string) => papersIn(papersFolderOf(key));

/** A session of a key of its own. */
async function session() {
  const { key } = await fundedKey(service.current);
  const limits = { perTransaction: 1, perDay: 2, inAll: 5 };
  const opened = await openSession(policySchema.parse({ key, service: url(), limits }));
  onTestFinished(() => opened.close());
  return { ...opened, key };
}

describe('a key keeps papers by itself', () => {
  test('who lists, wins or claims has them, and gives them back to a service that lost its database (A-170, A-173, S-259, D-111)', async () => {
    const { current } = service;
    const { key: ada } = await fundedKey(current);
    const policy = { home: [PLACES.zoo.lat, PLACES.zoo.lng], radiusKm: 15 };
    const courier = await policyAgent(current, { courier: policy });
    const running = await runDaemon([courier]);
    const packageId = await posted(ada);
    expect(await keptBy(ada)).toEqual([packageId]);
    await expect.poll(() => keptBy(courier.key), PATIENT).toEqual([packageId]);
    await running.stop();

    const { task } = await postedTask(current);
    const worker = await fundedKey(current, 0);
    const model = await openedBridge({ key: worker.key, service: url() });
    await model.answerOf('svc_get_digital_task', { taskId: task.id });
    const leg = { taskId: task.id, legId: task.legs[0]?.id, bidSol: 0.05 };
    await model.answerOf('svc_bid_digital_leg', leg);
    await expect.poll(() => keptBy(worker.key), PATIENT).toEqual([task.id]);

    const { client } = await current.party(0);
    const shown = await client.getPackage({ packageId });
    expect(await readPapers(papersFolderOf(ada), packageId)).toEqual(papersOf(shown));
    expect(await readPapers(papersFolderOf(worker.key), task.id)).toEqual(papersOf(task));
    const file = join(papersFolderOf(ada), `${packageId}.papers.json`);
    expect([(await stat(file)).mode & 0o777, (await stat(dirname(file))).mode & 0o777]).toEqual([0o600, 0o700]);

    const answered = await (await fetch(`${url()}/digital-tasks/${task.id}`)).text();
    await untilQuiet(current);
    await current.loseDatabase();
    const back = createLegworkClient({ url: url() });
    await until('all is rebuilt', async () => {
      return (await back.listPackages({})).items.length + (await back.listDigitalTasks({})).items.length === 2;
    });
    expect(await back.getPackage({ packageId })).toMatchObject({ description: '', documentKnown: false });
    await courier.rewrite({ courier: policy, service: url() });
    const again = await runDaemon([courier]);
    await until('its courier gives the papers', async () => (await back.getPackage({ packageId })).documentKnown);
    await again.stop();
    // The task's page as a browser saved it is as good, as long as it is whole.
    const saved = join(folder, 'saved');
    await mkdir(saved);
    await writeFile(join(saved, `${task.id}.papers.json`), answered);
    await writeFile(join(saved, `${packageId}.papers.json`), '{"listingId":1}');
    await mkdir(join(saved, '0.papers.json'));
    expect(JSON.parse((await run(ada, 'papers', 'give', 'saved', '--json')).stdout)).toEqual({
      taken: [task.id],
      refused: ['0: its file holds no papers', `${packageId}: its file holds no papers`],
    });
    expect((await run(worker.key, 'papers', 'give')).stdout).toBe(
      '1 file: 0 taken, 1 known to the service already, 0 refused.\n',
    );
    expect(await back.getPackage({ packageId })).toMatchObject({ description: 'a box of books', documentKnown: true });
    expect(await back.getDigitalTask({ taskId: task.id })).toMatchObject({ title: task.title, documentKnown: true });
  });

  test('receiver and arbiter have them, strangers who read the same do not (A-170)', async () => {
    const [receiver, arbiter, stranger] = [await session(), await session(), await session()];
    const shipper = await service.current.party();
    const named = { receiverPubkey: receiver.signer.address, arbiterPubkey: arbiter.signer.address };
    const { id } = await listPackage(
      shipper.client,
      shipper.signer,
      draft({ terms: { preset: 'standard', ...named } }),
    );
    for (const { client } of [receiver, arbiter, stranger]) await client.getPackage({ packageId: id });
    await Promise.all([receiver, arbiter, stranger].map(({ papers }) => papers.close()));
    expect(await keptBy(receiver.key)).toEqual([id]);
    expect(await keptBy(arbiter.key)).toEqual([id]);
    expect(await keptBy(stranger.key)).toEqual([]);
  });

  test('they go when the listing is over for good: nothing that can be erased lies there (A-171)', async () => {
    const { client, rpc, signer, papers, key } = await session();
    const { id } = await listPackage(client, signer, draft({ maxBudgetSol: 0.1 }));
    const other = await listPackage(client, signer, draft({ maxBudgetSol: 0.1 }));
    await expect.poll(() => keptBy(key), PATIENT).toEqual([id, other.id].sort());
    await cancelPackage(client, rpc, signer, id);
    await untilPackage(service.current, id, ({ finality }) => finality === 'final');
    papers.tend(2);
    await expect.poll(() => keptBy(key), PATIENT).toEqual([other.id]);
    // Seen again, it is not kept again.
    await client.getPackage({ packageId: id });
    await papers.close();
    expect(await keptBy(key)).toEqual([other.id]);
  });

  test('a text that nobody signed for is not kept, and said (A-170)', async () => {
    const shipper = await service.current.party();
    const listed = await listPackage(shipper.client, shipper.signer, draft());
    const description = 'a box of bricks';
    const places = {
      origin: { lat: listed.originLat, lng: listed.originLng },
      destination: { lat: listed.destLat, lng: listed.destLng },
    };
    const termsHash = packageTermsHash({ ...listed, ...places, description }).hex;
    const lying = createLegworkClient({
      url: url(),
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        const told = (await answer.text()).replace('a box of books', description).replace(listed.termsHash, termsHash);
        return new Response(told, answer);
      },
    });
    const { rpc, config, key } = await session();
    const said: string[] = [];
    const papers = await KeptPapers.open({
      pubkey: shipper.pubkey,
      keyFile: key,
      client: lying,
      ledger: () => Promise.resolve({ rpc, programId: config.programId }),
      say: (line) => said.push(line),
    });
    expect((await lying.getPackage({ packageId: listed.id })).description).toBe(description);
    await papers.close();
    expect(said).toEqual([expect.stringMatching(`No papers of ${listed.id} are kept: the service shows another text`)]);
    expect(await keptBy(key)).toEqual([]);
  });

  test('where they cannot be written, the act is done, and that is said once (A-170)', async () => {
    const { key } = await fundedKey(service.current);
    await writeFile(papersFolderOf(key), 'in the way');
    const { code, stdout, stderr } = await run(key, ...POST, '--json');
    expect({ code, id: (JSON.parse(stdout) as { id: string }).id }).toEqual({ code: 0, id: expect.any(String) });
    expect(stderr).toMatch(/^No papers are kept in .*ada\.papers: .*EEXIST.*\n$/);
  });
});
