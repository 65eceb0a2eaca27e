import {
  configAddress,
  getCancelPackageInstruction,
  getClosePackageInstruction,
  getConfirmLegInstruction,
  getOpenReputationInstruction,
  getReclaimPackageInstruction,
  getSettleInstruction,
  reputationAddress,
} from '@legwork/program-client';
import { listPackage, type PackageDetail } from '@legwork/sdk';
import { address, type Instruction } from '@solana/kit';
import { bidInput, draft, untilPackage } from '../support/market.js';
import type { Party, TestService } from '../support/service.js';
import { land, listingOf, signed } from '../support/transactions.js';
import { until } from '../support/until.js';

/** A package with everybody who takes part. */
export interface Market {
  shipper: Party;
  couriers: Party[];
  parcel: PackageDetail;
}

/** Wallets that act on the ledger without a word to the service. */
export class Wallets {
  readonly service: TestService;

  constructor(service: TestService) {
    this.service = service;
  }

  get #program() {
    return { programAddress: address(this.service.server.programId) };
  }

  async send(by: Party, instructions: readonly Instruction[]): Promise<string> {
    return land(this.service, await signed(this.service, [by.signer], instructions));
  }

  /** A draft of the shipper's and the instruction that lists it. */
  async listing(shipper: Party): Promise<{ packageId: string; transaction: string; instruction: Instruction }> {
    const { packageId, transaction } = await shipper.client.buildListTx({ ...draft(), shipperPubkey: shipper.pubkey });
    return { packageId, transaction, instruction: listingOf(this.service, shipper.signer, transaction) };
  }

  async #accounts(parcel: PackageDetail) {
    return {
      config: await configAddress(this.#program.programAddress),
      package: address(parcel.onChainPackage),
      vault: address(parcel.onChainVault),
      funder: address(parcel.funderPubkey),
    };
  }

  #swarm(parcel: PackageDetail) {
    const { swarm } = parcel;
    if (!swarm) throw new Error(`package ${parcel.id} has no swarm`);
    return {
      swarm: address(swarm.onChainSwarm),
      rentPayer: address(this.service.server.coordinatorPubkey),
      legs: swarm.legs.map((leg) => address(leg.onChainLeg)),
    };
  }

  /** confirm_leg by the leg's recipient. */
  async confirmation(
    { shipper, couriers, parcel }: Market,
    index: number,
  ): Promise<{ by: Party; instruction: Instruction }> {
    const legs = parcel.swarm?.legs ?? [];
    const [leg, next] = [legs[index], legs[index + 1]];
    if (!leg) throw new Error(`package ${parcel.id} has no leg ${index}`);
    const by = couriers.find(({ pubkey }) => pubkey === next?.agentPubkey) ?? shipper;
    const courier = address(leg.agentPubkey);
    const { swarm } = this.#swarm(parcel);
    const instruction = getConfirmLegInstruction(
      {
        recipient: by.signer,
        package: address(parcel.onChainPackage),
        swarm,
        leg: address(leg.onChainLeg),
        vault: address(parcel.onChainVault),
        courier,
        reputation: await reputationAddress(this.#program.programAddress, courier),
        ...(next && { nextLeg: address(next.onChainLeg) }),
        formation: 1,
      },
      this.#program,
    );
    return { by, instruction };
  }

  async confirm(market: Market, index: number): Promise<string> {
    const { by, instruction } = await this.confirmation(market, index);
    return this.send(by, [instruction]);
  }

  async cancellation(by: Party, parcel: PackageDetail): Promise<Instruction> {
    return getCancelPackageInstruction({ signer: by.signer, ...(await this.#accounts(parcel)) }, this.#program);
  }

  async cancel(by: Party, parcel: PackageDetail): Promise<string> {
    return this.send(by, [await this.cancellation(by, parcel)]);
  }

  async reclaim(by: Party, parcel: PackageDetail): Promise<string> {
    const accounts = { ...(await this.#accounts(parcel)), ...this.#swarm(parcel) };
    return this.send(by, [getReclaimPackageInstruction({ signer: by.signer, ...accounts }, this.#program)]);
  }

  async settlement(by: Party, parcel: PackageDetail): Promise<Instruction> {
    const accounts = { ...(await this.#accounts(parcel)), ...this.#swarm(parcel) };
    return getSettleInstruction({ signer: by.signer, ...accounts }, this.#program);
  }

  async settle(by: Party, parcel: PackageDetail): Promise<string> {
    return this.send(by, [await this.settlement(by, parcel)]);
  }

  async openReputation(by: Party, agentPubkey: string): Promise<string> {
    const agent = address(agentPubkey);
    const reputation = await reputationAddress(this.#program.programAddress, agent);
    return this.send(by, [getOpenReputationInstruction({ payer: by.signer, agent, reputation }, this.#program)]);
  }

  async close(by: Party, parcel: PackageDetail): Promise<string> {
    const { config, package: account, funder } = await this.#accounts(parcel);
    const accounts = { signer: by.signer, config, package: account, funder };
    return this.send(by, [getClosePackageInstruction(accounts, this.#program)]);
  }
}

/** Types of the package's events in the order readers get them. */
export async function eventsOf(service: TestService, packageId: string): Promise<string[]> {
  return (await eventRowsOf(service, packageId)).map((row) => row.type);
}

/** The same of a package or a digital task, with what they say. */
export async function eventRowsOf({ db }: TestService, id: string): Promise<{ type: string; payload: object }[]> {
  return db
    .selectFrom('events')
    .select(['type', 'payload'])
    .where('subject', 'in', [`package:${id}`, `task:${id}`])
    .where('seq', 'is not', null)
    .orderBy('seq')
    .execute();
}

/** A package on its way with two couriers, one after the other. */
export async function twoLegs(service: TestService, changes: Parameters<typeof draft>[0] = {}): Promise<Market> {
  const [shipper, first, second] = await Promise.all([service.party(), service.party(1), service.party(1)]);
  const { id } = await listPackage(shipper.client, shipper.signer, draft(changes));
  await first.client.submitBid(bidInput(first, id, 'zoo', 'alexanderplatz', 0.1));
  await second.client.submitBid(bidInput(second, id, 'alexanderplatz', 'ostkreuz', 0.05));
  const parcel = await untilPackage(service, id, ({ status }) => status === 'in_transit');
  return { shipper, couriers: [first, second], parcel };
}

/** Waits until the mirror shows what was a draft as listed. */
export function untilListed({ db }: TestService, packageId: string): Promise<unknown> {
  const listed = db.selectFrom('packages').select('id').where('id', '=', packageId).where('status', '=', 'listed');
  return until('the package is listed', () => listed.executeTakeFirst());
}

/** Waits until the leg is completed in the mirror. */
export async function untilCompleted(service: TestService, packageId: string, index: number): Promise<PackageDetail> {
  return untilPackage(service, packageId, ({ swarm }) => swarm?.legs[index]?.status === 'completed');
}
