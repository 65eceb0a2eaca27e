import type { AgentTables } from './schema/agents.js';
import type { MarketTables } from './schema/market.js';
import type { PersonalDataTables, ServiceTables } from './schema/service.js';

export type * from './schema/agents.js';
export type * from './schema/market.js';
export type * from './schema/service.js';
export type * from './schema/tasks.js';

/** Every table, by the names that PostgreSQL knows. */
export interface Database extends MarketTables, AgentTables, PersonalDataTables, ServiceTables {}
