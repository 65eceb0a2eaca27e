import type { z } from 'zod';

/** Shows a contract's schema as JSON Schema: `input` is the wire's side of every codec, in requests and in answers alike. */
export const WIRE = {
  io: 'input',
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    // A named format says enough; the expression behind it only fills the page.
    if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  },
} as const;
