import { z } from 'zod';
import { decision } from '../resources/decision.js';
import { uuid } from '../schemas.js';
import { operation } from './operation.js';

export const getDecision = operation({
  name: 'getDecision',
  tag: 'packages',
  summary: 'Read why this chain won',
  description:
    'The newest choice of a chain for the package, as it was made: every bid that was considered, with what its agent counted for ' +
    'then, the chain that was chosen, and what each of its legs pays. findBestRoute and allocatePayments of ' +
    '@legwork/protocol/rules choose it again from that. 404 not_found: no chain was chosen yet.',
  method: 'GET',
  path: '/packages/:packageId/decision',
  params: z.strictObject({ packageId: uuid }),
  query: z.strictObject({
    swarmId: uuid.optional().meta({ description: 'an earlier choice, by its swarm: one whose formation failed' }),
  }),
  answer: decision,
  kept: true,
  shared: true,
});
