import { setTimeout as sleep } from 'node:timers/promises';
import { createRelayClient } from '@agent-relay/sdk';
import { type Address, createSolanaRpc, type KeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { readBooks } from '../packages/cli/tests/support/books.js';
import { fundedWallet, type LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import { type Carried, carryPackage, type World } from './agents.js';
import { audit, untilQuiet } from './audit.js';
import { Instance } from './instance.js';
import { type Kill, planKills, type Random, seededRandom, type Target } from './plan.js';

const SOL = 1_000_000_000n;
/** Packages in flight at a time. */
const LANES = 6;
const COURIERS = 8;
/** For the kills; what is in flight then gets the rest of the quarter of an hour. */
const KILLING_MS = 11 * 60_000;
/** When no step begins for so long, the kill falls anyway. */
const PATIENCE_MS = 5_000;

const seed = Number(process.env['SOAK_SEED'] ?? 1);
const kills = Number(process.env['SOAK_KILLS'] ?? 5);
const targets = (process.env['SOAK_PARTS'] ?? 'service,ledger,postgres,all').split(',') as Target[];

const began = Date.now();
const tell = (line: string) => {
  process.stdout.write(`[${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
};

/** Counts the steps of all agents, for kills that fall into one. */
class Steps {
  #count = 0;
  #waiting: { at: number; resolve: () => void } | undefined;

  readonly begin = (): void => {
    this.#count += 1;
    if (this.#waiting && this.#count >= this.#waiting.at) this.#waiting.resolve();
  };

  /** Resolves when so many more have begun. */
  async more(steps: number): Promise<void> {
    const reached = new Promise<void>((resolve) => {
      this.#waiting = { at: this.#count + steps, resolve };
    });
    await Promise.race([reached, sleep(PATIENCE_MS)]);
    this.#waiting = undefined;
  }
}

/** Kills as planned and counts the kills in `made`. @throws Error when something does not come back or time runs out */
async function killAll(
  instance: Instance,
  plan: readonly Kill[],
  steps: Steps,
  made: Map<Target, number>,
  progress: () => string,
): Promise<void> {
  const until = Date.now() + KILLING_MS;
  for (const [index, kill] of plan.entries()) {
    if (Date.now() > until) throw new Error(`time ran out after ${index} of ${plan.length} kills`);
    await steps.more(kill.steps);
    await sleep(kill.delayMs);
    const at = Date.now();
    await instance.kill(kill);
    await instance.up();
    made.set(kill.target, (made.get(kill.target) ?? 0) + 1);
    const victim = kill.target === 'postgres' && kill.supervisorToo ? 'postgres and its supervisor' : kill.target;
    tell(`kill ${index + 1} of ${plan.length}: ${victim}, ready after ${Date.now() - at} ms; ${progress()}`);
  }
}

async function wallets(rpc: LedgerRpc, count: number, sol: bigint): Promise<KeyPairSigner[]> {
  return Promise.all(Array.from({ length: count }, () => fundedWallet(rpc, sol * SOL)));
}

/** Everybody, with what they had before the first package. */
async function openBooks(instance: Instance, rpc: LedgerRpc) {
  const [shippers, couriers] = await Promise.all([wallets(rpc, LANES, 200n), wallets(rpc, COURIERS, 1n)]);
  const config = await createRelayClient({ url: instance.url }).getConfig();
  const [programId, coordinator] = [config.programId as Address, config.coordinatorPubkey as Address];
  const parties = [coordinator, ...[...shippers, ...couriers].map(({ address }) => address)];
  return { shippers, couriers, programId, coordinator, before: await readBooks(rpc, programId, parties) };
}

/** Carries packages while parts are killed, lets everything come to rest, and audits it. */
async function soak(instance: Instance, random: Random, plan: readonly Kill[], note: (finding: string) => void) {
  const rpc = createSolanaRpc(instance.rpcUrl);
  const { shippers, couriers, ...books } = await openBooks(instance, rpc);
  tell('ready, the first packages are on their way');
  const steps = new Steps();
  const carried: Carried[] = [];
  let repeats = 0;
  let calmSince: number | undefined;
  const repeated = () => {
    repeats += 1;
  };
  const world: World = {
    url: instance.url,
    rpc,
    couriers,
    random,
    step: steps.begin,
    calmSince: () => calmSince,
    repeated,
  };
  const lanes = shippers.map(async (shipper) => {
    while (calmSince === undefined) {
      try {
        carried.push(await carryPackage(world, shipper));
      } catch (error) {
        note(`an agent gave up: ${error instanceof Error ? error.message : String(error)}`);
        return;
      }
    }
  });
  const progress = () => `${carried.length} packages delivered, ${repeats} calls repeated`;
  const made = new Map<Target, number>();
  await killAll(instance, plan, steps, made, progress).catch((error: unknown) => note(String(error)));
  calmSince = Date.now();
  await Promise.all(lanes);
  await untilQuiet(instance.connectionString);
  const findings = await audit({ rpc, ...books, connectionString: instance.connectionString, carried });
  for (const finding of findings) note(finding);
  const byTarget = [...made].map(([target, count]) => `${target} ${count}`).join(', ');
  tell(`killed: ${byTarget}; ${progress()}`);
}

test('whatever is killed at whatever moment, everything finishes, is paid once, and the books agree', async () => {
  tell(`seed ${seed}, ${kills} kills each of ${targets.join(', ')}`);
  const findings: string[] = [];
  const note = (finding: string) => {
    findings.push(finding);
    tell(`FINDING: ${finding}`);
  };
  const random = seededRandom(seed);
  const plan = planKills(targets, kills, random);
  const instance = await Instance.start(note);
  try {
    await soak(instance, random, plan, note);
    if (findings.length > 0) tell(instance.lastWords());
  } finally {
    const code = await instance.stop();
    if (code !== 0) note(`the service ended with exit code ${code} when asked to stop`);
  }
  tell(`${findings.length} findings with seed ${seed}`);
  expect(findings).toEqual([]);
});
