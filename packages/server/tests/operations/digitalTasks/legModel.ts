/** A step in the life of a task's legs; agents and legs by their numbers. */
export type Step =
  | { kind: 'claim' | 'result' | 'release'; agent: number; leg: number }
  | { kind: 'timeout'; leg: number };

/** A leg between two steps, when nothing is under way. */
export interface ModelLeg {
  status: 'open' | 'reserved' | 'assigned' | 'completed';
  agent: number | undefined;
}

/** A task between two steps. */
export interface ModelTask {
  legs: readonly ModelLeg[];
  /** Agents that gave up a leg. */
  barred: readonly number[];
}

/** The agent that posted the task. */
export const POSTER = 0;

/** The outcome of a step: `ok`, or the code of its refusal, and the task after it. */
export interface Outcome {
  told: string;
  task: ModelTask;
}

const OPEN: ModelLeg = { status: 'open', agent: undefined };

const isWorkable = ({ legs }: ModelTask, leg: number) =>
  legs.slice(0, leg).every(({ status }) => status === 'completed');

/** The task with one leg changed; a reservation that becomes workable is assigned. */
function changed(task: ModelTask, leg: number, to: ModelLeg, barred: readonly number[] = []): ModelTask {
  const next = { legs: task.legs.with(leg, to), barred: [...task.barred, ...barred] };
  const legs = next.legs.map((one, index): ModelLeg => {
    return one.status === 'reserved' && isWorkable(next, index) ? { ...one, status: 'assigned' } : one;
  });
  return { ...next, legs };
}

function claim(task: ModelTask, agent: number, leg: number, target: ModelLeg): Outcome {
  const refusal = (told: string) => ({ told, task });
  if (target.agent === agent) return refusal('ok');
  if (agent === POSTER) return refusal('self_dealing');
  if (task.barred.includes(agent)) return refusal('agent_barred');
  if (task.legs.some((other) => other.agent === agent)) return refusal('already_on_task');
  if (task.legs.every(({ status }) => status === 'completed')) return refusal('invalid_status');
  if (target.status !== 'open') return refusal('leg_taken');
  return { told: 'ok', task: changed(task, leg, { status: 'reserved', agent }) };
}

function result(task: ModelTask, agent: number, leg: number, target: ModelLeg): Outcome {
  if (target.agent !== agent) return { told: 'not_your_leg', task };
  if (target.status === 'reserved') return { told: 'leg_out_of_order', task };
  return { told: 'ok', task: changed(task, leg, { status: 'completed', agent }) };
}

function release(task: ModelTask, agent: number, leg: number, target: ModelLeg): Outcome {
  if (target.agent !== agent) return { told: 'not_your_leg', task };
  if (target.status === 'completed') return { told: 'result_submitted', task };
  return { told: 'ok', task: changed(task, leg, OPEN, target.status === 'assigned' ? [agent] : []) };
}

function timeOut(task: ModelTask, leg: number, { status, agent }: ModelLeg): Outcome {
  const isAtWork = status === 'assigned' && agent !== undefined;
  return { told: 'ok', task: isAtWork ? changed(task, leg, OPEN, [agent]) : task };
}

/** The outcome of a step by the rules. Rules M-54 to M-57, S-57 to S-59. */
export function expected(task: ModelTask, step: Step): Outcome {
  const target = task.legs[step.leg];
  if (!target) throw new Error(`there is no leg ${step.leg}`);
  if (step.kind === 'timeout') return timeOut(task, step.leg, target);
  const rule = { claim, result, release }[step.kind];
  return rule(task, step.agent, step.leg, target);
}
