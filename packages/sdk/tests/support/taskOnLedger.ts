import {
  getAcceptInstruction,
  getAssignTaskLegInstruction,
  getClaimInstruction,
  getConfirmTaskLegInstruction,
  getDisputeInstruction,
  getListTaskInstruction,
  getRuleInstruction,
  getVacateInstruction,
  reputationAddress,
  taskAddress,
  taskLegAddress,
  vaultAddress,
} from '@legwork/program-client';
import { createUuid, uuidToBytes } from '@legwork/protocol/contract';
import { resultHash, taskTermsHash } from '@legwork/protocol/rules';
import { createNoopSigner } from '@solana/kit';
import type { Address, Instruction, KeyPairSigner } from '@solana/kit';
import type { ParcelLedger } from './parcelOnLedger.js';

const BUDGET = 150_000_000n;
export const STAKE = 30_000_000n;
const CLOCKS = { carry: 3_600, handoff: 1_800, review: 3_600, arbitration: 86_400 };
const GOAL = { title: 'Notes', description: 'Group the notes.' };

/** A digital task with terms and one leg: whose it is, and where the ledger has it. */
export interface Job {
  readonly id: string;
  readonly legId: string;
  readonly poster: KeyPairSigner;
  readonly receiver: KeyPairSigner;
  readonly arbiter: KeyPairSigner;
  readonly agent: KeyPairSigner;
  readonly listing: Address;
  readonly vault: Address;
  readonly leg: Address;
  readonly deadline: bigint;
}

const hashOf = (text: string) => resultHash(text).bytes;

/** Digital tasks with terms, made by the program's own instructions without any service. */
export class TaskLedger {
  readonly #ledger: ParcelLedger;

  constructor(ledger: ParcelLedger) {
    this.#ledger = ledger;
  }

  get #to() {
    return { programAddress: this.#ledger.program };
  }

