import { completeDigitalLeg, type DigitalLegDetail, type DigitalTaskDetail, type DigitalTaskDraft } from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import type { Agent, World } from '../agent.js';
import { carryOut } from '../journey.js';
import type { Listed } from '../listed.js';
import { bidIn, budgetIn, stakeIn } from '../money/units.js';
import { BUDGET_LAMPORTS, BUDGET_SOL, type FinishedTask } from '../tasks/agents.js';
import { claim } from '../tasks/calls.js';
import { TASKS } from '../tasks/kind.js';
import { boundTaskBy, resultIn, type TaskRoles } from './boundTask.js';
import type { TaskPlot, TaskTermsStory } from './story.js';
import { afterGrace, type Clocks, isAfter, isLeftBy, LOOK_AGAIN, patientFor, Turns } from './turns.js';

/** Two legs of these clocks end before the deadline. */
const PATIENT = patientFor(10);
const HOUR_SEC = 3_600;
const HOURLY: Clocks = { carrySec: HOUR_SEC, handoffSec: HOUR_SEC, reviewSec: HOUR_SEC, arbitrationSec: HOUR_SEC };

/** Has one digital task done as its story says. Nobody else moves time while an agent is replaced that was silent. */
export function finishBound(world: World, story: TaskTermsStory, poster: KeyPairSigner): Promise<FinishedTask> {
  const finish = async () => {
    const roles = castOf(world, story, poster);
    const ended = await carryOut(world, {
      kind: TASKS,
      story,
      shipper: poster,
      draft: (deadline) => draftOf(world, story, roles, deadline),
      work: (agent, listed) => new BoundAgents(world, story, { agent, listed, roles }).run(),
    });
    const { legs, ...bound } = boundTaskBy(story, roles, ended.listing);
    return { ...ended, paymentLamports: BUDGET_LAMPORTS / BigInt(legsOf(story)), legs, bound };
  };
  return isAlone(story) ? world.time.alone(finish) : finish();
}

/** Its clocks are so short that time has to be its own. */
const isAlone = ({ plot }: TaskTermsStory): boolean => plot === 'overdue';
const legsOf = ({ plot }: TaskTermsStory): number => (plot === 'verified' ? 2 : 1);

function castOf(
  { carriers, arbiter, coordinator }: World,
  { workers }: TaskTermsStory,
  poster: KeyPairSigner,
): TaskRoles {
  const [first, second, receiver] = workers.map((index) => carriers[index]);
  if (!first || !second || !receiver) throw new RangeError('There are too few agents.');
  return { poster, first, second, receiver, arbiter, coordinator };
}

function clocksOf(plot: TaskPlot): Clocks {
  if (plot === 'overdue') return HOURLY;
  return plot === 'unread' ? { ...PATIENT, reviewSec: 300 } : PATIENT;
}

function draftOf(
  { asset }: World,
  story: TaskTermsStory,
  { arbiter, receiver }: TaskRoles,
  deadline: Date,
): DigitalTaskDraft {
  const { number, plot, stakeSol } = story;
  const legs = Array.from({ length: legsOf(story) }, (_, index) => ({ instruction: `Proofread part ${index + 1}` }));
  return {
    title: `Proofs ${number}`,
    description: `Proofread text ${number}.`,
    legs,
    ...budgetIn(asset, BUDGET_SOL),
    deadline: deadline.toISOString(),
    terms: {
      arbiterPubkey: arbiter.address,
      receiverPubkey: receiver.address,
      ...stakeIn(asset, stakeSol),
      ...clocksOf(plot),
    },
  };
}

/** The work of agents, poster, receiver and arbiter for one task. */
class BoundAgents {
  readonly #world: World;
  readonly #story: TaskTermsStory;
  readonly #agent: Agent;
  readonly #listed: Listed<DigitalTaskDetail>;
  readonly #roles: TaskRoles;
  readonly #turns: Turns<DigitalLegDetail>;

