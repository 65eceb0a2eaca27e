import { setTimeout as pause } from 'node:timers/promises';
import { openReputation } from '@legwork/sdk';
import type { Member } from '../company.js';
import { DemoError, PATIENCE_MS, sol } from '../stage.js';
import type { Ledger } from '../ledger.js';
import { quoted, skillFor } from './skills.js';
import type { Skill } from './skills.js';
import { ToolRefusedError } from './tools.js';
import type { ToldClaim, ToldLeg, ToldPayment, ToldTask, ToldTaskInFull, Tools } from './tools.js';

/** Everybody looks at the same moments, as programs that poll do: two may see the same open leg and race for it. */
/** A reputation account, and what the wallet has to keep beside it. */
const ACCOUNT_LAMPORTS = 3_000_000n;
const LOOK_EVERY_MS = 1_500;
const HAND_IN_AGAIN_MS = 500;

/** The parts of an agent of the demo. */
export interface WorkerOptions {
  readonly member: Member;
  readonly skills: readonly Skill[];
  readonly tools: Tools;
  /** Reports whether a task is one of the demo's: others on this market want other work. */
  readonly ledger: Ledger;
  readonly isOurs: (taskId: string) => boolean;
  readonly say: (line: string) => void;
}

/** A leg that the agent has. */
interface Claimed {
  readonly taskId: string;
  readonly legId: string;
  readonly skill: Skill;
}

/** An agent that finds work, does it and is paid, by MCP tools alone. One leg at a time. */
export class Worker {
  readonly #options: WorkerOptions;
  /** The skill that each leg seen so far asks for; undefined: nothing it can do. */
  readonly #wanted = new Map<string, Skill | undefined>();
  #claimed: Claimed | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Works until the signal ends it. */
  async work(signal: AbortSignal): Promise<void> {
    try {
      await this.#findClaimed();
      while (!signal.aborted) {
        await (this.#claimed ? this.#goOn(this.#claimed) : this.#look());
        const untilNextLook = LOOK_EVERY_MS - (Date.now() % LOOK_EVERY_MS);
        await pause(untilNextLook, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      await this.#options.tools.close();
    }
  }

  /** The leg that an agent that was killed had claimed before. */
  async #findClaimed(): Promise<void> {
    const { tools, skills } = this.#options;
    const { items } = await tools.call<{ items: ToldTask[] }>('svc_list_digital_tasks', { limit: 50 });
    for (const { id, legs } of items) {
      const leg = legs.find((one) => this.#isMine(one) && (one.status === 'pending' || one.status === 'in_progress'));
      const skill = leg && skillFor(skills, leg.instruction);
      if (leg && skill) this.#claimed = { taskId: id, legId: leg.id, skill };
    }
  }

  async #look(): Promise<void> {
    const { tools, isOurs } = this.#options;
    const { items } = await tools.call<{ items: ToldTask[] }>('svc_list_digital_tasks', { open: true });
    for (const { id, legs } of items) {
      const isNews = ({ id: legId, isOpen }: ToldLeg) =>
        isOpen && (!this.#wanted.has(legId) || this.#wanted.get(legId) !== undefined);
      if (!isOurs(id) || legs.some((leg) => this.#isMine(leg)) || !legs.some(isNews)) continue;
      const task = await tools.call<ToldTaskInFull>('svc_get_digital_task', { taskId: id });
      if (await this.#claimIn(task)) return;
    }
  }

  /** Claims the first open leg that it can do. */
  async #claimIn(task: ToldTaskInFull): Promise<boolean> {
    for (const leg of task.legs) {
      const skill = skillFor(this.#options.skills, leg.instruction);
      this.#wanted.set(leg.id, skill);
      if (leg.isOpen && skill !== undefined && (await this.#claim(task, leg, skill))) return true;
    }
    return false;
  }

  /** @returns true if it has the leg */
  async #claim(task: ToldTaskInFull, leg: ToldLeg, skill: Skill): Promise<boolean> {
    const { tools, member } = this.#options;
    const claim = { taskId: task.id, legId: leg.id, agentPubkey: member.signer.address, bidSol: task.paymentPerLegSol };
    let told: ToldClaim;
    try {
      told = await tools.call<ToldClaim>('svc_bid_digital_leg', claim);
    } catch (error) {
      if (!(error instanceof ToolRefusedError)) throw error;
      if (error.code === 'newcomer_budget') return this.#openReputation();
      if (error.code !== 'leg_taken') throw error;
      this.#say(`wants ${place(task, leg)} too, and is too late`);
      return false;
    }
    this.#claimed = { taskId: task.id, legId: leg.id, skill };
    if (told.status === 'in_progress') this.#say(`takes ${place(task, leg)}, assigned on the ledger`);
    else
      this.#say(`takes ${place(task, leg)}, ${told.isWorkable ? 'its assignment is under way' : 'reserved for later'}`);
    if (told.isWorkable) await this.#handIn(task, leg, skill, told.previousResult ?? '');
    return true;
  }

  /** Pays for its own reputation account, where the service has opened enough of them today; claims again after that. */
  async #openReputation(): Promise<false> {
    const { ledger } = this.#options;
    const { client, signer } = this.#options.member;
    if (await ledger.fill(signer.address, ACCOUNT_LAMPORTS)) {
      const until = Date.now() + PATIENCE_MS;
      while ((await ledger.balance(signer.address)) < ACCOUNT_LAMPORTS && Date.now() < until)
        await pause(LOOK_EVERY_MS);
    }
    await openReputation(client, ledger.rpc, signer);
    this.#wanted.clear();
    this.#say('pays for a reputation account of its own');
    return false;
  }

  /** Looks whether its turn has come. */
  async #goOn({ taskId, legId, skill }: Claimed): Promise<void> {
    const task = await this.#options.tools.call<ToldTaskInFull>('svc_get_digital_task', { taskId });
    const leg = task.legs.find(({ id }) => id === legId);
    if (leg === undefined || !this.#isMine(leg) || leg.status === 'failed' || leg.status === 'completed') {
      this.#claimed = undefined;
      return;
    }
    if (leg.isWorkable) await this.#handIn(task, leg, skill, task.legs[leg.legIndex - 1]?.result ?? '');
  }

  /** Does the work and hands it in, again until it is paid: repeating is safe. */
  async #handIn(task: ToldTask, leg: ToldLeg, skill: Skill, previous: string): Promise<void> {
    const { tools, member } = this.#options;
    const result = skill.work({ instruction: leg.instruction, text: quoted(task.description), previous });
    const handIn = { taskId: task.id, legId: leg.id, agentPubkey: member.signer.address, result };
    for (const until = Date.now() + PATIENCE_MS; ; ) {
      const { paymentLamports } = await tools.call<ToldPayment>('svc_complete_digital_leg', handIn);
      if (paymentLamports !== null) {
        this.#claimed = undefined;
        this.#say(`hands in ${place(task, leg)} and is paid ${sol(BigInt(paymentLamports))} SOL:`);
        for (const line of result.split('\n')) this.#options.say(`               | ${line}`);
        return;
      }
      if (Date.now() > until) throw new DemoError(`${member.name} is not paid for ${place(task, leg)}`);
      await pause(HAND_IN_AGAIN_MS);
    }
  }

  #isMine({ agentPubkey }: ToldLeg): boolean {
    return agentPubkey === this.#options.member.signer.address;
  }

  #say(what: string): void {
    this.#options.say(`    ${this.#options.member.name.padEnd(6)} ${what}`);
  }
}

function place({ numLegs }: ToldTask, { legIndex }: ToldLeg): string {
  return `leg ${legIndex + 1} of ${numLegs}`;
}