  /** A task whose leg is pending; the coordinator pays for all of it. */
  async assigned(people: Partial<Pick<Job, 'poster' | 'receiver' | 'arbiter'>> = {}): Promise<Job> {
    const { program, config, ledger } = this.#ledger;
    const coordinator = ledger.keypairs.coordinator.signer;
    const person = () => this.#ledger.person();
    const { poster = await person(), receiver = await person(), arbiter = await person() } = people;
    const agent = await person();
    const id = createUuid();
    const listing = await taskAddress(program, poster.address, uuidToBytes(id));
    const leg = await taskLegAddress(program, listing, 0);
    const vault = await vaultAddress(program, listing);
    const deadline = BigInt(Math.floor(Date.now() / 1000) + 86_400);
    const roles = { receiver: receiver.address, arbiter: arbiter.address };
    const listed = { taskId: uuidToBytes(id), numLegs: 1, maxBudget: BUDGET, deadline };
    const termsHash = taskTermsHash({ ...GOAL, instructions: [GOAL.description] }).bytes;
    const accounts = { funder: coordinator, poster: poster.address, config, task: listing, vault };
    const terms = { ...roles, stake: STAKE, ...CLOCKS, flags: 0 };
    const reputation = await reputationAddress(program, agent.address);
    const given = { coordinator, config, task: listing, taskLeg: leg, agent: agent.address, reputation, index: 0 };
    await this.#ledger.send(coordinator, [
      getListTaskInstruction({ ...accounts, ...listed, termsHash, terms }, this.#to),
    ]);
    await this.#ledger.send(coordinator, [getAssignTaskLegInstruction(given, this.#to)]);
    return { id, legId: createUuid(), poster, receiver, arbiter, agent, listing, vault, leg, deadline };
  }

  async accept(job: Job): Promise<void> {
    await this.#ledger.send(job.agent, [this.accepting(job)]);
  }

  /** Its agent has accepted, and claims this result. */
  async claim(job: Job, result: string): Promise<void> {
    await this.accept(job);
    await this.#ledger.send(job.agent, [this.claiming(job, result)]);
  }

  async dispute(job: Job): Promise<void> {
    await this.#ledger.send(job.poster, [this.disputing(job, job.poster, 'no')]);
  }

  accepting(job: Job, changes: { formation?: number } = {}): Instruction {
    const given = { ...this.#legOf(job), ...changes, courier: job.agent, lister: job.poster.address, take: false };
    return getAcceptInstruction(given, this.#to);
  }

  vacating(job: Job, signer: Address = job.agent.address): Instruction {
    const others = { signer: createNoopSigner(signer), courier: job.agent.address, vault: job.vault };
    return getVacateInstruction({ ...this.#legOf(job), ...others }, this.#to);
  }

  claiming(job: Job, result: string): Instruction {
    return getClaimInstruction({ ...this.#legOf(job), courier: job.agent, evidenceHash: hashOf(result) }, this.#to);
  }

  disputing(job: Job, disputer: KeyPairSigner, reason: string): Instruction {
    return getDisputeInstruction({ ...this.#legOf(job), disputer, reasonHash: hashOf(reason) }, this.#to);
  }

  ruling(job: Job, signer: Address, fee: Address, { percent = 30, agreed = false } = {}): Instruction {
    const worker = agreed ? createNoopSigner(job.agent.address) : job.agent.address;
    const others = { worker, other: job.poster.address, config: this.#ledger.config, fee, vault: job.vault };
    return getRuleInstruction({ ...this.#legOf(job), ...others, signer: createNoopSigner(signer), percent }, this.#to);
  }

  async confirming(job: Job, signer: Address, result?: string): Promise<Instruction> {
    const { program, config } = this.#ledger;
    const agent = job.agent.address;
    const accounts = { config, task: job.listing, taskLeg: job.leg, vault: job.vault, agent };
    const reputation = await reputationAddress(program, agent);
    const named = result === undefined ? new Uint8Array(32) : hashOf(result);
    const confirmed = { signer: createNoopSigner(signer), index: 0, resultHash: named };
    return getConfirmTaskLegInstruction({ ...accounts, reputation, ...confirmed }, this.#to);
  }

  #legOf({ listing, leg }: Job) {
    return { listing, leg, formation: 1 };
  }
}

/** A service's answer about it on `GET /digital-tasks/:id`. */
export function taskJson(job: Job) {
  const link = 'http://localhost/';
  const now = new Date().toISOString();
  const money = { maxBudgetSol: 0.15, maxBudgetLamports: Number(BUDGET) };
  const pay = { paymentPerLegSol: 0.15, paymentPerLegLamports: Number(BUDGET) };
  const leg = {
    id: job.legId,
    legIndex: 0,
    instruction: GOAL.description,
    status: 'in_progress',
    finality: 'final',
    isOpen: false,
    isWorkable: true,
    agentPubkey: job.agent.address,
    bidLamports: 1,
    claimedAt: now,
    dueAt: now,
    paymentLamports: null,
    completedAt: null,
    hasResult: false,
    result: null,
    resultBytes: null,
    resultHash: null,
    artifacts: [],
    onChainLeg: job.leg,
    assignSignature: 'x',
    confirmSignature: null,
    explorer: { onChainLeg: link, assignSignature: link, confirmSignature: null },
  };
  return {
    id: job.id,
    status: 'in_progress',
    failureReason: null,
    finality: 'final',
    shipperPubkey: job.poster.address,
    funderPubkey: job.vault,
    ...GOAL,
    isPlanned: false,
    numLegs: 1,
    completedLegs: 0,
    ...money,
    ...pay,
    claimTimeoutSec: 3_000,
    deadline: new Date(Number(job.deadline) * 1000).toISOString(),
    termsHash: 'x',
    onChainTask: job.listing,
    onChainVault: job.vault,
    listSignature: 'x',
    listedAt: now,
    settleSignature: null,
    refundLamports: null,
    endSignature: null,
    terms: {
      receiverPubkey: job.receiver.address,
      arbiterPubkey: job.arbiter.address,
      stakeLamports: Number(STAKE),
      carrySec: CLOCKS.carry,
      handoffSec: CLOCKS.handoff,
      reviewSec: CLOCKS.review,
      arbitrationSec: CLOCKS.arbitration,
      cosignedPickup: false,
    },
    requirements: null,
    legs: [leg],
    resourceUri: 'x',
    explorer: { onChainTask: link, onChainVault: link, listSignature: link, settleSignature: null, endSignature: null },
  };
}
