import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createUuid } from '@legwork/protocol/contract';
import { listPackage, type Papers, papersOf, signTransaction } from '@legwork/sdk';
import { REWARDS } from '../operations/rewards/scene.js';
import { bidInput, draft as packageDraft, formedPackage, untilPackage } from '../support/market.js';
import type { Party, TestService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { land } from '../support/transactions.js';
import type { Described, Field, JsonSchema } from './description.js';
import type { Draft } from './request.js';
import { createClaims, type WorldClaims } from './worldClaims.js';
import { createTasks, type WorldTasks } from './worldTasks.js';
import { createTerms, ownTerms, signerOfTerms, termsValues, untilGathered, type WorldTerms } from './worldTerms.js';

const SALT = '0123456789abcdef'.repeat(2);
const PART = { salt: SALT, address: 'Number 12, second court', contact: 'Ada, 030 123' };

/** Settings of a service that hostile requests are sent to: as open as can be, it takes claims, and can fund all that ask. */
export const WORLD_SETTINGS = {
  settings: () => ({
    ...REWARDS.settings(),
    UNSIGNED_CALLS: 'all',
    OPERATIONS_PUBLIC: 'on',
    WEBHOOK_TARGETS: 'any',
    LIMIT_WEBHOOKS: '0',
    LIMIT_WEBHOOKS_PER_ADDRESS: '0',
    NEWCOMER_IP_SOL: '1000000',
    NEWCOMER_DAY_SOL: '1000000',
    SPONSOR_TASK_SOL: '1',
    SPONSOR_POSTER_SOL: '1000000',
    SPONSOR_IP_SOL: '1000000',
    SPONSOR_DAY_SOL: '1000000',
    SPONSOR_OUTSTANDING_SOL: '1000000',
  }),
};

/** The things that really exist, so that requests can be right in everything but one thing. */
export interface World {
  shipper: Party;
  operator: Party;
  courier: Party;
  /** Changes its own profile, and does nothing else. */
  changer: Party;
  /** Bids are taken on it. */
  listedId: string;
  /** The contents of its documents. */
  papers: Papers;
  /** A bid of the courier that waits for a window to close. */
  bidId: string;
  swarmId: string;
  /** The package that the swarm carries. */
  movingId: string;
  /** A leg that nobody has confirmed. */
  openLegId: string;
  /** A package that was cancelled. */
  cancelledId: string;
  /** Its shipper. */
  canceller: Party;
  /** A package in transit whose deadline has passed. */
  lateId: string;
  /** A draft whose listing is on the ledger and was not told to the service. */
  unreported: { packageId: string; signature: string; transaction: string };
  /** A leg whose confirmation is on the ledger and was not told to the service; the shipper confirms it. */
  handover: { legId: string; signature: string; transaction: string; carrier: Party };
  /** The courier is the agent of their legs. */
  tasks: WorldTasks;
  claims: WorldClaims;
  terms: WorldTerms;
  /** Of the courier. */
  webhookId: string;
  subscriptionId: string;
  /** Where somebody wants whatever is posted. */
  receiverUrl: string;
}

/** Time enough for a courier, who is chosen only if it arrives in time. */
const SHORT_DEADLINE_SEC = 3600;

type Named = 'listPackage' | 'confirmLeg' | 'cancelPackage';

/** Signs what the service built, sends it to the ledger, and tells nobody. */
async function landed(service: TestService, { signer }: Party, built: { transaction: string }, name: Named) {
  const { programId } = service.server;
  const transaction = await signTransaction(built.transaction, signer, { programId, name });
  return { transaction, signature: await land(service, transaction) };
}

async function waitingBid(service: TestService, shipper: Party, courier: Party): Promise<string> {
  const { id } = await listPackage(shipper.client, shipper.signer, packageDraft({ biddingWindowSec: 3600 }));
  return (await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1))).id;
}

async function cancelledPackage(service: TestService, shipper: Party): Promise<string> {
  const { id } = await listPackage(shipper.client, shipper.signer, packageDraft());
  await landed(service, shipper, await shipper.client.buildCancelTx({ packageId: id }), 'cancelPackage');
  await untilPackage(service, id, ({ status }) => status === 'failed');
  return id;
}

