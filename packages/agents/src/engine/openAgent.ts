import { Courier } from '../courier/courier.js';
import { Roads } from '../courier/roads.js';
import { lockFile } from '../fileLock.js';
import { adviseBid } from '../model/adviseBid.js';
import { createModel, TokensUsed } from '../model/model.js';
import type { PolicyOfFile } from '../policy/readPolicy.js';
import { journalOf, openSession } from '../wallet/session.js';
import type { Session } from '../wallet/session.js';
import { runnerOf } from '../worker/runners.js';
import { Worker } from '../worker/worker.js';
import { Agent } from './agent.js';
import { Calls } from './calls.js';
import { Commitments } from './commitments.js';
import type { Desk } from './desk.js';
import { makersOf } from './makers.js';
import { Membership } from './membership.js';
import type { Role } from './move.js';
import { OwnReputation } from './ownReputation.js';
import { OwnTurns } from './ownTurns.js';
import { OwnWork } from './ownWork.js';
import { Reasons } from './reasons.js';
import { Rests } from './rests.js';

/** An agent that can be run. */
export interface OpenAgent {
  readonly agent: Agent;
  readonly session: Session;
  /** Afterwards another daemon may work with the key. */
  readonly close: () => Promise<void>;
}

/**
 * Puts together the agent of a policy: its session, what it learns from its journal, and the roles that the policy gives it. Of
 * one key only one daemon works.
 *
 * @throws the errors of opening the session, and {ModelError} when the model's key is missing
 */
export async function openAgent(policy: PolicyOfFile, parts: Pick<Desk, 'market' | 'log' | 'ask'>): Promise<OpenAgent> {
  const lock = await lockFile(`${journalOf(policy.key)}.daemon`);
  if ('heldBy' in lock) throw new Error(`process ${lock.heldBy} works with ${policy.key} already`);
  const opened: { session?: Session } = {};
  const close = async () => {
    await opened.session?.close();
    await lock.release();
  };
  try {
    const calls = new Calls(
      makersOf(
        () => (opened.session as Session).client,
        () => (opened.session as Session).rpc,
      ),
    );
    const commitments = new Commitments();
    const reputation = new OwnReputation();
    const tokens = new TokensUsed();
    const say = (line: string) => parts.log.warn({}, line);
    const session = await openSession(policy, { views: [calls, commitments, reputation, tokens], say });
    opened.session = session;
    const reasons = new Reasons(session.journal, parts.log);
    const turns = new OwnTurns({ session, calls, commitments });
    const work = new OwnWork({ ...parts, session, reputation });
    const desk = { ...parts, session, work, calls, commitments, reputation, turns, rests: new Rests(), reasons };
    const roles = [new Membership(desk), ...rolesOf(policy, desk, tokens)];
    return { session, agent: new Agent(desk, roles), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function rolesOf({ courier, worker, router, folder, ...policy }: PolicyOfFile, desk: Desk, tokens: TokensUsed): Role[] {
  const { log, session } = desk;
  const model = policy.model && createModel(policy.model, session.journal, tokens);
  const onIgnored = (why: string) => log.warn({}, `the rules decide, not the model: ${why}`);
  const timeoutMs = (policy.model?.timeoutSec ?? 0) * 1000;
  const advice = model && adviseBid(model, { timeoutMs, onIgnored });
  return [
    ...(courier
      ? [new Courier(desk, { courier, folder, roads: new Roads(router?.url, courier.vehicle.kind, log), advice })]
      : []),
    ...(worker ? [new Worker(desk, runnerOf(worker.run, model, folder))] : []),
  ];
}
