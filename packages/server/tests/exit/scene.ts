import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createKeyFile } from '@legwork/agents';
import { createLegworkClient, ensureReputation, ledgerNowMs, type PackageDraft } from '@legwork/sdk';
import { lamports } from '@solana/kit';
import { inject } from 'vitest';
import { runHere, type Said } from '../../../cli/tests/support/line.js';
import { bidInput, draft, type Place, untilPackage } from '../support/market.js';
import { listPackage } from '../support/listed.js';
import type { Party, TestService } from '../support/service.js';
import { move } from '../operations/turns/scene.js';

/** Somebody whose key is in a file. */
export interface Keyed extends Party {
  readonly file: string;
}

/** A new key in a file, with so many SOL. */
export async function keyed(service: TestService, sol = 2): Promise<Keyed> {
  const file = join(await mkdtemp(join(inject('scratch'), 'exit-')), 'key.json');
  const signer = await createKeyFile(file);
  const client = createLegworkClient({ url: service.server.url, signer });
  if (sol > 0) await service.rpc.requestAirdrop(signer.address, lamports(BigInt(sol) * 1_000_000_000n)).send();
  return { signer, pubkey: signer.address, client, file };
}

/** Runs `legwork exit` with this key, at an RPC of the ledger and nothing else. */
export function out(service: TestService, { file }: Pick<Keyed, 'file'>, ...words: string[]): Promise<Said> {
  const where = ['--rpc', service.ledger.rpcUrl, '--program', service.ledger.keypairs.program.signer.address];
  return runHere(['exit', ...words, ...where, '--key', file], { LEGWORK_URL: 'http://127.0.0.1:1' });
}

/** The same, which has to do it. @returns what it says */
export async function outOf(service: TestService, who: Pick<Keyed, 'file'>, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await out(service, who, ...words);
  if (code !== 0) throw new Error(`legwork exit ${words.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

export interface Relay {
  readonly shipper: Keyed;
  readonly couriers: readonly Keyed[];
  readonly receiver: Keyed;
  readonly arbiter: Keyed;
  readonly packageId: string;
  /** On the ledger. */
  readonly listing: string;
}

type Stretch = readonly [Place, Place, number];
type Choice = Exclude<PackageDraft['terms'], string | undefined>;

/** A package under way, of people whose keys are in files; with terms whose receiver and arbiter are among them, or without any. */
export async function relay(
  service: TestService,
  stretches: readonly Stretch[],
  {
    terms = {},
    budget = { maxBudgetSol: 0.5 },
    cost,
    shipper: by,
    prepare,
  }: {
    terms?: Choice | 'plain';
    budget?: object;
    cost?: (sol: number) => object;
    shipper?: Keyed;
    /** Prepares the other people first. */
    prepare?: (...people: Keyed[]) => Promise<unknown>;
  } = {},
): Promise<Relay> {
  const [shipper, receiver, arbiter] = [by ?? (await keyed(service)), await keyed(service), await keyed(service)];
  const couriers = await Promise.all(stretches.map(() => keyed(service)));
  await prepare?.(receiver, ...couriers);
  const bound =
    terms === 'plain'
      ? terms
      : { receiverPubkey: receiver.pubkey, arbiterPubkey: arbiter.pubkey, cosignedPickup: false, ...terms };
  const { maxBudgetSol: _, ...rest } = draft();
  const listed = await listPackage(shipper.client, shipper.signer, {
    ...rest,
    ...budget,
    deadline: await deadlineIn(service),
    terms: bound,
  } as PackageDraft);
  for (const [index, [from, to, costSol]] of stretches.entries()) {
    const courier = couriers[index];
    if (courier === undefined) continue;
    if (terms !== 'plain') await ensureReputation(courier.client, service.rpc, courier.signer, listed);
    const { costSol: asked, ...bid } = bidInput(courier, listed.id, from, to, costSol);
    await courier.client.submitBid({ ...bid, ...(cost?.(asked) ?? { costSol: asked }) });
  }
  const parcel = await untilPackage(service, listed.id, ({ status }) => status === 'in_transit');
  return { shipper, couriers, receiver, arbiter, packageId: listed.id, listing: parcel.onChainPackage };
}

/** Three days ahead by the ledger, whose clock tests move. */
export async function deadlineIn({ rpc }: TestService): Promise<string> {
  return new Date((await ledgerNowMs(rpc)) + 72 * 3_600_000).toISOString();
}

/** Every courier accepts, and the first one has the parcel. */
export async function pickedUp(service: TestService, { packageId, couriers }: Relay): Promise<void> {
  const parcel = { id: packageId } as never;
  for (const [index, courier] of couriers.entries()) await move(service, { parcel }, index, courier, 'accept');
  const [first] = couriers;
  if (first !== undefined) await move(service, { parcel }, 0, first, 'take');
}

/** The balance of a wallet, lamports. */
export const balanceOf = async ({ rpc }: TestService, { signer }: Pick<Keyed, 'signer'>): Promise<bigint> =>
  (await rpc.getBalance(signer.address, { commitment: 'confirmed' }).send()).value;
