import { randomUUID } from 'node:crypto';
import {
  type PackageDraft,
  RelayApiError,
  sendTransaction,
  type SignedListing,
  signListing,
  signTransaction,
  submitListing,
} from '@agent-relay/sdk';
import {
  getBase64Encoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  type Signature,
} from '@solana/kit';
import { type Agent, isTransient, type World } from './agent.js';
import type { Posting } from './stories.js';
import { callTool } from './tools.js';

/** Who posts what, and how. */
export interface Parcel {
  readonly shipper: KeyPairSigner;
  readonly draft: PackageDraft;
}

/** Does what the service does under a name, at any number of moments, and always gives the id of the same package. */
export type Repeat = () => Promise<string>;

/** A package that was posted. */
export interface Posted {
  readonly packageId: string;
  /** Undefined: posting again would be another package. */
  readonly repeat?: Repeat;
}

const POSTED: Record<Posting, (world: World, agent: Agent, parcel: Parcel) => Promise<Posted>> = {
  reported: listAndTell,
  silent: listSilently,
  sponsored: (_, agent, { shipper, draft }) => {
    const idempotencyKey = randomUUID();
    const input = { ...draft, shipperPubkey: shipper.address };
    return postTwice(agent, async () => (await agent.clientOf(shipper).postSponsored(input, { idempotencyKey })).id);
  },
  tool: (_, agent, { shipper, draft }) => {
    const name = randomUUID();
    const input = { ...draft, shipperPubkey: shipper.address };
    return postTwice(agent, async () => String((await callTool(agent.url, 'svc_post_task', input, name))['id']));
  },
  unnamed: postUnnamed,
};

/** Posts the package until it is certain that it is posted; the service need not show it yet. */
export function postParcel(world: World, agent: Agent, posting: Posting, parcel: Parcel): Promise<Posted> {
  return POSTED[posting](world, agent, parcel);
}

async function listAndTell({ tally }: World, agent: Agent, { shipper, draft }: Parcel): Promise<Posted> {
  for (;;) {
    const listing = await agent.step('sign a listing', () => signListing(agent.clientOf(shipper), shipper, draft));
    const { packageId } = listing;
    try {
      await agent.step(`${packageId}: list`, () => submitListing(agent.clientOf(shipper), listing));
      return { packageId };
    } catch (error) {
      // Expired while nobody answered: nothing is locked, as the audit will see, so a new one may be signed.
      const { cause } = error as Error;
      if (!(cause instanceof RelayApiError && cause.code === 'transaction_failed')) throw error;
      tally.repeats += 1;
      agent.requireTime(String(cause));
    }
  }
}

/** Signs, sends it to the ledger, and leaves it to the service to find out. */
async function listSilently(world: World, agent: Agent, { shipper, draft }: Parcel): Promise<Posted> {
  for (;;) {
    const built = await agent.step('build a listing', () =>
      agent.clientOf(shipper).buildListTx({ ...draft, shipperPubkey: shipper.address }),
    );
    const expected = { programId: world.programId, name: 'listPackage' } as const;
    const transaction = await signTransaction(built.transaction, shipper, expected);
    const { packageId } = built;
    if (await land(world, agent, { packageId, transaction }, built.lastValidBlockHeight)) return { packageId };
    agent.requireTime('its listing expired');
  }
}

/** Sends it until it has landed. @returns false once it never will */
function land(
  { rpc }: World,
  agent: Agent,
  { packageId, transaction }: SignedListing,
  lastValidBlockHeight: number,
): Promise<boolean> {
  const signature: Signature = getSignatureFromTransaction(
    getTransactionDecoder().decode(getBase64Encoder().encode(transaction)),
  );
  return agent.step(`${packageId}: list, silently`, async () => {
    // The height is read first: what lands between the two reads is then still seen.
    const height = await rpc.getBlockHeight({ commitment: 'confirmed' }).send();
    const { value } = await rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send();
    if (value[0]) return true;
    if (height > BigInt(lastValidBlockHeight)) return false;
    await sendTransaction(rpc, transaction, lastValidBlockHeight);
    return true;
  });
}

/** Two at once, under the same name: one of them may be told that the other is not done yet. */
async function postTwice(agent: Agent, post: () => Promise<string>): Promise<Posted> {
  const repeat = () => agent.step('post under a name', post);
  const [packageId, again] = await Promise.all([repeat(), repeat()]);
  if (packageId !== again) throw new Error(`posted under one name at once: ${packageId} and ${again}`);
  return { packageId, repeat };
}

async function postUnnamed({ tally }: World, agent: Agent, { shipper, draft }: Parcel): Promise<Posted> {
  const input = { ...draft, shipperPubkey: shipper.address };
  const packageId = await agent.step('post without a name', async () => {
    try {
      return (await agent.clientOf(shipper).postSponsored(input)).id;
    } catch (error) {
      if (isTransient(error) && !isUnheard(error)) tally.lostPosts += 1;
      throw error;
    }
  });
  return { packageId };
}

/** Whether nobody was there to hear the call. */
function isUnheard(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && at.code === 'ECONNREFUSED') return true;
  }
  return false;
}
