import { z } from 'zod';
import { escrow } from '../resources/money.js';
import { uuid } from '../schemas.js';
import { operation } from './operation.js';

const ESCROW =
  'Every movement of its escrow, in order, and what the vault holds now: what went into the vault less what went out of it is ' +
  'vaultLamports. Fees and the rent of other accounts are not among them.';

export const getPackageMoney = operation({
  name: 'getPackageMoney',
  tag: 'packages',
  summary: 'Read where the money of a package went',
  description: ESCROW,
  method: 'GET',
  path: '/packages/:packageId/money',
  params: z.strictObject({ packageId: uuid }),
  answer: z.strictObject({ packageId: uuid, ...escrow }),
});

export const getTaskMoney = operation({
  name: 'getTaskMoney',
  tag: 'digital-tasks',
  summary: 'Read where the money of a digital task went',
  description: ESCROW,
  method: 'GET',
  path: '/digital-tasks/:taskId/money',
  params: z.strictObject({ taskId: uuid }),
  answer: z.strictObject({ taskId: uuid, ...escrow }),
});
