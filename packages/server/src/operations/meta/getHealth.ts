import type { operations } from '@legwork/protocol/contract';
import type { Run } from '../run.js';

export const getHealth: Run<typeof operations.getHealth> = async () => ({ answer: { status: 'ok' } });
