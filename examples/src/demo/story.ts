import { createLegworkClient, LegworkApiError, LegworkNetworkError, serviceConfig } from '@legwork/sdk';
import { address } from '@solana/kit';
import { audit, imbalance } from './audit.js';
import type { Escrow } from './audit.js';
import { Company } from './company.js';
import type { Person } from './company.js';
import { DemoError } from './stage.js';
import type { Stage } from './stage.js';
import { Ledger } from './ledger.js';
import { report } from './report.js';
import { RunFolder } from './runFolder.js';

/** The story that a demo plays. */
export interface Plot {
  /** Its name in the record of a run: no demo goes on with the run of another. */
  readonly name: string;
  readonly people: readonly Person[];
  /** Unusual settings of the demo's own instance: environment variables of the service. */
  readonly settings?: Readonly<Record<string, string>>;
  /** It waits for clocks that run for minutes: it needs a ledger whose time can be moved forward, and cannot be resumed. */
  readonly movesTime?: true;
  /** Plays all of it, or what an interrupted run left. */
  readonly play: (stage: Stage) => Promise<Outcome>;
  /** The act after the books of SOL are closed; answers the faults, told already. */
  readonly encore?: (stage: Stage) => Promise<readonly string[]>;
}

/** The outcome of a story. */
export interface Outcome {
  /** Where its money was. */
  readonly escrows: readonly Escrow[];
  /** The faults, told already. */
  readonly faults: readonly string[];
}

/** How to tell the story. */
export interface StoryOptions {
  /** Address of the service. */
  readonly url: string;
  /** Where the runs keep their keys. */
  readonly home: string;
  /** Go on with the run that was interrupted. */
  readonly resume: boolean;
  /** The call that finishes this run should it be interrupted; undefined: nothing of it is kept. */
  readonly resumedBy?: string;
  /** The service goes on when the story is over, so that its pages can be looked at. */
  readonly stays: boolean;
  readonly say: (line: string) => void;
}

/**
 * Plays the whole story, or the rest of an interrupted one, and audits it.
 *
 * @returns true if everything is as it should be and every lamport is accounted for
 * @throws {DemoError} when something does not happen in time, or the service or its ledger goes away
 */
export async function tellStory(plot: Plot, options: StoryOptions): Promise<boolean> {
  const { url, say } = options;
  const client = createLegworkClient({ url });
  const config = await serviceConfig(client);
  const ledger = new Ledger(config.rpcUrl);
  // Where it cannot, that is said before anybody has money.
  if (plot.movesTime) await ledger.pass(0);
  const folder = await openFolder(plot, options, config.genesisHash);
  const company = await Company.assemble(url, folder, plot.people);
  const stage: Stage = { url, client, ledger, company, folder, say };
  say(`Legwork at ${url}, program ${config.programId}`);
  if (!folder.hasRecord) await takeStock(plot, stage, config);
  try {
    const told = await playAndAudit(plot, stage, config);
    if (options.stays) {
      say('\nSee it, and check it, in a browser');
      for (const page of told.pages) say(`    ${url}${page}`);
    }
    return told.isRight;
  } catch (error) {
    if (options.resumedBy === undefined || plot.movesTime || !isOutOfReach(error)) throw error;
    throw new DemoError(
      `${error.message}\nThe service or its ledger went away; this run is kept. Finish it with: ${options.resumedBy}`,
    );
  }
}

/** Reports whether the service or its ledger does not answer, as opposed to saying no. The ledger's client says only "fetch failed". */
function isOutOfReach(error: unknown): error is Error {
  if (error instanceof LegworkApiError) return error.status === 503;
  return error instanceof LegworkNetworkError || (error instanceof TypeError && error.message === 'fetch failed');
}

async function playAndAudit(
  plot: Plot,
  stage: Stage,
  { coordinatorPubkey }: { coordinatorPubkey: string },
): Promise<{ isRight: boolean; pages: readonly string[] }> {
  const { client, company, folder, ledger, say } = stage;
  const { escrows, faults } = await plot.play(stage);
  await requireHistory(stage);
  const result = await audit(ledger, client, folder.record, escrows);
  say('\nThe books, from the ledger alone');
  const nameOf = (key: string) => (key === coordinatorPubkey ? 'the coordinator' : titleOf(company, key));
  for (const line of report(result, nameOf)) say(line);
  const more = (await plot.encore?.(stage)) ?? [];
  await folder.save({ ...folder.record, finished: true });
  return { isRight: faults.length + more.length === 0 && imbalance(result) === 0n, pages: pagesOf(escrows) };
}

/** Where a browser shows what happened: each listing while they are few, else the market. */
function pagesOf(escrows: readonly Escrow[]): readonly string[] {
  return escrows.length <= 4 ? escrows.map(({ page }) => page) : ['/'];
}

async function openFolder(plot: Plot, { home, resume, say }: StoryOptions, genesisHash: string): Promise<RunFolder> {
  const unfinished = await RunFolder.findUnfinished(home, { demo: plot.name, genesisHash });
  if (!resume) {
    if (unfinished) say(`(An earlier run was interrupted; --resume finishes it. This is a new one.)\n`);
    return RunFolder.create(home);
  }
  if (unfinished === undefined)
    throw new DemoError(`There is nothing to resume: ${home} has no unfinished run of this demo on this ledger.`);
  return unfinished;
}

/** Notes what every wallet holds before anything happens. */
async function takeStock(
  plot: Plot,
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
  await folder.save({ demo: plot.name, genesisHash, programId, slot, opening, listings: {}, finished: false });
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
    `Everything is done, but the books cannot be closed: the run began in slot ${slot}, and the ledger's node keeps its history only from slot ${first} on.`,
  );
}

function titleOf(company: Company, pubkey: string): string {
  const member = company.withKey(pubkey);
  return member ? `${member.name} (${member.role})` : pubkey;
}
