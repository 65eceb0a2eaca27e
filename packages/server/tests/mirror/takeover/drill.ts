import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setCoordinator } from '@legwork/deploy';
import { loadOrCreateKeypair } from '@legwork/ledger';
import type { LegTurnView, MoveAction } from '@legwork/protocol/contract';
import {
  allTurns,
  completeDigitalLeg,
  createLegworkClient,
  makeMove,
  papersOf,
  reclaimDigitalTask,
  reclaimPackage,
  signTransaction,
} from '@legwork/sdk';
import { address, type Address, lamports } from '@solana/kit';
import { inject } from 'vitest';
import type { Party, TestService } from '../../support/service.js';
import { land } from '../../support/transactions.js';
import { until } from '../../support/until.js';
import { RELAYS } from './relays.js';
import type { Made, Plot, Story } from './story.js';
import { TASKS } from './tasks.js';

/** Played side by side. */
const AT_ONCE = 6;

export async function forEach<T>(items: readonly T[], play: (item: T, index: number) => Promise<void>): Promise<void> {
  const left = [...items.entries()];
  const player = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await play(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, player));
}

/** Of every five listings three are packages and two are tasks, each kind through all its plots by turns. */
function plotsOf(size: number): [name: string, plot: Plot, hasPapers: boolean][] {
  const numTasks = Math.round(size * 0.4);
  const take = (plots: Readonly<Record<string, Plot>>, kind: string, count: number) => {
    const all = Object.entries(plots);
    return Array.from({ length: count }, (_, index) => {
      const [name, plot] = all[index % all.length] ?? ['', undefined];
      if (plot === undefined) throw new Error('there are plots');
      const hasPapers = (index + Math.floor(index / all.length)) % 2 === 0;
      return [`${kind} ${index}, ${name}`, plot, hasPapers] satisfies [string, Plot, boolean];
    });
  };
  return [...take(RELAYS, 'package', size - numTasks), ...take(TASKS, 'task', numTasks)];
}

/** Lists so many packages and tasks, and leaves each in another stage. */
export async function begin(service: TestService, size: number): Promise<Made[]> {
  const made: Made[] = [];
  await forEach(plotsOf(size), async ([name, plot, hasPapers]) => {
    const story = await plot({ service, hasPapers }).catch((error: unknown) => {
      throw new Error(`${name} did not begin`, { cause: error });
    });
    const detail = await detailOf(story);
    made.push({ ...story, name, papers: hasPapers ? papersOf(detail) : undefined, isBound: detail.terms !== null });
  });
  return made;
}

export const detailOf = ({ kind, id, lister: { client } }: Story) =>
  kind === 'package' ? client.getPackage({ packageId: id }) : client.getDigitalTask({ taskId: id });

export const peopleOf = ({ lister, others }: Story): Party[] => [lister, ...others];

/** The settings and keys that another operator has of its own. */
export interface Operator {
  coordinator: Address;
  settings: Record<string, string>;
}

/** Another operator has a key of its own named, and folders of its own. */
export async function appoint({ ledger, rpc }: TestService): Promise<Operator> {
  const folder = await mkdtemp(join(inject('scratch'), 'operator-'));
  const path = join(folder, 'coordinator.json');
  const { address: coordinator } = await loadOrCreateKeypair(path);
  await rpc.requestAirdrop(coordinator, lamports(50_000_000_000n)).send();
  const { rpcUrl, keypairs } = ledger;
  const programAddress = address(keypairs.program.signer.address);
  await setCoordinator({ rpcUrl, programAddress, authority: keypairs.authority.signer, coordinator });
  const settings = {
    COORDINATOR_KEYPAIR: path,
    PERSONAL_DATA_KEYS: join(folder, 'keys'),
    ARTIFACTS_DIR: join(folder, 'files'),
  };
  return { coordinator, settings };
}

/** Everybody turns to whoever serves now. */
export function turnTo({ server }: TestService, stories: readonly Story[]): void {
  for (const party of stories.flatMap(peopleOf)) {
    party.client = createLegworkClient({ url: server.url, signer: party.signer });
  }
}

