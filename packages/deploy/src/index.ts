export { setAsset } from './assets.js';
export { deployProgram, type DeployOutcome, type DeployProgramOptions } from './deployProgram.js';
export { Cluster, DeployError } from './cluster.js';
export {
  initializeRelay,
  setCoordinator,
  type InitializeOutcome,
  type InitializeRelayOptions,
  type SetCoordinatorOptions,
  type SetCoordinatorOutcome,
} from './relayConfig.js';
export { relayGenesis, type RelayLedger } from './relayConfig.js';
