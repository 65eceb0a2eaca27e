import { createRelayClient, greatCircleKm, serviceConfig } from '@agent-relay/sdk';
import type { PackageDetail } from '@agent-relay/sdk';
import { address } from '@solana/kit';
import { audit, imbalance } from './audit.js';
import { SHIPMENTS } from './cast.js';
import type { Shipment } from './cast.js';
import { Company, register } from './company.js';
import { DemoError } from './demoError.js';
import { Ledger } from './ledger.js';
import { assign, carry, list, sol } from './market.js';
import type { Stage } from './market.js';
import { report } from './report.js';
import { RunFolder } from './runFolder.js';

/** How to tell the story. */
export interface StoryOptions {
  /** Address of the service. */
  readonly url: string;
  /** Where the runs keep their keys. */
  readonly home: string;
  /** Go on with the run that was interrupted. */
  readonly resume: boolean;
  readonly say: (line: string) => void;
}

/**
 * Plays the whole story, or the rest of an interrupted one, and audits it.
 *
 * @returns whether every lamport is accounted for
 * @throws {DemoError} when something does not happen in time
 */
export async function tellStory(options: StoryOptions): Promise<boolean> {
  const { url, say } = options;
  const client = createRelayClient({ url });
  const config = await serviceConfig(client);
  const ledger = new Ledger(config.rpcUrl);
  const folder = await openFolder(options, config.genesisHash);
  const company = await Company.assemble(url, folder);
  const stage: Stage = { client, ledger, company, folder, say };
  say(`Agent Relay at ${url}, program ${config.programId}`);
  if (!folder.hasRecord) await takeStock(stage, config);

  say('\nWallets');
  await Promise.all(company.members.map((member) => register(member, ledger)));
  say(`    8 couriers and 3 shippers are registered, each with a key of its own (in ${folder.path})`);

  const packages = await playActs(stage);
  await requireHistory(stage);
  const result = await audit(ledger, client, folder.record, packages);
  say('\nThe books, from the ledger alone');
  const nameOf = (key: string) => (key === config.coordinatorPubkey ? 'the coordinator' : titleOf(company, key));
  for (const line of report(result, nameOf)) say(line);
  await folder.save({ ...folder.record, finished: true });
  return imbalance(result) === 0n;
}

async function openFolder({ home, resume, say }: StoryOptions, genesisHash: string): Promise<RunFolder> {
  const unfinished = await RunFolder.findUnfinished(home, genesisHash);
  if (!resume) {
    if (unfinished) say(`(An earlier run was interrupted; --resume finishes it. This is a new one.)\n`);
    return RunFolder.create(home);
  }
  if (unfinished === undefined)
    throw new DemoError(`There is nothing to resume: ${home} has no unfinished run on this ledger.`);
  return unfinished;
}

/** Notes what every wallet holds before anything happens. */
async function takeStock(
  { company, ledger, folder }: Stage,
  { coordinatorPubkey, genesisHash, programId }: { coordinatorPubkey: string; genesisHash: string; programId: string },
): Promise<void> {
  const slot = await ledger.slot();
  const wallets = [...company.members.map(({ signer }) => signer.address), address(coordinatorPubkey)];
  const openings = await Promise.all(
    wallets.map(async (wallet) => {
      const { lamports, lastSignature } = await ledger.holding(wallet);
      return [wallet, { lamports: lamports.toString(), lastSignature }] as const;
    }),
  );
  const opening = Object.fromEntries(openings);
  await folder.save({ genesisHash, programId, slot, opening, listings: {}, finished: false });
}

/**
 * A node drops old history; books without all of it would be wrong.
 *
 * @throws {DemoError} when the run's beginning is gone; the run counts as finished then
 */
async function requireHistory({ ledger, folder }: Stage): Promise<void> {
  const first = await ledger.firstSlot();
  const { slot } = folder.record;
  if (first <= slot) return;
  await folder.save({ ...folder.record, finished: true });
  throw new DemoError(
    `Everything is delivered, but the books cannot be closed: the run began in slot ${slot}, and the ledger's node keeps its history only from slot ${first} on.`,
  );
}

async function playActs(stage: Stage): Promise<PackageDetail[]> {
  const { say, company } = stage;
  say('\nPackages, each with its budget locked in escrow by its shipper');
  const ids = new Map<Shipment, string>();
  for (const shipment of SHIPMENTS) {
    const { shipper, what, origin, destination } = shipment;
    const { id, maxBudgetLamports } = await list(stage, shipment);
    ids.set(shipment, id);
    const km = greatCircleKm(origin, destination).toFixed(1);
    say(
      `    ${shipper} sends ${what}: ${origin.name} -> ${destination.name}, ${km} km, at most ${sol(maxBudgetLamports)} SOL`,
    );
  }
  const delivered: PackageDetail[] = [];
  for (const [shipment, id] of ids) {
    say(
      `\n${shipment.shipper}'s package: ${shipment.what}, ${shipment.origin.name} -> ${shipment.destination.name}\n  (${shipment.plot})`,
    );
    say(`    ${outcome(company, await assign(stage, shipment, id))}`);
    const item = await carry(stage, id);
    delivered.push(item);
    say(`    Settled: ${sol(item.refundLamports ?? 0n)} SOL of the budget return to ${shipment.shipper}`);
  }
  return delivered;
}

function outcome(company: Company, { swarm }: PackageDetail): string {
  if (swarm === null) return 'Assigned.';
  const names = swarm.legs.map(({ agentPubkey }) => company.nameOf(agentPubkey)).join(', ');
  const who = swarm.totalLegs === 1 ? `${names} alone` : `a chain of ${swarm.totalLegs}: ${names}`;
  return `=> won by ${who}, for ${sol(swarm.totalLamports)} SOL`;
}

function titleOf(company: Company, pubkey: string): string {
  const member = company.withKey(pubkey);
  return member ? `${member.name} (${member.role})` : pubkey;
}
