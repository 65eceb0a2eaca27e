import { RelayError, type operations } from '@legwork/protocol/contract';
import { readNotFinal } from '../../db/finality.js';
import { findPackage } from '../../db/packages.js';
import { packageSubject } from '../../db/subjects.js';
import { findSwarm, withFormation } from '../../db/swarms.js';
import { inTransaction } from '../../db/transaction.js';
import type { Run } from '../run.js';
import { viewSwarm } from './view.js';

export const getSwarm: Run<typeof operations.getSwarm> = async ({ db, shownLedger, clock }, { swarmId }) => {
  // Swarm, legs and finality of one moment.
  const answer = await inTransaction(
    db,
    async (trx) => {
      const swarm = await findSwarm(trx, swarmId);
      if (!swarm) throw RelayError.field('not_found', 'swarmId', 'no swarm has this id');
      const notFinal = await readNotFinal(trx, [packageSubject(swarm.package_id)]);
      const terms = (await findPackage(trx, swarm.package_id))?.terms ?? null;
      return viewSwarm(shownLedger, await withFormation(trx, swarm), notFinal, { terms, now: clock() });
    },
    'repeatable read',
  );
  return { answer };
};
