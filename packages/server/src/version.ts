import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Version of the service, as its package.json says. */
export const SERVICE_VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))).version;