/** Everybody does what turns tell them, until nobody but the silent is waited for. */
export async function attend(service: TestService, story: Made): Promise<void> {
  const acting = peopleOf(story).filter((party) => party !== story.silent);
  for (let acts = true; acts; ) {
    acts = false;
    for (const party of acting) {
      for (const turn of await awaitedOf(party)) {
        acts = true;
        await make(service, party, { turn, story }).catch((error: unknown) => {
          throw new Error(`${story.name}: ${turn.awaited} of a leg that is ${turn.stage}`, { cause: error });
        });
      }
    }
  }
}

type Awaited = LegTurnView & { awaited: MoveAction };

/** The moves that wait for the key; the service carries out what silence or a ruling has decided, T-57. */
async function awaitedOf({ client, pubkey }: Party): Promise<Awaited[]> {
  return (await allTurns(client, pubkey)).flatMap(({ awaited, ...turn }) =>
    awaited === null || awaited === 'crank' ? [] : [{ ...turn, awaited }],
  );
}

async function make(
  { rpc }: TestService,
  { client, signer }: Party,
  { turn, story }: { turn: Awaited; story: Story },
): Promise<unknown> {
  const { legId, awaited: action } = turn;
  if (turn.kind === 'task' && action === 'claim') {
    const { taskId } = turn;
    return completeDigitalLeg(client, signer, { taskId, legId, result: 'It is summed up.' });
  }
  const of = turn.kind === 'package' ? { packageId: turn.packageId } : { taskId: turn.taskId };
  const given = {
    ...(action === 'claim' && { text: 'here it is' }),
    ...(action === 'rule' && { percent: story.percent }),
  };
  return makeMove(client, signer, { legId, action, ...of, ...given }, { rpc });
}

export async function goOn(service: TestService, story: Made): Promise<void> {
  await story.goOn?.().catch((error: unknown) => {
    throw new Error(`${story.name} does not go on`, { cause: error });
  });
  await attend(service, story);
}

/** Whoever listed takes back what is left of what has come to nothing. */
export async function takeBack({ rpc }: TestService, { kind, id, lister, end, name }: Made): Promise<void> {
  if (end !== 'reclaimed') return;
  const reclaim = kind === 'package' ? reclaimPackage : reclaimDigitalTask;
  await reclaim(lister.client, rpc, lister.signer, id).catch((error: unknown) => {
    throw new Error(`${name} is not reclaimed`, { cause: error });
  });
}

/** How a listing has ended; undefined: it has not. */
async function endOf(story: Story): Promise<string | undefined> {
  const { status, failureReason } = await detailOf(story);
  if (status === 'failed') return failureReason ?? undefined;
  return status === 'delivered' || status === 'completed' ? status : undefined;
}

/** Waits for its end, and has whoever paid close its account: the coordinator does by itself what a coordinator paid for. */
export async function close(service: TestService, story: Made): Promise<void> {
  const { kind, id, name, funder, lister } = story;
  let last: unknown;
  await until(
    () =>
      `${name} to be ${story.end}: it is ${JSON.stringify(last, (_, one: unknown) => (typeof one === 'bigint' ? Number(one) : one))}`,
    async () => {
      last = await detailOf(story);
      return (await endOf(story)) === story.end;
    },
  );
  if (funder === undefined) {
    const built =
      kind === 'package'
        ? await lister.client.buildCloseTx({ packageId: id })
        : await lister.client.buildCloseDigitalTaskTx({ taskId: id });
    const expected = {
      programId: service.server.programId as Address,
      name: kind === 'package' ? 'closePackage' : 'closeTask',
    } as const;
    await land(service, await signTransaction(built.transaction, lister.signer, expected));
  }
  const table = kind === 'package' ? 'packages' : 'digital_tasks';
  await until(`${name} is closed`, async () => {
    const row = await service.db.selectFrom(table).select('close_signature').where('id', '=', id).executeTakeFirst();
    return row?.close_signature != null;
  });
}
