// The digital tasks of the game once more, on a ledger with the real program.
import * as client from '../../packages/program-client/dist/index.js';
import { GamesOnLedger, NOBODY } from './ledger.mjs';
import {
  ARBITRATION_MINUTES,
  CARRY_MINUTES,
  DEADLINE_MINUTES,
  HANDOFF_MINUTES,
  REVIEW_MINUTES,
  SHARE,
} from './task.mjs';

const HASH = new Uint8Array(32);
const INCINERATOR = 'incinerator';

/** Plays tasks with terms on the ledger, one after the other. */
export class TasksOnLedger extends GamesOnLedger {
  async begin({ setting, stake }) {
    const [funder, arbiter] = [await this.person('funder'), await this.person('arbiter')];
    const { programAddress, config } = this;
    const taskId = this.id();
    this.task = await client.taskAddress(programAddress, funder.address, taskId);
    this.vault = await client.vaultAddress(programAddress, this.task);
    this.legs = await Promise.all(
      Array.from({ length: setting.legs }, (_, leg) => client.taskLegAddress(programAddress, this.task, leg)),
    );
    this.formation = 0;
    /** The legs that have an account. */
    this.assigned = new Set();
    const terms = {
      receiver: NOBODY,
      arbiter: arbiter.address,
      stake,
      carry: CARRY_MINUTES * 60,
      handoff: HANDOFF_MINUTES * 60,
      review: REVIEW_MINUTES * 60,
      arbitration: ARBITRATION_MINUTES * 60,
      flags: 0,
    };
    const offer = {
      taskId,
      numLegs: setting.legs,
      maxBudget: SHARE * BigInt(setting.legs),
      deadline: this.begun + BigInt(DEADLINE_MINUTES * 60),
      termsHash: HASH,
      terms,
    };
    const accounts = { funder, poster: funder, config, task: this.task, vault: this.vault };
    await this.send(client.getListTaskInstruction({ ...accounts, ...offer }, this.to));
  }

  async close() {
    const funder = await this.person('funder');
    const { config, task } = this;
    return client.getCloseTaskInstruction({ signer: funder, config, task, funder: funder.address }, this.to);
  }

  async instructionsOf({ name, leg: index, agent: agentName, percent }) {
    if (name === 'settle' || name === 'reclaim') return [await this.#end(name)];
    const agent = await this.person(agentName);
    if (name === 'assign') return this.#assign(index, agent);
    const [poster, stranger] = [await this.person('funder'), await this.person('stranger')];
    const { task: listing, vault } = this;
    const own = { courier: agent, listing, leg: this.legs[index], formation: this.formation };
    const forced = { ...own, courier: agent.address, signer: stranger, vault };
    const moves = {
      accept: () => client.getAcceptInstruction({ ...own, lister: poster.address, take: false }, this.to),
      claim: () => client.getClaimInstruction({ ...own, evidenceHash: HASH }, this.to),
      dispute: () => client.getDisputeInstruction({ ...own, disputer: poster, reasonHash: HASH }, this.to),
      vacate: () => client.getVacateInstruction(forced, this.to),
      'vacate overdue': () => client.getVacateInstruction(forced, this.to),
    };
    if (name in moves) return [moves[name]()];
    if (name === 'confirm') return [await this.#confirm(index, agent, poster)];
    if (name === 'crank') return [await this.#confirm(index, agent, stranger)];
    const ruling = await this.#rule(own, agent, name === 'default' ? 50 : percent, name === 'default');
    return percent === 0 ? [ruling] : [ruling, await this.#confirm(index, agent, stranger)];
  }

  /** A vacant leg is released first. */
  async #assign(index, agent) {
    const coordinator = await this.person('coordinator');
    const { config, task } = this;
    const about = { coordinator, config, task, taskLeg: this.legs[index], index };
    const release = client.getReleaseTaskLegInstruction({ ...about, rentPayer: coordinator.address }, this.to);
    const reputation = await client.reputationAddress(this.programAddress, agent.address);
    const assign = client.getAssignTaskLegInstruction({ ...about, agent: agent.address, reputation }, this.to);
    const isVacant = this.assigned.has(index);
    this.assigned.add(index);
    this.formation += 1;
    return isVacant ? [release, assign] : [assign];
  }

  async #rule(own, agent, percent, bySilence) {
    const [poster, arbiter] = [await this.person('funder'), await this.person('arbiter')];
    const signer = bySilence ? await this.person('stranger') : arbiter;
    const fee = bySilence ? (await this.person(INCINERATOR)).address : arbiter.address;
    const { config, vault } = this;
    const { courier: _, ...about } = own;
    const others = { signer, worker: agent.address, other: poster.address, config, fee, vault };
    return client.getRuleInstruction({ ...about, ...others, percent }, this.to);
  }

  async #confirm(index, agent, signer) {
    const { config, task, vault } = this;
    const reputation = await client.reputationAddress(this.programAddress, agent.address);
    const accounts = { signer, config, task, taskLeg: this.legs[index], vault, agent: agent.address, reputation };
    return client.getConfirmTaskLegInstruction({ ...accounts, index, resultHash: HASH }, this.to);
  }

  async #end(name) {
    const [funder, coordinator] = [await this.person('funder'), await this.person('coordinator')];
    const { config, task, vault } = this;
    const legsWithRentPayers = [...this.assigned].flatMap((index) => [this.legs[index], coordinator.address]);
    const common = { signer: funder, config, task, vault, funder: funder.address, legsWithRentPayers };
    return name === 'settle'
      ? client.getSettleTaskInstruction(common, this.to)
      : client.getReclaimTaskInstruction(common, this.to);
  }
}
