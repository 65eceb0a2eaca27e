import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { FeatureSet, LiteSvm } from 'litesvm/dist/internal.js';
import { FeaturesError } from '../errors.js';
import type { Account } from './account.js';
import { fromBase58, toBase58 } from './keys.js';

/** The addresses of active features, in base58, sorted. */
export type Features = readonly string[];

export const FEATURE_OWNER = fromBase58('Feature111111111111111111111111111111111111');

/**
 * Another consensus, which no cluster of Agave 4.2 has switched on: a test validator leaves it off as well.
 */
const ALPENGLOW = 'a1penGLz8Vm2QHYB3JPefBiU4BY3Z6JkW2k3Scw5GWP';

/**
 * Sets that have a name. Both are the engine's own lists, so that they are never something else than what it
 * knows: what a test validator of Agave 4.2 starts with, and what was active on mainnet-beta when the engine
 * was released.
 */
const NAMED: Readonly<Record<string, () => Features>> = {
  'agave-4.2': () => knownFeatures().filter((id) => id !== ALPENGLOW),
  'mainnet-beta': () => new LiteSvm().getProgramAccounts(FEATURE_OWNER).map(({ address }) => toBase58(address)),
};

export const DEFAULT_FEATURES = 'agave-4.2';

let known: Features | undefined;

/** Features that the engine knows, active or not. */
export function knownFeatures(): Features {
  known ??= FeatureSet.allEnabled().getActiveFeatures().map(toBase58).toSorted();
  return known;
}

/**
 * The number by which nodes tell which features their software knows: the begin of a hash of their addresses.
 */
export function featureSetNumber(): number {
  const hash = createHash('sha256');
  const known = FeatureSet.allEnabled().getActiveFeatures();
  for (const id of known.toSorted((one, other) => Buffer.compare(one, other))) hash.update(id);
  return hash.digest().readUInt32LE(0);
}

/**
 * The features of a set with a name, or of a file: a list of addresses, or what `solana feature status
 * --output json` prints of a cluster. Those that the engine does not know, and so cannot keep, are left out.
 * Rule L-86.
 *
 * @throws FeaturesError when there is no such file, or it holds something else
 */
export function readFeatures(choice: string): Features {
  const named = NAMED[choice];
  if (named !== undefined) return named().toSorted();
  const kept = new Set(knownFeatures());
  return [...new Set(activeIn(choice))].filter((id) => kept.has(id)).toSorted();
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

function activeIn(path: string): string[] {
  try {
    const content = JSON.parse(readFileSync(path, 'utf8')) as
      | readonly string[]
      | { readonly features: readonly { readonly id: string; readonly status: string }[] };
    const listed =
      'features' in content
        ? content.features.filter(({ status }) => status === 'active').map(({ id }) => id)
        : content;
    const addresses = [...listed];
    if (addresses.length > 0 && addresses.every((one) => ADDRESS.test(one))) return addresses;
    throw new TypeError('it lists no addresses in base58');
  } catch (error) {
    throw new FeaturesError(choiceHelp(path, error instanceof Error ? error.message : String(error)));
  }
}

function choiceHelp(path: string, why: string): string {
  return (
    `The features ${path} are not known: ${why}. Name ${Object.keys(NAMED).join(', ')}, or a file with a JSON list ` +
    'of addresses, as "solana feature status --output json" prints one.'
  );
}

/** What switches features on in the engine. */
export function featureSetOf(features: Features): FeatureSet {
  const set = new FeatureSet();
  for (const id of features) set.activate(fromBase58(id), 0n);
  return set;
}

/**
 * The account by which a cluster says that a feature is active since slot 0.
 *
 * @param lamports the rent-exempt minimum of its bytes
 */
export function featureAccount(lamports: bigint): Account {
  return { lamports, data: FEATURE_DATA, owner: FEATURE_OWNER, executable: false, rentEpoch: 0n };
}

/** That it is active, and the slot since when. */
const FEATURE_DATA = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0);
