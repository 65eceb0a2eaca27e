import { generateKeyPairSigner } from '@solana/kit';
import { expect } from 'vitest';
import { listedWithTerms } from '../operations/turns/scene.js';
import { goal, untilTask } from '../operations/digitalTasks/scene.js';
import { listDigitalTask } from '../support/listed.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { fundedKey, openedBridge, type Person } from './bridgeClient.js';

export const arbiter = await generateKeyPairSigner();
/** The stake of a package of half a SOL is 0.1. */
export const STAKES = { stakePerLeg: 0.1, stakeInAll: 0.15 };
/** Of who posts something. */
export const RICH = { ...STAKES, perTransaction: 1, perDay: 2, inAll: 2 };

export type Model = Awaited<ReturnType<ReturnType<typeof withModels>['bridge']>>;

export const opened = async (model: Model) => {
  await model.answerOf('open_reputation');
  await expect.poll(() => model.answerOf('svc_get_reputation')).toMatchObject({ mirroredAt: expect.any(String) });
  return model;
};

/** A service for the tests of the current file that names an arbiter, and models behind bridges to it. */
export function withModels() {
  const service = withService({ settings: () => ({ ARBITER_PUBKEY: arbiter.address }) });
  const url = () => service.current.server.url;

  async function bridge(limits: object = STAKES, person?: Person) {
    const owner = await fundedKey(service.current);
    const answers = await openedBridge({ key: owner.key, service: url(), limits: { ...limits } }, person && { person });
    return { ...owner, ...answers };
  }

  /** Has the model bid on the whole way of a package, and waits until it has its only leg. */
  async function givenTo(model: Model, packageId: string) {
    const { agentPubkey: _own, ...bid } = bidInput(model, packageId, 'zoo', 'ostkreuz', 0.05);
    await model.answerOf('svc_submit_bid', bid);
    const { terms, swarm } = await untilPackage(service.current, packageId, ({ status }) => status === 'in_transit');
    return { packageId, legId: swarm?.legs[0]?.id ?? '', terms };
  }

  /** A package of the shipper's bridge that the model has won. */
  async function postedTo(shipper: Model, model: Model, terms?: object | string) {
    const { packageId } = await shipper.answerOf('post_package', { ...draft(), ...(terms && { terms }) });
    return givenTo(model, String(packageId));
  }

  /** A package with terms that is on its way, carried by the model alone. */
  async function wonBy(
    model: Model,
    choice: Parameters<typeof listedWithTerms>[1] = { arbiterPubkey: arbiter.address },
  ) {
    const { shipper, parcel } = await listedWithTerms(service.current, choice);
    const { packageId, legId } = await givenTo(model, parcel.id);
    return { shipper, packageId, legId };
  }

  /** A package of the shipper's bridge whose courier has accepted, and has not fetched it. */
  async function acceptedOf(shipper: Model, model: Model) {
    const { packageId, legId } = await postedTo(shipper, model, 'standard');
    const about = { packageId, legId };
    await model.answerOf('make_move', { ...about, action: 'accept' });
    return about;
  }

  /** A task with terms that is given to the model, by tools of the service alone. */
  async function assignedTo(model: Model) {
    const poster = await service.current.party(2);
    const legs = [{ instruction: 'Sum it up.' }];
    const { id: taskId, legs: made } = await listDigitalTask(
      poster.client,
      poster.signer,
      goal({ legs, terms: 'standard' }),
    );
    const about = { taskId, legId: made[0]?.id ?? '' };
    const taken = await model.answerOf('svc_bid_digital_leg', { ...about, bidSol: 0.1 });
    await untilTask(service.current, taskId, (now) => now.legs[0]?.stage === 'pending');
    return { about, taken };
  }

  return { service, url, bridge, postedTo, wonBy, acceptedOf, assignedTo };
}
