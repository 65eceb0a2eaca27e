import { generateKeyPairSigner, type Address } from '@solana/kit';
import { expect, test } from 'vitest';
import { RPC_URL } from '../harness/backend.js';
import { must } from '../harness/delivery.js';
import { Relay } from '../harness/relay.js';
import { secondOf } from './clock.js';
import { BURNT, EARNED_BY_THE_ARBITER, PLAYS, type Play } from './plays.js';
import { Scene } from './scene.js';

const HOUR = 3_600_000;

async function staged(relay: Relay): Promise<readonly (readonly [Scene, Play])[]> {
  const cast = Object.entries(PLAYS).map(
    async ([name, play], number) => [await Scene.cast(relay, name, play.legs, number), play] as const,
  );
  return Promise.all(cast);
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

test(
  '[T-41] [T-42] [T-43] in real time, by wallets alone, everybody leaves every stage with what is due',
  async () => {
    if (RPC_URL === undefined) throw new Error('Real time needs a real validator: set RELAY_TEST_RPC_URL');
    const relay = await Relay.initialised();
    const arbiter = await relay.person('arbiter');
    await relay.person('stranger');
    const scenes = await staged(relay);
    const wallets = [arbiter, relay.coordinator, ...scenes.flatMap(([scene]) => [scene.lister, ...scene.couriers])];
    const couriers = scenes.flatMap(([{ couriers }, { assigned }]) => couriers.slice(0, assigned));
    const reputations = await Promise.all(couriers.map(({ address }) => relay.reputationOf(address)));
    const packages = scenes.map(([{ delivery }]) => delivery.package);
    const places = [...wallets.map(({ address }) => address), ...reputations, ...packages];
    const [before, earnedBefore] = [await lamportsOf(relay, places), await relay.lamports(arbiter.address)];

    const began = await secondOf(relay);
    await Promise.all(scenes.map(async ([scene]) => scene.list()));
    const formed = scenes.filter(([, { legs }]) => legs > 0);
    await Promise.all(formed.map(async ([scene, { assigned }]) => scene.form(assigned)));
    await forsake(relay);
    await Promise.all(scenes.map(async ([scene, play]) => play.run(scene)));

    expect(await relay.lamports(arbiter.address)).toBe(earnedBefore + EARNED_BY_THE_ARBITER);
    expect(await lamportsOf(relay, places)).toBe(before - BURNT);
    const seconds = (await secondOf(relay)) - began;
    process.stdout.write(
      `${scenes.length} packages ended in ${seconds} s of the ledger; of ${before} lamports ${BURNT} burnt, none else is missing\n`,
    );
  },
  HOUR,
);
