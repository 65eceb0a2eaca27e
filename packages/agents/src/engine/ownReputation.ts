import { reputationAddress } from '@legwork/program-client';
import { openReputation } from '@legwork/sdk';
import { address, fetchEncodedAccount } from '@solana/kit';
import { z } from 'zod';
import type { JournalEntry, JournalView } from '../journal.js';
import type { Desk } from './desk.js';
import { LaterError } from './move.js';
import type { Move } from './move.js';

/** A reputation account's rent and a fee, lamports. */
const REPUTATION_LAMPORTS = 1_257_800n;
const LOOK_AGAIN_MS = 500;

const warned = z.union([z.object({ warning: z.string() }), z.object({ code: z.literal('newcomer_budget') })]);

/**
 * The reputation account of the agent: whether it has to pay for it itself, because the coordinator does not, as it said with a bid or a
 * claim, or because under terms bids and claims are taken of nobody without one. Rule A-24.
 */
export class OwnReputation implements JournalView {
  hasToPay = false;
  #isOpen = false;
  #hasPaid = false;

  /** Reports whether the ledger and the service show the account. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  take(entry: JournalEntry): void {
    if (entry.kind === 'answered' && warned.safeParse(entry.said).success) this.hasToPay = true;
  }

  /** Opens the account if there is none, and waits until the service knows it. */
  opening({ session, rests }: Pick<Desk, 'session' | 'rests'>): Move {
    const { client, rpc, signer, config } = session;
    const carryOut = async () => {
      const account = await reputationAddress(address(config.programId), signer.address);
      const { exists } = await fetchEncodedAccount(rpc, account, { commitment: 'confirmed' });
      if (!exists) {
        await openReputation(client, rpc, signer);
        this.#hasPaid = true;
      }
      const { mirroredAt } = await client.getReputation({ agentPubkey: signer.address });
      if (mirroredAt === null)
        throw new LaterError('the service does not show the reputation account yet', LOOK_AGAIN_MS);
      this.hasToPay = false;
      this.#isOpen = true;
      // Moves that were refused for the lack of it.
      rests.endAll();
      return this.#hasPaid ? 'paid for its own reputation account' : 'has a reputation account';
    };
    return { key: 'openReputation', deadlineMs: Infinity, costLamports: REPUTATION_LAMPORTS, carryOut };
  }
}
