import { by, type Findings } from '../findings.js';
import { assignmentsOf, type TaskFacts } from './taskFacts.js';
import type { MirroredTask } from './taskMirror.js';

/** Compares who lost a leg of a digital task, and by which transaction. Rule M-57. */
export function compareBarred({ row, legs, barred }: MirroredTask, task: TaskFacts, findings: Findings): void {
  const subject = `digital task ${row.id}`;
  const released = assignmentsOf(task).filter((assignment) => assignment.releaseSignature !== null);
  for (const { agent_pubkey: agent, leg_id: legId, release_signature: signature } of barred) {
    const found =
      released.find((one) => one.agent === agent && one.releaseSignature === signature) ??
      released.findLast((one) => one.agent === agent);
    const release = found?.releaseSignature ?? null;
    findings.same(subject, `release signature of barred agent ${agent}`, signature, release, release);
    const index = legs.find((leg) => leg.id === legId)?.leg_index ?? null;
    if (found) findings.same(subject, `number of the leg of barred agent ${agent}`, index, found.index, release);
  }
  for (const { agent, index, releaseSignature } of released) {
    if (barred.some((one) => one.agent_pubkey === agent)) continue;
    findings.differ(subject, `agent ${agent} is not barred here, and lost leg ${index}${by(releaseSignature)}`);
  }
}
