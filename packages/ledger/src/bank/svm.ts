import { Account as EngineAccount, EpochSchedule, LiteSvm } from 'litesvm/dist/internal.js';
import type { Account } from './account.js';
import { clusterPrograms } from './clusterPrograms.js';
import { featureAccount, featureSetOf, type Features } from './features.js';
import { fromBase58 } from './keys.js';

/**
 * A machine with these features, and the programs of a cluster's genesis. The checks of blockhash and
 * duplicates are off: the bank does both, since the engine knows only its own latest blockhash and soon
 * forgets signatures. Another thread checks signatures.
 */
export function createSvm(features: Features, slotsPerEpoch: bigint): LiteSvm {
  const svm = LiteSvm.default();
  // Builtins, sysvars and the environment of programs depend on the features.
  svm.setFeatureSet(featureSetOf(features));
  svm.setBuiltins();
  svm.setSysvars();
  svm.setPrecompiles();
  svm.setTransactionHistory(0n);
  svm.setBlockhashCheck(false);
  svm.setSigverify(false);
  svm.setEpochSchedule(new EpochSchedule(slotsPerEpoch, slotsPerEpoch, false, 0n, 0n));
  const minimum = (bytes: bigint): bigint => svm.minimumBalanceForRentExemption(bytes);
  for (const { address, account } of clusterPrograms(minimum)) svm.setAccount(address, toEngine(account));
  // Wrapped SOL, of programs that are there.
  svm.withNativeMints();
  const feature = toEngine(featureAccount(minimum(9n)));
  for (const id of features) svm.setAccount(fromBase58(id), feature);
  return svm;
}

export function toEngine({ lamports, data, owner, executable, rentEpoch }: Account): EngineAccount {
  return new EngineAccount(lamports, data, owner, executable, rentEpoch);
}
