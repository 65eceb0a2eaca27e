export { type PreparedExit, prepareExit, sendExit } from './prepareExit.js';
export { type ExitLeg, type ExitListing, type ExitStep, exitSteps } from './exitSteps.js';
export { type ExitPlace, openExit } from './openExit.js';
export { type ExitMandate, type Exits, findExits } from './findExits.js';
export { ExitError } from './exitRpc.js';
export type { ExitLedger, FoundLeg, FoundListing } from './found.js';
export { readListing } from './readListing.js';
export { NOTHING_HERE, sayListing, sayWhen } from './words.js';
