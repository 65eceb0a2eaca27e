import type { OperationName, operations } from '@agent-relay/protocol';
import { getReputation } from './agents/getReputation.js';
import { registerAgent } from './agents/registerAgent.js';
import { submitBid } from './bids/submitBid.js';
import type { Run } from './implement.js';
import { getConfig } from './meta/getConfig.js';
import { getHealth } from './meta/getHealth.js';
import { getReadiness } from './meta/getReadiness.js';
import { buildListTx } from './packages/buildListTx.js';
import { getPackage } from './packages/getPackage.js';
import { listPackages } from './packages/listPackages.js';
import { submitPackage } from './packages/submitPackage.js';
import { buildConfirmTx } from './swarms/buildConfirmTx.js';
import { confirmLeg } from './swarms/confirmLeg.js';

/** What runs each operation. */
export type Runs = { [Name in OperationName]: Run<(typeof operations)[Name]> };

export const runs: Runs = {
  getConfig,
  getHealth,
  getReadiness,
  registerAgent,
  getReputation,
  buildListTx,
  submitPackage,
  listPackages,
  getPackage,
  submitBid,
  buildConfirmTx,
  confirmLeg,
};
