import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { getAddressEncoder, type Address, type KeyPairSigner } from '@solana/kit';
import { RENT_EXEMPT_EPOCH, SYSTEM_PROGRAM } from '../chain/account.js';
import { blockhashOf } from '../chain/blockhashes.js';
import { Chain } from '../chain/chain.js';
import { FINALITY_SLOTS } from '../chain/commitment.js';
import { Engine } from '../chain/engine.js';
import { toBase58 } from '../chain/keys.js';
import { SlotClock, steadyWallClock } from '../chain/slotClock.js';
import { loadOrCreateKeypair } from '../keypairs.js';
import type { LedgerIdentity, Store } from '../store/store.js';
import { Faucet } from './faucet.js';

const LAMPORTS_PER_SOL = 1_000_000_000n;
const FAUCET_ENDOWMENT = 500_000_000n * LAMPORTS_PER_SOL;
const AUTHORITY_FUNDS = 100n * LAMPORTS_PER_SOL;
const COORDINATOR_FUNDS = 1_000n * LAMPORTS_PER_SOL;

const GENESIS_SLOTS = Number(FINALITY_SLOTS) + 1;

/** The keypairs in a data folder. */
export type LedgerKeys = {
  readonly faucet: KeyPairSigner;
  readonly program: KeyPairSigner;
  readonly authority: KeyPairSigner;
  readonly coordinator: KeyPairSigner;
};

export function keypairPath(dataDir: string, name: keyof LedgerKeys): string {
  return join(dataDir, `${name}-keypair.json`);
}

export async function loadKeys(dataDir: string): Promise<LedgerKeys> {
  const load = async (name: keyof LedgerKeys): Promise<KeyPairSigner> =>
    loadOrCreateKeypair(keypairPath(dataDir, name));
  return {
    faucet: await load('faucet'),
    program: await load('program'),
    authority: await load('authority'),
    coordinator: await load('coordinator'),
  };
}

export type OpenedChain = {
  readonly chain: Chain;
  readonly faucet: Faucet;
  readonly genesisHash: string;
  /** The address by which the ledger's only node names itself. */
  readonly identity: string;
};

export type ChainSettings = { readonly slotMs: number; readonly finality: 'delayed' | 'immediate' };

/** Brings a stored ledger back, or makes a new one; what an interrupted genesis left is thrown away. */
export async function openChain(store: Store, keys: LedgerKeys, settings: ChainSettings): Promise<OpenedChain> {
  const known = store.identity();
  const identity = known ?? (await beginGenesis(store, settings.slotMs));
  const salt = Buffer.from(identity.salt, 'hex');
  const clock = openClock(store, settings.slotMs);
  const chain = new Chain(store, new Engine(), clock, { salt, finality: settings.finality });
  const faucet = new Faucet(chain, keys.faucet);
  if (known === undefined) {
    await endow(chain, faucet, keys);
    await store.completeGenesis(identity);
  }
  return {
    chain,
    faucet,
    genesisHash: toBase58(blockhashOf(salt, 0)),
    identity: toBase58(createHash('sha256').update('node').update(salt).digest()),
  };
}

async function beginGenesis(store: Store, slotMs: number): Promise<Omit<LedgerIdentity, 'format'>> {
  await store.clear();
  // A genesis takes place a little in the past; when the ledger has caught up with the wall clock, all of it is final.
  const behindMs = GENESIS_SLOTS * slotMs;
  const genesisMs = Date.now() - behindMs;
  store.putClock({ segments: [{ slot: 0, ms: genesisMs, slotMs }], offsetMs: -behindMs, latestMs: genesisMs });
  await store.durable();
  return { salt: randomBytes(32).toString('hex'), genesisMs };
}

function openClock(store: Store, slotMs: number): SlotClock {
  const state = store.clock();
  if (state === undefined) throw new Error('the data folder has no clock');
  // What landed after the time was last noted has been as well.
  const landedMs = new SlotClock(state, () => state.latestMs).slotStartMs(store.latestSlot());
  const clock = new SlotClock({ ...state, latestMs: Math.max(state.latestMs, landedMs) }, steadyWallClock());
  clock.changeSlotMs(slotMs);
  store.putClock(clock.state());
  return clock;
}

async function endow(chain: Chain, faucet: Faucet, keys: LedgerKeys): Promise<void> {
  chain.endow(bytesOf(keys.faucet.address), {
    lamports: FAUCET_ENDOWMENT,
    data: new Uint8Array(),
    owner: SYSTEM_PROGRAM,
    executable: false,
    rentEpoch: RENT_EXEMPT_EPOCH,
  });
  await fund(faucet, keys.authority.address, AUTHORITY_FUNDS);
  await fund(faucet, keys.coordinator.address, COORDINATOR_FUNDS);
  await chain.durable();
}

async function fund(faucet: Faucet, recipient: Address, lamports: bigint): Promise<void> {
  const outcome = await faucet.airdrop(bytesOf(recipient), lamports);
  if (outcome.kind === 'refused') throw new Error(`the genesis could not fund ${recipient}: ${outcome.why}`);
}

function bytesOf(address: Address): Uint8Array {
  return Uint8Array.from(getAddressEncoder().encode(address));
}
