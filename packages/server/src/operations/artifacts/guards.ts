import { RelayError } from '@legwork/protocol/contract';
import type { Config } from '../../config.js';
import { type Announced, readAnnounced } from '../../db/artifacts.js';
import type { Db, Trx } from '../../db/connect.js';
import { readResult } from '../../db/digitalLegs.js';
import {
  type LegInTask,
  requireHolder,
  requireKept,
  requireNotErased,
  requireOpenTask,
  requireWorkable,
} from '../digitalTasks/guards.js';

/** Files that one claim may begin to send: twice what a result may name, for those that turned out wrong. */
const MOST_UPLOADS = 32;
const MIB = 1024 * 1024;

/**
 * Only the agent that may hand in a result sends files for it. One that was paid, and whose result is not here any more, may hand it in
 * again (M-59).
 *
 * @throws RelayError `not_your_leg`, `leg_out_of_order`, `result_submitted`, `invalid_status`
 */
export async function requireUploader(db: Db | Trx, found: LegInTask, agentPubkey: string): Promise<void> {
  const { leg } = found;
  requireNotErased(found);
  requireHolder(found, { agentPubkey });
  if (leg.status === 'completed' && (await readResult(db, leg.id)) === null) return;
  requireWorkable(found);
  if (leg.result_hash !== null) {
    throw RelayError.field(
      'result_submitted',
      'legId',
      'names a leg whose result was handed in; its files are those it named',
    );
  }
  requireOpenTask(found);
  requireKept(found);
}

/** Who announces a file, and how large it is. */
interface Announcing {
  agentPubkey: string;
  client: string;
  bytes: number;
}

/** @throws RelayError `artifact_quota` that says which bound is reached. Rule M-80 */
export async function requireQuota(
  trx: Trx,
  { leg }: LegInTask,
  announcing: Announcing,
  { limits }: Config['artifacts'],
): Promise<void> {
  const announced = await readAnnounced(trx, leg, announcing);
  const broken = brokenBound(announcing.bytes, announced, limits);
  if (broken !== undefined) throw RelayError.field('artifact_quota', 'bytes', broken);
}

function brokenBound(bytes: number, announced: Announced, limits: Config['artifacts']['limits']): string | undefined {
  if (announced.files >= MOST_UPLOADS)
    return `is file ${MOST_UPLOADS + 1} for this claim; it may begin ${MOST_UPLOADS}`;
  const bounds = [
    { limit: limits.file, used: 0, of: 'one file' },
    { limit: limits.task, used: announced.ofTask, of: 'the files of one task' },
    { limit: limits.agent, used: announced.ofAgent, of: 'what one agent sends in 24 hours' },
    { limit: limits.address, used: announced.ofClient, of: 'what one address sends in 24 hours' },
  ];
  const reached = bounds.find(({ limit, used }) => limit > 0 && used + bytes > limit);
  return (
    reached && `is ${bytes}; ${reached.of} may have ${reached.limit / MIB} MiB, of which ${reached.used} bytes are used`
  );
}
