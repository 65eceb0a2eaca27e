import { generateKeyPairSigner, type Address } from '@solana/kit';
import { expect, test } from 'vitest';
import { RPC_URL } from '../harness/backend.js';
import { must } from '../harness/delivery.js';
import { Relay } from '../harness/relay.js';
import { secondOf } from './clock.js';
import { FEE, PLAYS, type Play } from './plays.js';
import { Scene } from './scene.js';
import type { Stage } from './stage.js';
import { TASK_PLAYS } from './taskPlays.js';
import { TaskScene } from './taskScene.js';

const HOUR = 3_600_000;

interface Cast<Staged extends Stage> {
  readonly scene: Staged;
  readonly play: Play<Staged>;
}

async function lamportsOf(relay: Relay, addresses: readonly Address[]): Promise<bigint> {
  const balances = await Promise.all(addresses.map((address) => relay.lamports(address)));
  return balances.reduce((sum, balance) => sum + balance, 0n);
}

/** Nobody has the coordinator's key any more, and nothing new begins. */
async function forsake(relay: Relay): Promise<void> {
  const { address: nobody } = await generateKeyPairSigner();
  must(await relay.ledger.send(relay.setCoordinator(nobody), relay.setPaused(true)));
}

/** A program of its own on a ledger whose time passes by itself. */
async function deployed(): Promise<Relay> {
  if (RPC_URL === undefined) throw new Error('Real time needs a ledger of its own: set RELAY_TEST_RPC_URL');
  const relay = await Relay.initialised();
  for (const name of ['arbiter', 'stranger']) await relay.person(name);
  return relay;
}

/** The arbiter's earnings, and the burnt amount, in lamports. */
interface Fees {
  readonly earned: bigint;
  readonly burnt: bigint;
}

/** By its rulings, and by disputes that nobody ruled. */
function feesOf(plays: readonly Pick<Play<never>, 'arbiter'>[]): Fees {
  const of = (kind: 'rules' | 'silent') => FEE * BigInt(plays.filter(({ arbiter }) => arbiter === kind).length);
  return { earned: of('rules'), burnt: of('silent') };
}

/** @param workers - the keys that get a reputation account @param places - where the lamports of listings and their legs end */
async function playAll<Staged extends Stage>(
  relay: Relay,
  cast: readonly Cast<Staged>[],
  {
    workers,
    places,
    prepare,
  }: {
    readonly workers: readonly Address[];
    readonly places: readonly Address[];
    readonly prepare: () => Promise<unknown>;
  },
): Promise<Fees> {
  const arbiter = await relay.person('arbiter');
  const wallets = [arbiter, relay.coordinator, ...cast.flatMap(({ scene }) => scene.people)];
  const reputations = await Promise.all(workers.map((worker) => relay.reputationOf(worker)));
  const everywhere = [...wallets.map(({ address }) => address), ...reputations, ...places];
  const [before, earnedBefore] = [await lamportsOf(relay, everywhere), await relay.lamports(arbiter.address)];
  const began = await secondOf(relay);
  await prepare();
  await forsake(relay);
  await Promise.all(cast.map(async ({ scene, play }) => play.run(scene)));

  const [after, earned] = [await lamportsOf(relay, everywhere), (await relay.lamports(arbiter.address)) - earnedBefore];
  const seconds = (await secondOf(relay)) - began;
  process.stdout.write(
    `${cast.length} ended in ${seconds} s of the ledger; of ${before} lamports ${before - after} are gone, the arbiter has ${earned}\n`,
  );
  return { earned, burnt: before - after };
}

test(
  '[T-41] [T-42] [T-43] in real time, by wallets alone, everybody leaves every stage of a package with what is due',
  async () => {
    const relay = await deployed();
    const plays = Object.entries(PLAYS);
    const cast = await Promise.all(
      plays.map(async ([name, play], number) => ({ scene: await Scene.cast(relay, name, play.legs, number), play })),
    );
    const formed = cast.filter(({ play }) => play.legs > 0);
    const fees = await playAll(relay, cast, {
      workers: formed
        .flatMap(({ scene, play }) => scene.couriers.slice(0, play.assigned))
        .map(({ address }) => address),
      places: cast.map(({ scene }) => scene.delivery.package),
      async prepare() {
        await Promise.all(cast.map(async ({ scene }) => scene.list()));
        await Promise.all(formed.map(async ({ scene, play }) => scene.form(play.assigned)));
      },
    });
    expect(fees).toEqual(feesOf(plays.map(([, play]) => play)));
  },
  HOUR,
);

test(
  '[T-86] in real time, by wallets alone, everybody leaves every stage of a task with what is due',
  async () => {
    const relay = await deployed();
    const plays = Object.entries(TASK_PLAYS);
    const cast = await Promise.all(
      plays.map(async ([name, play], number) => ({
        scene: await TaskScene.cast(relay, `task, ${name}`, play.legs, number),
        play,
      })),
    );
    const begun = cast.filter(({ play }) => play.assigned !== 0);
    const fees = await playAll(relay, cast, {
      workers: begun.map(({ scene }) => scene.agent().address),
      places: cast.map(({ scene }) => scene.job.task),
      async prepare() {
        await Promise.all(cast.map(async ({ scene }) => scene.list()));
        await Promise.all(begun.map(async ({ scene }) => scene.assign()));
      },
    });
    expect(fees).toEqual(feesOf(plays.map(([, play]) => play)));
  },
  HOUR,
);
