import {
  cancelDigitalTask,
  cancelPackage,
  closeDigitalTask,
  closePackage,
  formatAmount,
  openField,
  reclaimDigitalTask,
  reclaimPackage,
} from '@legwork/sdk';
import type { Asset, Lamports, Landed, PackageDetail } from '@legwork/sdk';
import { z } from 'zod';
import type { Session } from '../../wallet/session.js';
import { rulesFor } from '../../wallet/assetRules.js';
import { readMandate } from '../../wallet/mandate.js';
import { localTool } from '../localTool.js';
import { RefusedError } from '../toolResult.js';

export const releaseLeg = localTool({
  name: 'release_leg',
  title: 'Give back a leg of a digital task',
  description:
    'Gives back a leg that you cannot do; with terms make_move does. A reservation leaves no trace; an assigned leg counts as accepted ' +
    'and not completed, and you get no other leg of that task.',
  input: z.strictObject({ taskId: z.uuid(), legId: z.uuid() }),
  run: ({ client, signer }, leg) => client.releaseDigitalLeg({ ...leg, agentPubkey: signer.address }),
});

export const withdrawBid = localTool({
  name: 'withdraw_bid',
  title: 'Withdraw a bid on a package',
  description: 'Takes your bid out of the running, while no leg was made of it. bidId is what svc_submit_bid answered.',
  input: z.strictObject({ bidId: z.uuid() }),
  run: async ({ client }, { bidId }) => {
    const { id, packageId, status } = await client.withdrawBid({ bidId });
    return { bidId: id, packageId, status };
  },
});

export const cancelOrReclaim = localTool({
  name: 'cancel_or_reclaim',
  title: 'Take your escrow back',
  description:
    'For what you posted with your own money, or a mandate, which gets it back: cancels it while nobody works on it; after its deadline ' +
    'takes back what is left; of what is over, gets the rent back. Give packageId or taskId.',
  input: z
    .strictObject({ packageId: z.uuid().optional(), taskId: z.uuid().optional() })
    .refine(
      ({ packageId, taskId }) => (packageId === undefined) !== (taskId === undefined),
      'give packageId or taskId',
    ),
  byHand: ({ packageId, taskId }) => `reclaim ${packageId ?? taskId}`,
  run: (session, { packageId, taskId }) =>
    packageId === undefined ? endTask(session, String(taskId)) : endPackage(session, packageId),
});

async function endPackage(session: Session, packageId: string): Promise<object> {
  const { client, rpc, signer } = session;
  const found = await client.getPackage({ packageId });
  await requireOwn(session, found);
  if (found.status === 'delivered' || found.status === 'failed') {
    return { packageId, status: found.status, closeSignature: await closePackage(client, rpc, signer, packageId) };
  }
  const end = found.status === 'listed' ? cancelPackage : reclaimPackage;
  return { packageId, ...toldOf(await end(client, rpc, signer, packageId)) };
}

async function endTask(session: Session, taskId: string): Promise<object> {
  const { client, rpc, signer } = session;
  const found = await client.getDigitalTask({ taskId });
  await requireOwn(session, found);
  if (found.status === 'completed' || found.status === 'failed') {
    return { taskId, status: found.status, closeSignature: await closeDigitalTask(client, rpc, signer, taskId) };
  }
  const end = found.deadline.getTime() < Date.now() ? reclaimDigitalTask : cancelDigitalTask;
  return { taskId, ...toldOf(await end(client, rpc, signer, taskId)) };
}

type Ended = Pick<PackageDetail, 'failureReason' | 'endSignature'> & { readonly status: string } & Partial<Landed>;

function toldOf(ended: Ended) {
  const { status, failureReason, endSignature, signature } = ended;
  return { status, failureReason, endSignature: endSignature ?? signature, ...openField(ended) };
}

interface Posted extends Asset {
  readonly shipperPubkey: string;
  readonly funderPubkey: string;
  readonly maxBudget: Lamports;
}

/** @throws {RefusedError} when another wallet posted it, or neither this one nor the mandate of its policy paid for it */
async function requireOwn(session: Session, { shipperPubkey, funderPubkey, maxBudget, ...of }: Posted): Promise<void> {
  const { signer } = session;
  if (shipperPubkey === signer.address && (await payersOf(session, of)).includes(funderPubkey)) return;
  const whose = `posted by ${shipperPubkey} with ${formatAmount(maxBudget, of)} of ${funderPubkey}`;
  throw new RefusedError(
    'not_yours',
    `it was ${whose}; this wallet is ${signer.address}`,
    'Nothing of yours is in it.',
  );
}

/** The wallet, and the mandate that its policy names for the asset. */
async function payersOf({ signer, config, assets, rpc }: Session, asset: Asset): Promise<string[]> {
  const of = rulesFor(assets, asset);
  if (of?.mandate === undefined) return [signer.address];
  const { at } = await readMandate(rpc, config.programId, { owner: of.mandate, delegate: signer.address, of });
  return [signer.address, at];
}
