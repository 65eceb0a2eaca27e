export { deployProgram, type DeployOutcome, type DeployProgramOptions } from './deploy/deployProgram.js';
export { initializeRelay, type InitializeOutcome, type InitializeRelayOptions } from './deploy/initializeRelay.js';
export { setCoordinator, type SetCoordinatorOptions, type SetCoordinatorOutcome } from './deploy/setCoordinator.js';
export { DeployError, LedgerInUse, MalformedKeypairFile, PortInUse, UnsupportedDataFolder } from './errors.js';
export { loadOrCreateKeypair, readKeypairFile } from './keypairs.js';
export { startLedger, type Ledger, type LedgerOptions } from './ledger.js';
