/*
 * The loop of a party: how a key that has legs with terms keeps them going.
 *
 * A leg with terms has clocks. A party that lets one run out loses time, a stake or a payment, so a courier or an agent cannot wait until
 * a person looks. This folder is what acts for them, and it is built so that nothing is lost when it stops at any instant:
 *
 * - It does not decide what is to be done. The service lists the turns of a key; `nextStep` and `nextTaskStep` of the rules make
 *   of a turn, by the ledger's time, the one step that is next. They are pure, and the only place that decides it.
 * - `attendTurns` looks at every turn whenever an event about it comes, when a clock is about to end, and every few seconds. Events only
 *   wake it, and what one would have said is found by asking again. So there is no state to keep, and a restart is a first look.
 * - `takeStep` takes the step. It asks the party it acts for (is the parcel here, what shows that it has arrived) and makes the move.
 *   There is one such function. A program that follows its turns with `followTurns` answers by its `TurnPolicy`. The daemons of
 *   @legwork/agents rank the same steps among their other work, and are another `StepTaker`: they write each move down before they hand
 *   it in, ask persons and commands within a time, and say what was done.
 * - `makeMove` makes a move that needs no second signature: the service builds it, `expectedMove` builds it again from what the ledger
 *   says of the leg, and only if both are the same is it signed. `offers` is the same for an agreement, which two sign; a pickup that
 *   the shipper signs too is sent with the text that it signed, by `pickups`.
 * - `verify` is the loop of the other side, which judges what is claimed in a digital task.
 *
 * Invariants:
 *
 * - Nothing is signed because the service says so. Terms, worker, deadline and the instruction itself are the ledger's.
 * - Nobody leaves with a parcel, or is told that it may, before the ledger shows that this key has it.
 * - A courier signs that it has a parcel only when its policy says so; silence is never a yes.
 * - Two minutes before a clock ends, what cannot be done is given up as long as that is free (T-46). In between, a step whose outcome is
 *   not known is taken again: the same move lands once, however often it is handed in.
 * - A claim that could not be stored again names what was stored before, and a text that was shared is shared once: what an author
 *   may add to the evidence of a leg is little, and the claim needs some of it.
 */
import { LegStatus } from '@legwork/program-client';
import type { LegTurnView, PackageTurnView } from '@legwork/protocol/contract';
import { msToNotice, nextStep, nextTaskStep, turnAtHand } from '@legwork/protocol/rules';
import type { TaskAtHand, TaskTurnView, TurnAtHand } from '@legwork/protocol/rules';
import { serviceConfig } from '../client.js';
import type { LegworkClient } from '../client.js';
import { ledgerRpc } from '../ledgerRpc.js';
import type { LedgerSigner } from '../signer.js';
import { attendTurns } from './attendTurns.js';
import type { FollowTurnsOptions } from './attendTurns.js';
import { legOnLedger } from './buildMove.js';
import { completeDigitalLeg } from './completeDigitalLeg.js';
import { makeMove } from './makeMove.js';
import type { MadeMove } from './makeMove.js';
import { makeHandoff } from './pickups.js';
import type { TurnRpc } from './readLeg.js';
import { takeStep } from './takeStep.js';
import type { Answer, StepTaker } from './takeStep.js';

/** The world as a key that follows its turns knows it. Every question is asked again and again, and answered at once. */
export interface TurnPolicy {
  /** Reports whether the key wants a leg that was given to it; default: yes. An unwanted leg is vacated, which costs nothing. */
  accepts?(at: TurnAtHand): Answer<boolean>;
  /** Reports whether the parcel is in this key's hands. Only then is it picked up or taken over; left out: it never is, as for agents of tasks. */
  hasParcel?(at: TurnAtHand): Answer<boolean>;
  /**
   * The ledger shows that this key has the parcel now: it may leave. Told once in each run, also after a restart on the way.
   */
  carried?(at: TurnAtHand): Answer<void>;
  /**
   * The evidence that the parcel is at the leg's end, where nobody relieves this key: text of at most 256
   * KiB, which everybody in the package can read. Undefined: it is not there yet. `isLast`: two minutes
   * before the clock ends; the text then says where the parcel is, and without it the stake may be lost.
   */
  evidence?(at: TurnAtHand, isLast: boolean): Answer<string | undefined>;
  /**
   * Gives the code by which the shipper hands the parcel of a first pickup over, where its terms want that signature: scanned from its
   * screen. Left out or undefined: it is looked for among the evidence of the leg, where `signPickup` puts it.
   */
  handoff?(at: TurnAtHand): Answer<string | undefined>;
  /**
   * The result of this key's leg of a digital task: it is handed in, and the leg is claimed with it. Undefined: not yet. `isLast`: two
   * minutes before the clock ends; without a result the leg is left then, which costs nothing. The key accepts its own claims unasked.
   */
  result?(at: TaskAtHand, isLast: boolean): Answer<string | undefined>;
  /** A move was made. */
  made?(move: MadeMove, at: TurnAtHand | TaskAtHand, action: string): void;
  /** Something could not be done; it is tried again. */
  failed?(error: unknown, turn: LegTurnView | undefined): void;
}

