import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The built program; RELAY_PROGRAM_SO names another one than the committed one. */
export function programBytes(): Uint8Array {
  return readFileSync(
    process.env['RELAY_PROGRAM_SO'] ?? fileURLToPath(new URL('../../dist/relay.so', import.meta.url)),
  );
}
