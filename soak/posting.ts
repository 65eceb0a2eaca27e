import { randomUUID } from 'node:crypto';
import { sendTransaction, signTransaction } from '@legwork/sdk';
import {
  getBase64Encoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  type Signature,
} from '@solana/kit';
import type { Agent, World } from './agent.js';
import { isTransient } from './refusals.js';
import type { Built, Listing, Kind } from './kind.js';
import type { Posting } from './stories.js';

/** The poster and its draft. */
export interface Post<Known extends Listing, Draft extends object> {
  readonly kind: Kind<Known, Draft>;
  readonly shipper: KeyPairSigner;
  readonly draft: Draft;
}

/** Does what the service does under a name, at any number of moments, and always gives the same id. */
export type Repeat = () => Promise<string>;

/** The posted listing. */
export interface Posted {
  readonly id: string;
  /** Undefined: posting again would be another one. */
  readonly repeat?: Repeat;
}

type PostedBy = <Known extends Listing, Draft extends object>(
  world: World,
  agent: Agent,
  post: Post<Known, Draft>,
) => Promise<Posted>;

/** Each posts until it is certain that it is posted; the service need not show it yet. */
export const POSTED: Readonly<Record<Posting, PostedBy>> = {
  reported: listAndTell,
  silent: listSilently,
  sponsored: postOverRest,
  tool: postWithTool,
  unnamed: postUnnamed,
};

async function listAndTell<Known extends Listing, Draft extends object>(
  { tally }: World,
  agent: Agent,
  { kind, shipper, draft }: Post<Known, Draft>,
): Promise<Posted> {
  for (;;) {
    const { id, submit } = await agent.step('sign a listing', () => kind.sign(agent.clientOf(shipper), shipper, draft));
    // Expired while nobody answered, or forgotten with a fork: nothing is locked, as the audit will see, so a new one may be signed.
    const { refused } = await agent.ask(`${id}: list`, ['transaction_failed', 'invalid_status'], () =>
      submit(agent.clientOf(shipper)),
    );
    if (refused === undefined) return { id };
    tally.repeats += 1;
    agent.requireTime('its listing was refused');
  }
}

/** Signs, sends it to the ledger, and leaves it to the service to find out. */
async function listSilently<Known extends Listing, Draft extends object>(
  world: World,
  agent: Agent,
  { kind, shipper, draft }: Post<Known, Draft>,
): Promise<Posted> {
  for (;;) {
    const built = await agent.step('build a listing', () => kind.build(agent.clientOf(shipper), shipper, draft));
    const expected = { programId: world.programId, name: kind.listing };
    const transaction = await signTransaction(built.transaction, shipper, expected);
    if (await land(world, agent, { ...built, transaction })) return { id: built.id };
    agent.requireTime('its listing expired');
  }
}

/** Sends it until it has landed. @returns false once it never will */
function land(
  { rpc }: World,
  agent: Agent,
  { id, transaction, lastValidBlockHeight }: Built & { readonly id: string },
): Promise<boolean> {
  const signature: Signature = getSignatureFromTransaction(
    getTransactionDecoder().decode(getBase64Encoder().encode(transaction)),
  );
  return agent.step(`${id}: list, silently`, async () => {
    // The height is read first: what lands between the two reads is then still seen.
    const height = await rpc.getBlockHeight({ commitment: 'confirmed' }).send();
    const { value } = await rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send();
    if (value[0]) return true;
    if (height > BigInt(lastValidBlockHeight)) return false;
    await sendTransaction(rpc, transaction, lastValidBlockHeight);
    return true;
  });
}

function postOverRest<Known extends Listing, Draft extends object>(
  _: World,
  agent: Agent,
  { kind, shipper, draft }: Post<Known, Draft>,
): Promise<Posted> {
  const name = randomUUID();
  return postTwice(agent, () => kind.sponsor(agent.clientAsUsual(shipper), shipper, draft, name));
}

function postWithTool<Known extends Listing, Draft extends object>(
  _: World,
  agent: Agent,
  { kind, shipper, draft }: Post<Known, Draft>,
): Promise<Posted> {
  const idempotencyKey = randomUUID();
  const input = { ...draft, shipperPubkey: shipper.address };
  return postTwice(agent, async () =>
    String((await agent.callAsUsual(shipper, kind.tools.post, input, { idempotencyKey }))['id']),
  );
}

/** Two at once, under the same name: one of them may be told that the other is not done yet. */
async function postTwice(agent: Agent, post: () => Promise<string>): Promise<Posted> {
  const repeat = () => agent.step('post under a name', post);
  const [id, again] = await Promise.all([repeat(), repeat()]);
  if (id !== again) throw new Error(`posted under one name at once: ${id} and ${again}`);
  return { id, repeat };
}

async function postUnnamed<Known extends Listing, Draft extends object>(
  { tally }: World,
  agent: Agent,
  { kind, shipper, draft }: Post<Known, Draft>,
): Promise<Posted> {
  const id = await agent.step('post without a name', async () => {
    try {
      return await kind.sponsor(agent.clientAsUsual(shipper), shipper, draft);
    } catch (error) {
      if (isTransient(error) && !isUnheard(error)) tally.lostPosts += 1;
      throw error;
    }
  });
  return { id };
}

/** Reports whether nobody was there to hear the call. */
function isUnheard(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && at.code === 'ECONNREFUSED') return true;
  }
  return false;
}
