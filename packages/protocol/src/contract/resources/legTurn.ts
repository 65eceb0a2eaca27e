import { z } from 'zod';
import { units } from '../amounts.js';
import { address, lamports, timestamp } from '../schemas.js';
import { LEG_STAGES } from '../statuses.js';

/**
 * The actors that a leg with terms can wait for: of a package its courier or the shipper, of a task its agent
 * or the poster. `receiver`: it or the lister. `anyone`: silence has decided, and everybody may carry it out.
 */
export const LEG_ACTORS = [
  'courier',
  'shipper',
  'agent',
  'poster',
  'receiver',
  'arbiter',
  'coordinator',
  'anyone',
  'nobody',
] as const;
export type LegActor = (typeof LEG_ACTORS)[number];

/** Further fields of a leg of a listing with terms; all null without terms. */
export const legTurn = {
  formation: z.int().min(1).nullable().default(null).meta({ description: 'the number that every move of it names' }),
  stage: z.enum(LEG_STAGES).nullable().default(null).meta({ description: 'where it stands by its terms' }),
  since: timestamp
    .nullable()
    .default(null)
    .meta({ description: 'from when on its clock counts, by the ledger: its last move' }),
  actor: z
    .enum(LEG_ACTORS)
    .nullable()
    .default(null)
    .meta({ description: 'whose move it is; receiver: or the lister; anyone: also a stranger' }),
  until: timestamp.nullable().default(null).meta({ description: 'when silence decides; null: it never does' }),
  disputerPubkey: address.nullable().default(null).meta({ description: 'who contradicted its claim' }),
  evidenceHash: z.string().nullable().default(null).meta({ description: 'sha256, hex, of what its claim rests on' }),
  reasonHash: z.string().nullable().default(null).meta({ description: 'sha256, hex, of why it was disputed' }),
  percent: z
    .int()
    .min(0)
    .max(100)
    .nullable()
    .default(null)
    .meta({ description: 'what a ruling left of its payment; null: none' }),
  forfeited: units.nullable().default(null).meta({ description: 'stake that its courier lost by silence; null: none' }),
  forfeitedLamports: lamports.nullable().default(null),
};
