import type { PackageTurnView } from '@legwork/protocol/contract';
import { createSolanaRpc } from '@solana/kit';
import type { RelayClient } from '../client.js';
import { serviceConfig } from '../serviceConfig.js';
import type { LedgerSigner } from '../signer.js';
import { attendTurns } from './attendTurns.js';
import type { FollowTurnsOptions } from './attendTurns.js';
import { doStep, doTaskStep } from './doStep.js';
import type { Follower, TurnPolicy } from './doStep.js';
import { msToNotice, nextStep, nextTaskStep } from './nextStep.js';
import type { TaskAtHand, TaskTurnView, TurnAtHand } from './nextStep.js';

/**
 * Keeps the legs with terms of a key going until the signal ends it: accepts what it bid for, picks up or takes over when its turn has
 * come and the parcel is there, claims with the policy's evidence or hands in its result, gives notice two minutes before a clock ends
 * that it cannot meet, begins nothing that would end after the deadline, and carries out what silence has decided. What it knows is what
 * the service and the ledger say, so it can be stopped at any instant and started again.
 *
 * A parcel is carried from when the policy is told `carried`, not before: then the ledger shows that it was picked up.
 *
 * @param client must have the signer
 * @param policy is asked again and again: it answers at once, not when something has happened
 * @throws {RelayNetworkError} when the service cannot be reached at the start; later it is waited for
 */
export async function followTurns(
  client: RelayClient,
  signer: LedgerSigner,
  policy: TurnPolicy,
  options: FollowTurnsOptions = {},
): Promise<void> {
  const rpc = options.rpc ?? createSolanaRpc((await serviceConfig(client)).rpcUrl);
  const follower: Follower = { client, signer, policy, rpc, told: new Set() };
  const attendant = {
    client,
    pubkey: signer.address,
    rpc,
    look: (turn: PackageTurnView | TaskTurnView, now: Date) =>
      turn.kind === 'package' ? lookAtPackage(follower, turn, now) : lookAtTask(follower, turn, now),
    failed: (error: unknown, turn: PackageTurnView | TaskTurnView | undefined) => policy.failed?.(error, turn),
  };
  await attendTurns(attendant, options);
}

async function lookAtPackage(follower: Follower, turn: PackageTurnView, now: Date): Promise<number | undefined> {
  const { client, signer } = follower;
  const { packageId, legId, legIndex } = turn;
  const parcel = await client.getPackage({ packageId });
  const legs = parcel.swarm?.legs ?? [];
  const isOwn = (leg: (typeof legs)[number]) => leg.agentPubkey === signer.address;
  const own = legs.find((leg) => isOwn(leg) && (leg.id === legId || leg.legIndex === legIndex + 1));
  const at: TurnAtHand = { turn, parcel, own, now };
  const step = nextStep(at, signer.address);
  if (step !== undefined) await doStep(follower, at, step);
  return msToNotice(at);
}

async function lookAtTask(follower: Follower, turn: TaskTurnView, now: Date): Promise<number | undefined> {
  const { client, signer } = follower;
  if (turn.agentPubkey !== signer.address) return undefined;
  const task = await client.getDigitalTask({ taskId: turn.taskId });
  const leg = task.legs.find(({ id }) => id === turn.legId);
  if (leg === undefined) return undefined;
  const at: TaskAtHand = { turn, task, leg, now };
  const step = nextTaskStep(at, signer.address);
  if (step !== undefined) await doTaskStep(follower, at, step);
  return msToNotice(at);
}
