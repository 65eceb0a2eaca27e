import { z } from 'zod';
import { inAsset, units } from '../amounts.js';
import { address, finality, lamports, timestamp } from '../schemas.js';

/** Money that went from one account to another. */
const movement = z.strictObject({
  // Open: a later version may have further kinds, and a client that adds up needs no more than the accounts.
  what: z.string().meta({
    description:
      'lock: the budget goes into the vault; payment: a leg is paid; refund: the rest returns, when the listing is settled, ' +
      'cancelled or reclaimed. Later versions may add kinds: what moved, from and to always say',
  }),
  legIndex: z.int().min(0).nullable().meta({ description: 'of the leg that it pays; null: it is about no leg' }),
  from: address,
  to: address,
  amount: units,
  lamports: lamports.nullable().meta({ description: 'null: it is paid in a token' }),
  signature: z.string().meta({ description: 'of the transaction that moved them' }),
  slot: z.int().min(0).nullable().meta({ description: 'null: applied by a version that did not keep it' }),
  appliedAt: timestamp.nullable().meta({ description: 'when the service mirrored it; null as slot is' }),
  finality,
});
export type Movement = z.output<typeof movement>;

/** The escrow of a package or a digital task. */
export const escrow = {
  onChainVault: address,
  ...inAsset,
  vault: units.meta({
    description: 'what the vault holds of the budget: the movements into it less those out of it, to the base unit',
  }),
  vaultLamports: lamports.nullable(),
  vaultRentLamports: lamports.meta({
    description:
      'what the funder locked on top for the account of the vault itself. The account holds it until the refund, which returns it',
  }),
  finality,
  movements: z.array(movement).meta({ description: "in the ledger's order" }),
};
