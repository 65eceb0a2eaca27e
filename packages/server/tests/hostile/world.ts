import { createUuid } from '@agent-relay/protocol';
import { listPackage, signTransaction } from '@agent-relay/sdk';
import { draft as packageDraft, formedPackage } from '../support/market.js';
import type { Party, TestService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { land } from '../support/transactions.js';
import type { Described, Field, JsonSchema } from './description.js';
import type { Draft } from './request.js';

/** What really is there, so that requests can be right in everything but one thing. */
export interface World {
  shipper: Party;
  courier: Party;
  /** Bids are taken on it. */
  listedId: string;
  /** A draft whose listing is on the ledger and was not told to the service. */
  unreported: { packageId: string; signature: string; transaction: string };
  /** A leg whose confirmation is on the ledger and was not told to the service; the shipper confirms it. */
  handover: { legId: string; signature: string };
}

/** Makes a market with one of everything; it is at rest afterwards. */
export async function createWorld(service: TestService): Promise<World> {
  const [shipper, courier] = await Promise.all([service.party(3), service.party(1)]);
  const { programId } = service.server;
  const listed = await listPackage(shipper.client, shipper.signer, packageDraft());
  const built = await shipper.client.buildListTx({ ...packageDraft(), shipperPubkey: shipper.pubkey });
  const transaction = await signTransaction(built.transaction, shipper.signer, { programId, name: 'listPackage' });
  const moving = await formedPackage(service, [['zoo', 'ostkreuz', 0.1]]);
  const legId = moving.item.swarm?.legs[0]?.id ?? '';
  const confirm = await moving.shipper.client.buildConfirmTx({ legId });
  const confirmation = await signTransaction(confirm.transaction, moving.shipper.signer, {
    programId,
    name: 'confirmLeg',
  });
  const world = {
    shipper: moving.shipper,
    courier,
    listedId: listed.id,
    unreported: { packageId: built.packageId, transaction, signature: await land(service, transaction) },
    handover: { legId, signature: await land(service, confirmation) },
  };
  await untilQuiet(service);
  return world;
}

/** Wallets whose lamports no refused request may move. */
export const walletsOf = (world: World): string[] => [world.shipper.pubkey, world.courier.pubkey];

/** Values that fields of these names take, whatever the operation. */
function knownValues(world: World): Record<string, unknown> {
  return {
    packageId: world.listedId,
    legId: world.handover.legId,
    agentPubkey: world.courier.pubkey,
    shipperPubkey: world.shipper.pubkey,
    shipper: world.shipper.pubkey,
    cursor: Buffer.from(createUuid()).toString('base64url'),
    deadline: new Date(Date.now() + 86_400_000).toISOString(),
    maxBudgetSol: 0.25,
    // One lamport would be too little to receive.
    costSol: 0.01,
    description: 'a box of books',
  };
}

/** Values of single operations, where the name alone does not say it. One object a way to call the operation. */
function ownValues(world: World, operation: string): Record<string, unknown>[] {
  const { packageId, signature, transaction } = world.unreported;
  if (operation === 'submitPackage') {
    return [
      { packageId, signature, transaction: undefined },
      { packageId, transaction, signature: undefined },
    ];
  }
  return operation === 'confirmLeg' ? [world.handover] : [{}];
}

/** Values that lead somewhere in an operation, by the names of its fields. */
export function leadingValues(world: World, operation: string): Record<string, unknown> {
  const own = ownValues(world, operation).flatMap((values) => Object.entries(values));
  return { ...knownValues(world), ...Object.fromEntries(own.filter(([, value]) => value !== undefined)) };
}

/** A value of the schema's form, for fields nobody knows by name. */
function sampleOf(schema: JsonSchema): unknown {
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
      signer: operation.name === 'confirmLeg' ? world.shipper : world.courier,
    };
  });
}

/** The request of {@link rightRequests} that gives this field, else the first. */
export function rightRequestWith(world: World, operation: Described, field: Field): Draft {
  const all = rightRequests(world, operation);
  const found =
    all.find((draft) => Array.isArray(draft.body) && draft.body.some(([name]) => name === field.name)) ?? all[0];
  if (found === undefined) throw new Error(`nobody knows how to call ${operation.name}`);
  return found;
}