  constructor(
    world: World,
    story: TaskTermsStory,
    { agent, listed, roles }: { agent: Agent; listed: Listed<DigitalTaskDetail>; roles: TaskRoles },
  ) {
    this.#world = world;
    this.#story = story;
    this.#agent = agent;
    this.#listed = listed;
    this.#roles = roles;
    this.#turns = new Turns({
      world,
      agent,
      of: { taskId: listed.id },
      read: async (index) => (await listed.read()).legs[index],
      isAlone: isAlone(story),
    });
  }

  async run(): Promise<void> {
    const { poster, receiver, first, second } = this.#roles;
    await this.#claim(0, first);
    switch (this.#story.plot) {
      case 'verified':
        await this.#claim(1, second);
        await this.#deliver(0, first);
        await this.#turns.move(0, poster, 'confirm');
        await this.#deliver(1, second);
        return this.#turns.move(1, receiver, 'confirm');
      case 'unread':
        await this.#deliver(0, first);
        return this.#turns.untilTime(0, isAfter('confirm'), ({ until }) => until);
      case 'judged':
        await this.#deliver(0, first);
        return this.#dispute(receiver, this.#story.percent);
      case 'rejected':
        await this.#deliver(0, first);
        await this.#dispute(poster, 0);
        return this.#replace(poster);
      case 'left':
        await this.#accept(0, first);
        await this.#turns.move(0, first, 'vacate', {}, isLeftBy(first));
        return this.#replace(receiver);
      case 'overdue':
        await this.#accept(0, first);
        await this.#turns.untilTime(0, isLeftBy(first), afterGrace);
        return this.#replace(poster);
    }
  }

  /** Another agent has the leg, and its result is confirmed. The first one gets it no more. */
  async #replace(by: KeyPairSigner): Promise<void> {
    const { first, second } = this.#roles;
    await this.#claim(0, second);
    const { id: legId } = await this.#turns.leg(0);
    const name = `${this.#listed.id}: claim again what was lost`;
    const { refused } = await this.#agent.ask(name, ['agent_barred'], () => this.#bid(first, legId));
    if (refused === undefined) throw new Error(`${name}: not refused`);
    await this.#deliver(0, second);
    await this.#turns.move(0, by, 'confirm');
  }

  /** Until the agent has the leg, or has it reserved; before that it may have to be released. */
  #claim(index: number, by: KeyPairSigner): Promise<void> {
    const isHeld = ({ agentPubkey }: DigitalLegDetail) => agentPubkey === by.address;
    return this.#turns.until(`claim leg ${index}`, index, isHeld, ['leg_taken', 'invalid_status'], ({ id }) =>
      this.#bid(by, id),
    );
  }

  #bid(signer: KeyPairSigner, legId: string): Promise<void> {
    const caller = { agent: this.#agent, signer, hand: this.#story.claims };
    return claim(caller, { taskId: this.#listed.id, legId }, bidIn(this.#world.asset, 0.01));
  }

  /** Once the ledger shows the assignment. */
  async #accept(index: number, by: KeyPairSigner): Promise<void> {
    const read = async () => (await this.#turns.leg(index)).stage ?? undefined;
    await this.#agent.poll(
      `${this.#listed.id}: leg ${index}, assigned`,
      read,
      'the ledger does not show its assignment',
    );
    await this.#turns.move(index, by, 'accept');
  }

  /** Accepts the leg, hands in, and claims with that. */
  async #deliver(index: number, by: KeyPairSigner): Promise<void> {
    await this.#accept(index, by);
    const result = resultIn(this.#story, index, by);
    const { rpc } = this.#world;
    await this.#turns.until(`hand in leg ${index}`, index, isAfter('claim'), LOOK_AGAIN, ({ id: legId }) =>
      completeDigitalLeg(this.#agent.clientOf(by), by, { taskId: this.#listed.id, legId, result }, { rpc }),
    );
  }

  async #dispute(by: KeyPairSigner, percent: number): Promise<void> {
    await this.#turns.move(0, by, 'dispute', { text: 'It is full of misprints.' });
    const isRuled = percent === 0 ? isLeftBy(this.#roles.first) : isAfter('rule');
    await this.#turns.move(0, this.#roles.arbiter, 'rule', { percent }, isRuled);
  }
}
