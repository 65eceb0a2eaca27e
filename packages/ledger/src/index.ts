export {
  DamagedStoreError,
  FeaturesError,
  GivenFileError,
  LedgerInUseError,
  MalformedKeypairFileError,
  PortInUseError,
  RemoteError,
  UnsupportedDataFolderError,
} from './errors.js';
export type { Genesis, LedgerToPrepare } from './genesis/genesis.js';
export { loadOrCreateKeypair, readKeypairFile, type KeypairFile, type LedgerKeypairs } from './keypairs.js';
export { startLedger, type Ledger, type LedgerOptions } from './ledger.js';
