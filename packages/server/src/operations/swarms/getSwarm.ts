import { RelayError, type operations } from '@legwork/protocol/contract';
import { findSwarm } from '../../db/swarms.js';
import { inTransaction } from '../../db/transaction.js';
import type { Run } from '../run.js';
import { viewSwarm } from './view.js';

export const getSwarm: Run<typeof operations.getSwarm> = async ({ db, config }, { swarmId }) => {
  // Swarm and legs of one moment.
  const swarm = await inTransaction(db, (trx) => findSwarm(trx, swarmId), 'repeatable read');
  if (!swarm) throw RelayError.field('not_found', 'swarmId', 'no swarm has this id');
  return { answer: viewSwarm(config, swarm) };
};
