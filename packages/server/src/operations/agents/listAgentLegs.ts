import { LEG_STATUSES, type LegStatus, type operations, type QueuedLeg } from '@legwork/protocol/contract';
import type { AppContext } from '../../context.js';
import { pageOfDigitalLegs, pageOfLegs } from '../../db/legs.js';
import { cutPage, idPosition, readCursor } from '../cursor.js';
import { viewQueuedDigitalLeg } from '../digitalTasks/viewQueuedDigitalLeg.js';
import type { Run } from '../run.js';
import { viewQueuedLeg } from '../views.js';

type Input = Parameters<Run<typeof operations.listAgentLegs>>[1];

function isLegStatus(status: Input['status']): status is LegStatus | undefined {
  return status === undefined || LEG_STATUSES.some((known) => known === status);
}

/** The newest legs of both kinds before a position: enough of each for a page that has none of the other. */
async function newestOfBoth({ db, config }: AppContext, input: Input): Promise<QueuedLeg[]> {
  const { agentPubkey, status } = input;
  const [before] = readCursor(idPosition, input.cursor) ?? [];
  const page = { agentPubkey, before, limit: input.limit + 1 };
  const [physical, digital] = await Promise.all([
    // The others are statuses of digital legs alone.
    isLegStatus(status) ? pageOfLegs(db, { ...page, status }) : [],
    pageOfDigitalLegs(db, { ...page, status }),
  ]);
  const legs = [...physical.map((row) => viewQueuedLeg(config, row)), ...digital.map(viewQueuedDigitalLeg)];
  return legs.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit);
}

export const listAgentLegs: Run<typeof operations.listAgentLegs> = async (context, input) => {
  const legs = await newestOfBoth(context, input);
  const { page, nextCursor } = cutPage(legs, input.limit, (leg) => [leg.id]);
  return { answer: page, nextCursor };
};
