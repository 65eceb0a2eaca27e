import { type PackageDetail, parseSol } from '@legwork/sdk';
import type { Address, KeyPairSigner } from '@solana/kit';
import type { Due } from '../audit/histories.js';
import { isByText } from '../byText.js';
import type { Ended } from '../journey.js';
import type { Plot, TaskPlot, TermsStory } from './story.js';

/** The parties of a package with terms. */
export interface Roles {
  readonly shipper: KeyPairSigner;
  readonly first: KeyPairSigner;
  /** Accepts, and does not come. */
  readonly silent: KeyPairSigner;
  /** Takes its place. */
  readonly second: KeyPairSigner;
  /** Asks more for that. */
  readonly rival: KeyPairSigner;
  readonly arbiter: KeyPairSigner;
  readonly coordinator: Address;
}

/** The traces of a story of terms, apart from payments. */
export interface Bound {
  readonly plot: Plot | TaskPlot;
  /** The moves that must lie between the listing, or the formation, and the end, in this order. */
  readonly moves: readonly Due[];
  /** The share of a leg's payment that a ruling left, by its index; a hole: nobody ruled. */
  readonly percents: readonly number[];
  /** The gains and losses of wallets by stakes, and by fees of rulings, in lamports. */
  readonly stakes: readonly (readonly [wallet: string, lamports: bigint])[];
  /** Couriers who lost their leg. */
  readonly lost: readonly string[];
  /** Stakes that silence cost, in lamports: they are in what goes back to the funder. */
  readonly forfeitedLamports: bigint;
  /** Intents that the service decided beside those of any package or task. */
  readonly intents: readonly string[];
}

/** The agreed payment of a leg, or the share of it that a ruling left. */
export function leftOf({ bound }: Pick<Ended, 'bound'>, index: number, agreed: bigint): bigint {
  const percent = bound?.percents[index];
  return percent === undefined ? agreed : (agreed * BigInt(percent)) / 100n;
}

/** By the rules alone: what the program moves is not asked of the service. */
export function boundBy(story: TermsStory, roles: Roles, parcel: PackageDetail): Bound {
  return { plot: story.plot, ...leftBy(story, roles, parcel) };
}

/** Nobody lost anything by silence, which paid. */
const KEPT = { lost: [], forfeitedLamports: 0n, intents: ['crank_leg'] };

function leftBy(
  story: TermsStory,
  roles: Roles,
  { id, swarm, funderPubkey: funder }: PackageDetail,
): Omit<Bound, 'plot'> {
  const { first, silent, second, shipper, arbiter, coordinator } = roles;
  const confirmed = (index: number) => swarm?.legs[index]?.confirmSignature ?? null;
  const taken: Due = [['accept'], first.address, null];
  const claimed: Due = [['claim'], first.address, null];
  const cranked: Due = [['confirmLeg'], coordinator, confirmed(0)];
  const stake: bigint = parseSol(story.stakeSol);
  if (story.plot === 'unsigned') return { ...KEPT, moves: [taken, claimed, cranked], percents: [], stakes: [] };
  if (story.plot === 'ruled') {
    const disputed: Due = [['dispute'], shipper.address, null];
    const ruled: Due = [['rule'], arbiter.address, null];
    return {
      moves: [taken, claimed, disputed, ruled, cranked],
      ...KEPT,
      percents: [story.percent],
      stakes: dividedStakes(stake, story.percent, { worker: first, disputer: shipper, arbiter }),
    };
  }
  return {
    moves: [
      taken,
      [['accept'], silent.address, null],
      claimed,
      [['vacate'], coordinator, null],
      [['assignLeg'], coordinator, null],
      [['accept'], second.address, null],
      [['confirmLeg'], isByText(id, 0) ? first.address : second.address, confirmed(0)],
      [['confirmLeg'], isByText(id, 1) ? second.address : shipper.address, confirmed(1)],
    ],
    percents: [],
    lost: [silent.address],
    forfeitedLamports: stake,
    // The unspent rest of the vault returns to the funder.
    stakes: [
      [silent.address, -stake],
      [funder, stake],
    ],
    intents: ['crank_leg', 'assign_leg'],
  };
}

/** The parties of a ruling. */
type Disputing = Readonly<Record<'worker' | 'disputer' | 'arbiter', KeyPairSigner>>;

/** Of two stakes half of one is the arbiter's, and the rest is divided as it ruled. */
export function dividedStakes(
  stake: bigint,
  percent: number,
  { worker, disputer, arbiter }: Disputing,
): Bound['stakes'] {
  const fee = stake / 2n;
  const left = ((2n * stake - fee) * BigInt(percent)) / 100n;
  return [
    [worker.address, left - stake],
    [disputer.address, stake - fee - left],
    [arbiter.address, fee],
  ];
}
