import type { z } from 'zod';
import type { agentProfile, agentView, queuedLeg, reputation } from './agents.js';
import type { bidView } from './bids.js';
import type { digitalLegDetail, digitalLegView, digitalTaskDetail, digitalTaskView } from './digitalTaskViews.js';
import type { packageDetail, packageView } from './packages.js';
import type { leg, swarm } from './swarms.js';

/** The resources as code sees them: bigint lamports, Date instants. */
export type Reputation = z.output<typeof reputation>;
export type PackageView = z.output<typeof packageView>;
export type PackageDetail = z.output<typeof packageDetail>;
export type Swarm = z.output<typeof swarm>;
export type Leg = z.output<typeof leg>;
export type Bid = z.output<typeof bidView>;
export type Agent = z.output<typeof agentView>;
export type AgentProfile = z.output<typeof agentProfile>;
export type QueuedLeg = z.output<typeof queuedLeg>;
export type DigitalTaskView = z.output<typeof digitalTaskView>;
export type DigitalTaskDetail = z.output<typeof digitalTaskDetail>;
export type DigitalLegView = z.output<typeof digitalLegView>;
export type DigitalLegDetail = z.output<typeof digitalLegDetail>;
