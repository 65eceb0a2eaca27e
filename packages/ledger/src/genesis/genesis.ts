import { randomBytes } from 'node:crypto';
import type { Address, Rpc, SolanaRpcApi } from '@solana/kit';
import { genesisHashOf } from '../bank/blockhashes.js';
import { Bank } from '../bank/bank.js';
import { FINALITY_SLOTS } from '../bank/commitment.js';
import { Engine } from '../bank/engine.js';
import { DEFAULT_FEATURES, readFeatures, type Features } from '../bank/features.js';
import { fromBase58, toBase58 } from '../bank/keys.js';
import type { Signatures } from '../bank/signatures.js';
import { SlotClock, steadyWallClock } from '../bank/slotClock.js';
import { FeaturesError } from '../errors.js';
import type { LedgerKeypairs } from '../keypairs.js';
import type { LedgerIdentity, Store } from '../store/store.js';
import { Faucet } from './faucet.js';
import { endowed, readGiven, type GivenState } from './given.js';

/**
 * Two slots more than finality takes: the genesis, and the first vote, are final when the ledger has caught
 * up with the wall clock.
 */
const GENESIS_SLOTS = Number(FINALITY_SLOTS) + 2;

/** The content of a new ledger, apart from its faucet. The caller hands it in: the ledger itself knows no program. */
export type Genesis<Name extends string = string> = {
  /** Keypairs to keep in the data folder, with the lamports each gets from the faucet once, when the ledger is made. */
  readonly funds: Readonly<Record<Name, bigint>>;
  /** Runs at every start before the ledger serves, to deploy what is missing. Must be safe to repeat after a kill. */
  readonly prepare: (ledger: LedgerToPrepare<Name>) => Promise<void>;
};

/** A ledger that does not serve yet. */
export type LedgerToPrepare<Name extends string = string> = {
  /** Calls the ledger within this process. */
  readonly rpc: Rpc<SolanaRpcApi>;
  readonly keypairs: LedgerKeypairs<Name>;
  /** Moves the ledger's time on to its next slot. */
  readonly nextSlot: () => Promise<void>;
  readonly log: (line: string) => void;
};

export type OpenedBank = {
  readonly bank: Bank;
  readonly faucet: Faucet;
  readonly genesisHash: string;
  /** The address of the ledger's only node. */
  readonly identity: string;
};

export type BankSettings = GivenState & {
  readonly slotMs: number;
  readonly finality: 'delayed' | 'immediate';
  /** A set of features by its name or its file; undefined: the ledger's own, or the default. */
  readonly features: string | undefined;
  /** Begins again from the genesis. */
  readonly reset: boolean;
  /** The slot in which the ledger begins to serve. */
  readonly warpSlot: number | undefined;
  /** Of a new ledger. */
  readonly slotsPerEpoch: number | undefined;
  readonly log: (line: string) => void;
};

/** Loads a stored ledger, or makes a new one; discards what an interrupted genesis left. Rule L-3. */
export async function openBank<Name extends string>(
  store: Store,
  signatures: Signatures,
  keypairs: LedgerKeypairs<Name>,
  funds: Genesis<Name>['funds'],
  settings: BankSettings,
): Promise<OpenedBank> {
  // Asked in any case: a folder of a later version is refused, not emptied.
  const stored = store.identity();
  const known = settings.reset ? undefined : stored;
  const features = featuresFor(known?.features, settings.features);
  const identity = { ...(known ?? (await beginGenesis(store, settings))), features };
  const salt = Buffer.from(identity.salt, 'hex');
  const clock = openClock(store, settings.slotMs);
  const engine = new Engine(features, identity.slotsPerEpoch);
  const bank = new Bank(store, engine, signatures, clock, { salt, finality: settings.finality });
  const faucet = new Faucet(bank, keypairs.faucet.signer);
  if (known === undefined) {
    const given = await readGiven(settings, bank.engine);
    bank.edits.set([endowed(fromBase58(keypairs.faucet.signer.address)), ...given]);
    for (const name in funds) await fund(faucet, keypairs[name].signer.address, funds[name]);
    await bank.durable();
  } else {
    sayIgnored(settings);
    if (settings.warpSlot !== undefined) await warpTo(settings.warpSlot, bank);
  }
  if (known?.features === undefined) await store.putIdentity(identity);
  return {
    bank,
    faucet,
    genesisHash: toBase58(genesisHashOf(salt)),
    identity: toBase58(bank.stakes.node),
  };
}

