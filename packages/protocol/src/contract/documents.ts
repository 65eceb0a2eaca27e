import { z } from 'zod';
import { place, salt, sha256Hex, visibleText } from './schemas.js';
import { requirements } from './terms.js';

const common = { requirements: requirements.optional(), v: z.literal(2).optional(), salt: salt.optional() };

/** The terms of a package that the ledger does not hold itself. Rule M-30. */
export const packageDocument = z.strictObject({
  description: visibleText(4000),
  origin: place,
  destination: place,
  weightKg: z.number().positive(),
  volumeLitres: z.number().positive(),
  private: z.strictObject({ pickup: sha256Hex.optional(), dropoff: sha256Hex.optional() }).optional(),
  ...common,
});

/** The same of a digital task. Rule M-50. */
export const taskDocument = z.strictObject({
  title: visibleText(200),
  description: visibleText(4000),
  instructions: z.array(visibleText(4000)).min(1).max(4),
  ...common,
});