async function unreportedListing(service: TestService, shipper: Party): Promise<World['unreported']> {
  const built = await shipper.client.buildListTx({ ...packageDraft(), shipperPubkey: shipper.pubkey });
  return { packageId: built.packageId, ...(await landed(service, shipper, built, 'listPackage')) };
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

/** A package that is on its way, with one courier. */
async function moving(service: TestService, deadlineSec?: number) {
  const deadline = deadlineSec === undefined ? {} : { deadline: inSeconds(deadlineSec) };
  const { shipper, couriers, parcel } = await formedPackage(service, [['zoo', 'ostkreuz', 0.1]], deadline);
  const [carrier, leg] = [couriers[0], parcel.swarm?.legs[0]];
  if (carrier === undefined || leg === undefined) throw new Error('nobody carries the package');
  return { shipper, carrier, packageId: parcel.id, swarmId: parcel.swarm?.id ?? '', legId: leg.id };
}

/** Says yes to everything, for as long as the process lives. */
async function willingReceiver(): Promise<string> {
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += String(chunk)));
    request.on('end', () => {
      const { data } = JSON.parse(body) as { data: { challenge?: string } };
      response.end(JSON.stringify({ answer: data.challenge }));
    });
  });
  receiver.listen(0, '127.0.0.1').unref();
  await once(receiver, 'listening');
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
}

/** Of a push service that nothing is to be sent to. */
const ENDPOINT = 'https://push.invalid/send/abc';
const BROWSER = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

/** Makes a market with one of everything; it is at rest afterwards. */
export async function createWorld(service: TestService): Promise<World> {
  const [shipper, courier, changer] = [await service.party(4), await service.party(1), await service.party(0)];
  const [open, handed, late] = [
    await moving(service),
    await moving(service),
    await moving(service, SHORT_DEADLINE_SEC),
  ];
  const receiverUrl = await willingReceiver();
  const hook = await courier.client.registerWebhook({ url: receiverUrl });
  const { id: subscriptionId } = await courier.client.subscribePush({ endpoint: ENDPOINT, keys: BROWSER });
  const confirm = await handed.shipper.client.buildConfirmTx({ legId: handed.legId });
  const handover = await landed(service, handed.shipper, confirm, 'confirmLeg');
  const { id: listedId } = await listPackage(shipper.client, shipper.signer, packageDraft());
  const world = {
    shipper: handed.shipper,
    operator: await service.operator(),
    courier,
    changer,
    listedId,
    papers: papersOf(await shipper.client.getPackage({ packageId: listedId })),
    bidId: await waitingBid(service, shipper, courier),
    swarmId: open.swarmId,
    movingId: open.packageId,
    openLegId: open.legId,
    cancelledId: await cancelledPackage(service, shipper),
    canceller: shipper,
    lateId: late.packageId,
    unreported: await unreportedListing(service, shipper),
    handover: { legId: handed.legId, ...handover, carrier: handed.carrier },
    tasks: await createTasks(service, courier, inSeconds(SHORT_DEADLINE_SEC)),
    claims: await createClaims(service),
    terms: await createTerms(service),
    webhookId: hook.id,
    subscriptionId,
    receiverUrl,
  };
  await service.advanceTime(2 * SHORT_DEADLINE_SEC);
  await untilQuiet(service);
  await untilGathered(service);
  return world;
}

/** Wallets whose lamports no refused request may move. */
export const walletsOf = (world: World): string[] => [world.shipper.pubkey, world.courier.pubkey];

const cursorOf = (...keys: string[]): string => Buffer.from(JSON.stringify(keys)).toString('base64url');

