// The relays of the game once more, on a ledger with the real program.
import * as client from '../../packages/program-client/dist/index.js';
import { GamesOnLedger, NOBODY } from './ledger.mjs';
import {
  BUDGET,
  carryMinutes,
  DEADLINE_MINUTES,
  DEFAULTS,
  HANDOFF_MINUTES,
  LEGS,
  PAYMENT,
  REVIEW_MINUTES,
  STAKE,
} from './relay.mjs';

/** Plays relays on the ledger, one after the other. */
export class RelaysOnLedger extends GamesOnLedger {
  async begin({ setting }) {
    const [coordinator, funder, arbiter] = [
      await this.person('coordinator'),
      await this.person('funder'),
      await this.person('arbiter'),
    ];
    const packageId = this.id();
    const { programAddress } = this;
    this.package = await client.packageAddress(programAddress, funder.address, packageId);
    this.vault = await client.vaultAddress(programAddress, this.package);
    this.swarm = await client.swarmAddress(programAddress, this.package);
    this.legs = await Promise.all(
      Array.from({ length: LEGS }, (_, leg) => client.legAddress(programAddress, this.swarm, leg)),
    );
    this.formations = Array(LEGS).fill(1);
    this.formation = 1;
    const terms = {
      receiver: NOBODY,
      arbiter: arbiter.address,
      stake: STAKE,
      carry: carryMinutes(setting.legMinutes ?? DEFAULTS.legMinutes) * 60,
      handoff: HANDOFF_MINUTES * 60,
      review: REVIEW_MINUTES * 60,
      arbitration: 72 * 3_600,
      flags: 0,
    };
    const { package: address, vault, swarm, config } = this;
    const offer = {
      packageId,
      maxBudget: BUDGET,
      deadline: this.begun + BigInt(DEADLINE_MINUTES * 60),
      termsHash: new Uint8Array(32),
      terms,
    };
    await this.send(
      client.getListPackageInstruction({ funder, shipper: funder, config, package: address, vault, ...offer }, this.to),
    );
    const total = { totalLegs: LEGS, totalLamports: PAYMENT * BigInt(LEGS) };
    await this.send(
      client.getFormSwarmInstruction({ coordinator, config, package: address, swarm, ...total }, this.to),
    );
    for (let leg = 0; leg < LEGS; leg += 1) await this.send(await this.#assign(leg, `courier ${leg}`, PAYMENT));
  }

  async #assign(index, name, paymentLamports, neighbours) {
    const courier = (await this.person(name)).address;
    const { config, package: address, swarm, programAddress } = this;
    const reputation = await client.reputationAddress(programAddress, courier);
    const accounts = {
      coordinator: await this.person('coordinator'),
      config,
      package: address,
      swarm,
      leg: this.legs[index],
      courier,
      reputation,
    };
    return client.getAssignLegInstruction(
      { ...accounts, index, paymentLamports, ...(neighbours && { neighbours }) },
      this.to,
    );
  }

  async #exit(name, couriers = []) {
    const { config, package: address, vault, swarm, legs } = this;
    const [funder, coordinator] = [await this.person('funder'), await this.person('coordinator')];
    const common = { signer: funder, config, package: address, funder: funder.address };
    if (name === 'close') return common;
    return { ...common, vault, swarm, rentPayer: coordinator.address, legs, ...(name === 'reclaim' && { couriers }) };
  }

  async close() {
    return client.getClosePackageInstruction(await this.#exit('close'), this.to);
  }

  async instructionsOf(move) {
    return [await this.#instruction(move)];
  }

  async #instruction(move) {
    const { name, leg: index, courier: courierName, next } = move;
    const { package: listing, swarm, vault } = this;
    if (name === 'settle') return client.getSettleInstruction(await this.#exit(name), this.to);
    if (name === 'reclaim')
      return client.getReclaimPackageInstruction(await this.#exit(name, await this.#accepted()), this.to);
    if (name === 'assign') {
      this.formation += 1;
      this.formations[index] = this.formation;
      const beside = [this.legs[index - 1] ?? this.programAddress, this.legs[index + 1] ?? this.programAddress];
      return this.#assign(index, courierName, move.price, beside);
    }
    const [courier, funder, stranger] = [
      await this.person(courierName),
      await this.person('funder'),
      await this.person('stranger'),
    ];
    const leg = this.legs[index];
    const formation = this.formations[index];
    const own = { courier, listing, swarm, leg, formation };
    if (name === 'accept' || name === 'take') {
      return client.getAcceptInstruction({ ...own, lister: funder.address, take: name === 'take' }, this.to);
    }
    if (name === 'claim') return client.getClaimInstruction({ ...own, evidenceHash: new Uint8Array(32) }, this.to);
    if (name === 'vacate' || name === 'vacate overdue') {
      const before = index > 0 ? { previousLeg: this.legs[index - 1] } : {};
      const signer = move.by === 'lister' ? funder : stranger;
      return client.getVacateInstruction({ ...own, courier: courier.address, signer, vault, ...before }, this.to);
    }
    const recipients = {
      'hand off': async () => this.person(next),
      confirm: async () => funder,
      crank: async () => stranger,
    };
    const names = name === 'hand off' ? Math.max(formation, this.formations[index + 1]) : formation;
    const confirmation = {
      recipient: await recipients[name](),
      package: listing,
      swarm,
      leg,
      vault,
      courier: courier.address,
      reputation: await client.reputationAddress(this.programAddress, courier.address),
      ...(index + 1 < LEGS && { nextLeg: this.legs[index + 1] }),
    };
    return client.getConfirmLegInstruction({ ...confirmation, formation: names }, this.to);
  }

  /** Couriers of accepted legs, whose stakes return. */
  async #accepted() {
    const legs = this.legs.map((address) => client.getLegDecoder().decode(this.svm.getAccount(address).data));
    return legs.filter(({ status }) => status === client.LegStatus.Accepted).map(({ courier }) => courier);
  }
}
