import { createUuid, payoutProofText, toLamports } from '@legwork/protocol/contract';
import { type DigitalTaskDetail, type DigitalTaskDraft } from '@legwork/sdk';
import { generateKeyPairSigner, getBase58Decoder, type KeyPairSigner, signBytes } from '@solana/kit';
import type { Insertable } from 'kysely';
import type { Db } from '../../../src/db/connect.js';
import type { RewardClaimsTable } from '../../../src/db/schema.js';
import { claim, handIn, untilTask } from '../digitalTasks/scene.js';
import { newAddress } from '../digitalTasks/rows.js';
import type { Party, TestService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { listDigitalTask } from '../../support/listed.js';

export const ADMIN_KEY = 'a key of the organiser, of many characters';

/** A service that takes claims at any time. */
export const REWARDS = {
  settings: () => ({
    ADMIN_KEY,
    REWARD_WINDOW_OPENS: '2020-01-01T00:00:00.000Z',
    REWARD_WINDOW_CLOSES: '2120-01-01T00:00:00.000Z',
    SPONSOR_POSTER_SOL: '100',
    SPONSOR_IP_SOL: '100',
  }),
};

const ONE_LEG: Extract<DigitalTaskDraft, { maxBudgetSol: number }> = {
  title: 'Notes',
  description: 'Sum the notes up.',
  maxBudgetSol: 0.01,
  legs: [{ instruction: 'Sum them up.' }],
};

/** A task of one leg that the poster pays for. */
export function ownTask({ client, signer }: Party, maxBudgetSol = 0.01): Promise<DigitalTaskDetail> {
  return listDigitalTask(client, signer, { ...ONE_LEG, maxBudgetSol });
}

/** A task of one leg in test USDC, of a poster who is given some. */
export async function tokenTask({ client, signer, pubkey }: Party): Promise<DigitalTaskDetail> {
  await client.registerAgent({ agentPubkey: pubkey });
  const { maxBudgetSol: _, ...leg } = ONE_LEG;
  return listDigitalTask(client, signer, { ...leg, maxBudget: '1500000', asset: 'usdc' });
}

/** A task of one leg that the coordinator pays for. */
export function sponsoredTask({ client, pubkey }: Party, maxBudgetSol = 0.01): Promise<DigitalTaskDetail> {
  return client.postSponsoredDigitalTask({ ...ONE_LEG, maxBudgetSol, shipperPubkey: pubkey });
}

/** Has the agent do the one leg of a task and waits until it is paid and mirrored. */
export async function doTask(service: TestService, agent: Party, task: DigitalTaskDetail): Promise<DigitalTaskDetail> {
  await claim(agent, task, 0, 0.001);
  await handIn(agent, task, 0);
  const done = await untilTask(service, task.id, ({ status }) => status === 'completed');
  await untilQuiet(service);
  return done;
}

/** Transaction of the confirmation of a task's one leg. */
export function confirmationOf(task: DigitalTaskDetail): string {
  return task.legs[0]?.confirmSignature ?? '';
}

/** A claim of the party for a payout to `mainnetPubkey`, with everything that a test gives otherwise. */
export function claimInput(party: Pick<Party, 'pubkey'>, changes: object = {}) {
  return { devnetPubkey: party.pubkey, mainnetPubkey: newWalletPubkey(), confirmedEarningsLamports: 0, ...changes };
}

const wallets = await Promise.all(Array.from({ length: 8 }, () => generateKeyPairSigner()));
let handedOut = 0;

/** The address of a wallet; they repeat after eight. */
export function newWalletPubkey(): string {
  handedOut += 1;
  return wallets[handedOut % wallets.length]?.address ?? '';
}

/** The proof of a payout key, signed by whichever key. */
export async function payoutProof(signer: KeyPairSigner, devnetPubkey: string, mainnetPubkey: string): Promise<string> {
  const text = new TextEncoder().encode(payoutProofText(devnetPubkey, mainnetPubkey));
  return getBase58Decoder().decode(await signBytes(signer.keyPair.privateKey, text));
}

/** Text of 64 random bytes that looks like a transaction's signature. */
export function anySignature(): string {
  return getBase58Decoder().decode(crypto.getRandomValues(new Uint8Array(64)));
}

type ClaimRow = Insertable<RewardClaimsTable> & { id: string };

/** A row of a claim without earnings unless told otherwise. */
export function claimRow(changes: Partial<ClaimRow> = {}): ClaimRow {
  const earnings = changes.earnings_lamports ?? toLamports(0n);
  return {
    id: createUuid(),
    devnet_pubkey: newAddress(),
    mainnet_pubkey: newAddress(),
    mainnet_proven: false,
    earnings_lamports: earnings,
    sponsored_lamports: toLamports(0n),
    legs: earnings === 0n ? 0 : 1,
    posters: earnings === 0n ? 0 : 1,
    last_confirm_signature: earnings === 0n ? null : anySignature(),
    claimed_at: new Date(),
    paid_signature: null,
    paid_at: null,
    ...changes,
  };
}

export async function insertClaims(db: Db, rows: readonly ClaimRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += 1000) {
    await db
      .insertInto('reward_claims')
      .values(rows.slice(from, from + 1000))
      .execute();
  }
}