/** Values that fields of these names take, whatever the operation. */
function knownValues(world: World): Record<string, unknown> {
  return {
    packageId: world.listedId,
    taskId: world.tasks.quiet.taskId,
    legId: world.handover.legId,
    swarmId: world.swarmId,
    bidId: world.bidId,
    agentPubkey: world.courier.pubkey,
    shipperPubkey: world.shipper.pubkey,
    shipper: world.shipper.pubkey,
    payerPubkey: world.shipper.pubkey,
    devnetPubkey: world.claims.claimer.pubkey,
    cursor: cursorOf(createUuid()),
    near: '52.52,13.405',
    bbox: '13.1,52.3,13.8,52.7',
    package: world.listedId,
    task: world.tasks.quiet.taskId,
    text: world.listedId,
    webhookId: world.webhookId,
    subscriptionId: world.subscriptionId,
    endpoint: ENDPOINT,
    keys: BROWSER,
    url: world.receiverUrl,
    filter: { topics: 'TASK_FAILED' },
    since: 0,
    sha256: '0123456789abcdef'.repeat(4),
    bytes: 4096,
    salt: SALT,
    private: { pickup: { ...PART, note: 'Ring twice.' }, dropoff: PART },
    radiusKm: 10.5,
    q: 'books',
    capability: 'cargo bike',
    minPaySol: 0.01,
    minPaySolPerKm: 0.001,
    maxStakeSol: 0.5,
    deadlineAfter: '2026-01-01T00:00:00.000Z',
    deadlineBefore: inSeconds(200 * 86_400),
    for: world.courier.pubkey,
    hasTerms: false,
    deadline: inSeconds(7 * 86_400),
    maxBudgetSol: 0.25,
    // One lamport would be too little to receive.
    costSol: 0.01,
    bidSol: 0.01,
    asset: 'sol',
    // An amount is said once, here in SOL.
    maxBudget: undefined,
    cost: undefined,
    bid: undefined,
    // Its own wallet pays.
    mandateOwnerPubkey: undefined,
    legs: [{ instruction: 'Read them.' }, { instruction: 'Count them.' }],
    claimTimeoutSec: 86_400,
    title: 'Notes',
    result: 'Two topics.',
    description: 'a box of books',
    // Otherwise every later request that binds the agent would be refused unless it is signed.
    requireSignedCalls: false,
    ...ownTerms(world.terms, world.claims.claimer.pubkey),
  };
}

/** Values of single operations, where the name alone does not say it. One object a way to call the operation. */
function ownValues(world: World, operation: string): Record<string, unknown>[] {
  const { packageId, signature, transaction } = world.unreported;
  const { handover, changer, courier, tasks, claims } = world;
  const listing = tasks.unreported;
  const own: Record<string, Record<string, unknown>[]> = {
    submitPackage: [
      { packageId, signature, transaction: undefined },
      { packageId, transaction, signature: undefined },
    ],
    submitDigitalTask: [
      { taskId: listing.taskId, signature: listing.signature, transaction: undefined },
      { taskId: listing.taskId, transaction: listing.transaction, signature: undefined },
    ],
    getDigitalTask: [{ taskId: tasks.completedId }],
    bidDigitalLeg: [tasks.open],
    completeDigitalLeg: [{ ...tasks.working, artifacts: [tasks.file] }],
    releaseDigitalLeg: [tasks.reserved],
    startArtifact: [tasks.uploading],
    buildReclaimDigitalTaskTx: [{ taskId: tasks.lateId }],
    buildCloseDigitalTaskTx: [{ taskId: tasks.cancelledId }],
    confirmLeg: [
      { legId: handover.legId, signature: handover.signature, transaction: undefined },
      { legId: handover.legId, transaction: handover.transaction, signature: undefined },
    ],
    mirrorLeg: [{ legId: handover.legId, agentPubkey: handover.carrier.pubkey }],
    buildConfirmTx: [{ legId: world.openLegId }],
    buildReclaimTx: [{ packageId: world.lateId }],
    buildCloseTx: [{ packageId: world.cancelledId }],
    erasePackageData: [{ packageId: world.cancelledId }],
    eraseTaskData: [{ taskId: tasks.cancelledId }],
    updateAgent: [{ agentPubkey: changer.pubkey }],
    buildOpenReputationTx: [{ agentPubkey: changer.pubkey }],
    getReputationCredential: [{ pubkey: handover.carrier.pubkey }],
    registerRewardClaim: [claims.payout],
    getMyRewardClaim: [{ devnetPubkey: claims.unpaid.devnetPubkey }],
    listRewardClaims: [{ cursor: cursorOf('1', new Date().toISOString(), courier.pubkey) }],
    markRewardClaimPaid: [{ claimId: claims.unpaid.claimId, signature: claims.signature }],
    listEvents: [
      { cursor: cursorOf('7'), task: undefined },
      { cursor: cursorOf('7'), package: undefined, near: undefined, radiusKm: undefined },
    ],
    getDecision: [{ packageId: world.movingId }],
    givePapers: [{ ...world.papers }],
    listOperatorActs: [{ cursor: cursorOf('7') }],
    actAsOperator: [
      { act: 'heal', listingId: world.listedId, intentId: '17', kind: 'settle', key: world.shipper.pubkey },
    ],

    quote: [
      { numLegs: undefined, capabilities: undefined },
      {
        numLegs: 2,
        ...Object.fromEntries(
          ['originLat', 'originLng', 'destLat', 'destLng', 'weightKg'].map((name) => [name, undefined]),
        ),
      },
    ],
    // A cursor belongs to one search.
    findWork: [{ cursor: undefined }],
    listTurns: [{ pubkey: world.terms.pending.courier.pubkey, cursor: cursorOf('0', createUuid()) }],
    listAgents: [{ cursor: cursorOf(new Date().toISOString(), courier.pubkey) }],
    ...termsValues(world.terms, world.listedId),
  };
  return own[operation] ?? [{}];
}