/**
 * A ledger keeps the features that it began with. Rule L-86.
 *
 * @throws FeaturesError when others are wanted, or cannot be read
 */
function featuresFor(own: Features | undefined, choice: string | undefined): Features {
  if (own !== undefined && choice === undefined) return own;
  const wanted = readFeatures(choice ?? DEFAULT_FEATURES);
  if (own === undefined || own.join() === wanted.join()) return wanted;
  const [more, less] = [wanted.filter((id) => !own.includes(id)), own.filter((id) => !wanted.includes(id))];
  throw new FeaturesError(
    `The ledger keeps the features that it began with; ${choice} has ${more.length} more and ${less.length} fewer. Name none, or another folder.`,
  );
}

async function beginGenesis(
  store: Store,
  { slotMs, warpSlot = 0, slotsPerEpoch }: BankSettings,
): Promise<Omit<LedgerIdentity, 'format'>> {
  await store.clear();
  // The genesis takes place a little in the past.
  const behindMs = GENESIS_SLOTS * slotMs;
  const genesisMs = Date.now() - behindMs;
  // As if all slots before had passed: block times stay those of the wall clock.
  const firstMs = genesisMs - Math.max(0, warpSlot - GENESIS_SLOTS) * slotMs;
  store.putClock({ segments: [{ slot: 0, ms: firstMs, slotMs }], offsetMs: -behindMs, latestMs: genesisMs });
  await store.durable();
  return { salt: randomBytes(32).toString('hex'), genesisMs, ...(slotsPerEpoch && { slotsPerEpoch }) };
}

/** Options of a genesis; those that the ledger takes at any time are not among them. */
const OF_A_GENESIS = ['account', 'accountDir', 'bpfProgram', 'upgradeableProgram', 'mint', 'slotsPerEpoch'] as const;

function sayIgnored(settings: BankSettings): void {
  const ignored = OF_A_GENESIS.filter((name) => settings[name] !== undefined);
  if (ignored.length > 0) settings.log(`The ledger exists already: ${ignored.join(', ')} ignored.`);
}

/** Moves an existing ledger on, and its time with it. @throws RangeError when the slot has passed */
async function warpTo(slot: number, bank: Bank): Promise<void> {
  const now = bank.slotAt('processed');
  if (slot < now) throw new RangeError(`warpSlot is ${slot}, and the ledger is at slot ${now} already`);
  await bank.advance(Math.max(0, bank.clock.slotStartMs(slot) - bank.clock.nowMs()));
}

function openClock(store: Store, slotMs: number): SlotClock {
  const state = store.clock();
  if (state === undefined) throw new Error('the data folder has no clock');
  // Transactions may have landed after the time was last stored.
  const landedMs = new SlotClock(state, () => state.latestMs).slotStartMs(store.latest()?.slot ?? 0);
  const clock = new SlotClock({ ...state, latestMs: Math.max(state.latestMs, landedMs) }, steadyWallClock());
  clock.changeSlotMs(slotMs);
  store.putClock(clock.state());
  return clock;
}

async function fund(faucet: Faucet, recipient: Address, lamports: bigint): Promise<void> {
  if (lamports === 0n) return;
  const { refused } = await faucet.airdrop(fromBase58(recipient), lamports);
  if (refused !== undefined) throw new Error(`the genesis could not fund ${recipient}: ${refused}`);
}
