import { everyItem, type PackageDetail, type PackageDraft, signListing, submitListing } from '@legwork/sdk';
import type { Kind } from '../kind.js';
import { PACKAGE_ALONE } from './alone.js';

/** Nothing of it is private. */
type Draft = Omit<PackageDraft, 'private'>;

export const PACKAGES: Kind<PackageDetail, Draft> = {
  noun: 'package',
  listing: 'listPackage',
  tools: { post: 'svc_post_task', get: 'svc_get_package' },
  named: (packageId) => ({ packageId }),
  open: ['listed', 'swarm_forming', 'in_transit'],
  done: 'delivered',
  accountOf: ({ onChainPackage }) => onChainPackage,
  async sign(client, shipper, draft) {
    const listing = await signListing(client, shipper, draft);
    return { id: listing.packageId, submit: (at) => submitListing(at, listing) };
  },
  async build(client, { address: shipperPubkey }, draft) {
    const { packageId, ...built } = await client.buildListTx({ ...draft, shipperPubkey });
    return { id: packageId, ...built };
  },
  async sponsor(client, { address: shipperPubkey }, draft, idempotencyKey) {
    const options = idempotencyKey === undefined ? {} : { idempotencyKey };
    return (await client.postSponsored({ ...draft, shipperPubkey }, options)).id;
  },
  get: (client, packageId) => client.getPackage({ packageId }),
  async *list(client) {
    for await (const { id, description } of everyItem(client.listPackages, {})) yield { id, text: description };
  },
  cancel: { instruction: 'cancelPackage', build: (client, packageId) => client.buildCancelTx({ packageId }) },
  reclaim: { instruction: 'reclaimPackage', build: (client, packageId) => client.buildReclaimTx({ packageId }) },
  close: { instruction: 'closePackage', build: (client, packageId) => client.buildCloseTx({ packageId }) },
  alone: PACKAGE_ALONE,
};
