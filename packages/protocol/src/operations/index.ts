import * as agents from './agents.js';
import * as bids from './bids.js';
import * as meta from './meta.js';
import * as packages from './packages.js';
import * as swarms from './swarms.js';

export type { AnswerOf, Auth, CallOf, InputOf, Operation } from './operation.js';
export type { Leg, PackageDetail, PackageView, Reputation, Swarm } from './views.js';

/** Every operation of the service by name. */
export const operations = {
  getConfig: meta.getConfig,
  getHealth: meta.getHealth,
  getReadiness: meta.getReadiness,
  registerAgent: agents.registerAgent,
  getReputation: agents.getReputation,
  buildListTx: packages.buildListTx,
  submitPackage: packages.submitPackage,
  listPackages: packages.listPackages,
  getPackage: packages.getPackage,
  submitBid: bids.submitBid,
  buildConfirmTx: swarms.buildConfirmTx,
  confirmLeg: swarms.confirmLeg,
} as const;

export type OperationName = keyof typeof operations;
