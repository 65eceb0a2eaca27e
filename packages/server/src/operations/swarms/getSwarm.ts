import { RelayError, type operations } from '@agent-relay/protocol';
import { findSwarm } from '../../db/swarms.js';
import type { Run } from '../implement.js';
import { viewSwarm } from '../views.js';

export const getSwarm: Run<typeof operations.getSwarm> = async ({ db, config }, { swarmId }) => {
  const swarm = await findSwarm(db, swarmId);
  if (!swarm) throw RelayError.field('not_found', 'swarmId', 'no swarm has this id');
  return { answer: viewSwarm(config, swarm) };
};