/** A key that follows its turns. */
interface Follower {
  readonly client: LegworkClient;
  readonly signer: LedgerSigner;
  readonly policy: TurnPolicy;
  readonly rpc: TurnRpc;
  /** Legs of this run whose policy was told that they are carried. */
  readonly told: Set<string>;
}

/**
 * Keeps the legs with terms of a key going until the signal ends it: accepts what it bid for, picks up or takes over when its
 * turn has come and the parcel is there, claims with the policy's evidence or hands in its result, gives notice two minutes
 * before a clock ends that it cannot meet, begins nothing that would end after the deadline, and carries out what silence has
 * decided. It knows only what the service and the ledger say, so it can be stopped at any instant and started again.
 *
 * A parcel is carried from when the policy is told `carried`, not before: then the ledger shows that it was picked up.
 *
 * @param client must have the signer
 * @param policy is asked again and again: it answers at once, not when something has happened
 * @throws {LegworkNetworkError} when the service cannot be reached at the start; later it is waited for
 */
export async function followTurns(
  client: LegworkClient,
  signer: LedgerSigner,
  policy: TurnPolicy,
  options: FollowTurnsOptions = {},
): Promise<void> {
  const rpc = options.rpc ?? ledgerRpc((await serviceConfig(client)).rpcUrl);
  const follower: Follower = { client, signer, policy, rpc, told: new Set() };
  const attendant = {
    client,
    pubkey: signer.address,
    rpc,
    look: (turn: LegTurnView, now: Date) =>
      turn.kind === 'package' ? lookAtPackage(follower, turn, now) : lookAtTask(follower, turn, now),
    failed: (error: unknown, turn: LegTurnView | undefined) => policy.failed?.(error, turn),
  };
  await attendTurns(attendant, options);
}

async function lookAtPackage(follower: Follower, turn: PackageTurnView, now: Date): Promise<number | undefined> {
  const { client, signer, policy } = follower;
  const parcel = await client.getPackage({ packageId: turn.packageId });
  const at = turnAtHand(turn, parcel, signer.address, now);
  const step = nextStep(at, signer.address);
  const taker = {
    ...moverOf(follower, at),
    terms: parcel.terms,
    accepts: () => policy.accepts?.(at) ?? true,
    hasParcel: () => policy.hasParcel?.(at) ?? false,
    isHeld: () => policy.hasParcel?.(at) ?? false,
    carried: () => tellCarried(follower, at),
    evidence: (isLast: boolean) => policy.evidence?.(at, isLast),
    handoff: () => policy.handoff?.(at),
  };
  if (step !== undefined) await takeStep(taker, turn, step);
  return msToNotice(at);
}

async function lookAtTask(follower: Follower, turn: TaskTurnView, now: Date): Promise<number | undefined> {
  const { client, signer, policy } = follower;
  if (turn.agentPubkey !== signer.address) return undefined;
  const task = await client.getDigitalTask({ taskId: turn.taskId });
  const leg = task.legs.find(({ id }) => id === turn.legId);
  if (leg === undefined) return undefined;
  const at = { turn, task, leg, now };
  const step = nextTaskStep(at, signer.address);
  const result = async (isLast: boolean) => {
    const text = await policy.result?.(at, isLast);
    return text === undefined ? undefined : () => handIn(follower, at, text);
  };
  if (step !== undefined) await takeStep({ ...moverOf(follower, at), terms: task.terms, result }, turn, step);
  return msToNotice(at);
}

function moverOf({ client, signer, policy, rpc }: Follower, at: TurnAtHand | TaskAtHand) {
  const make: StepTaker['make'] = async (move) => {
    const made = await makeMove(client, signer, move, { rpc });
    policy.made?.(made, at, move.action);
  };
  const send: StepTaker['send'] = async (signed) => {
    const { turn } = at;
    const of = turn.kind === 'package' ? { packageId: turn.packageId } : { taskId: turn.taskId };
    const made = await makeHandoff(client, signer, { legId: turn.legId, ...of, signed }, { rpc });
    policy.made?.(made, at, made.stage === 'carried' ? 'take' : 'confirm');
  };
  return { client, signer, rpc, make, send };
}

async function handIn({ client, signer, policy, rpc }: Follower, at: TaskAtHand, result: string): Promise<void> {
  const { taskId, legId } = at.turn;
  const { claim } = await completeDigitalLeg(client, signer, { taskId, legId, result }, { rpc });
  if (claim !== null) policy.made?.(claim, at, 'claim');
}

/** The ledger is asked itself: who leaves with a parcel that it did not pick up there has no claim to anything. */
async function tellCarried({ client, signer, policy, rpc, told }: Follower, at: TurnAtHand): Promise<void> {
  const { own, parcel } = at;
  if (own === undefined || told.has(own.id)) return;
  const move = { legId: own.id, packageId: parcel.id };
  const leg = await legOnLedger(client, signer.address, move, { rpc });
  if (leg.worker !== signer.address || leg.status !== LegStatus.Carried) return;
  told.add(own.id);
  await policy.carried?.(at);
}