/** The signer of a request of this operation, where it is signed. */
export function signerOf(world: World, operation: string): Party {
  if (operation === 'confirmLeg') return world.shipper;
  if (operation.includes('Operat')) return world.operator;
  if (operation.endsWith('RewardClaim')) return world.claims.claimer;
  if (operation === 'erasePackageData') return world.canceller;
  if (operation === 'eraseTaskData') return world.tasks.poster;
  return signerOfTerms(world.terms, operation) ?? (operation === 'updateAgent' ? world.changer : world.courier);
}

/** Values that lead somewhere in an operation, by the names of its fields. */
export function leadingValues(world: World, operation: string): Record<string, unknown> {
  // The values of the first way, and those of the others that it leaves out.
  const own = ownValues(world, operation)
    .toReversed()
    .flatMap((values) => Object.entries(values));
  return { ...knownValues(world), ...Object.fromEntries(own.filter(([, value]) => value !== undefined)) };
}

/** A value of the schema's form, for fields nobody knows by name. */
export function sampleOf(schema: JsonSchema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  switch (schema.type ?? 'none') {
    case 'array':
      return [sampleOf(schema.items ?? {})];
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, of]) => [name, sampleOf(of)]));
    case 'boolean':
      return true;
    case 'number':
    case 'integer':
      return schema.minimum !== undefined && schema.minimum > 0
        ? schema.minimum
        : schema.exclusiveMinimum === 0
          ? 1
          : 0;
    default:
      return schema.format === 'uuid' ? createUuid() : 'words'.slice(0, schema.maxLength);
  }
}

/** Requests that the operation takes, with every field it has, one a way to call it. */
export function rightRequests(world: World, operation: Described): Draft[] {
  return ownValues(world, operation.name).map((own) => {
    const values = { ...knownValues(world), ...own };
    const valueOf = ({ name, schema }: Field): unknown => (name in values ? values[name] : sampleOf(schema));
    const given = operation.fields.filter((field) => valueOf(field) !== undefined);
    const at = (place: Field['place']) =>
      given.filter((field) => field.place === place).map((field): [string, unknown] => [field.name, valueOf(field)]);
    return {
      operation,
      path: Object.fromEntries(at('path').map(([name, value]) => [name, String(value)])),
      query: at('query').map(([name, value]): [string, string] => [name, String(value)]),
      body: operation.takesBody
        ? at('body').map(([name, value]): [string, string] => [name, JSON.stringify(value)])
        : undefined,
      signer: signerOf(world, operation.name),
    };
  });
}

/** The request of {@link rightRequests} that gives this field, else the first. */
export function rightRequestWith(world: World, operation: Described, field: Field): Draft {
  const all = rightRequests(world, operation);
  const given = ({ query, body }: Draft) => [...query, ...(Array.isArray(body) ? body : [])];
  const found = all.find((draft) => given(draft).some(([name]) => name === field.name)) ?? all[0];
  if (found === undefined) throw new Error(`nobody knows how to call ${operation.name}`);
  return found;
}
