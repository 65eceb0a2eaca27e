import { readFileSync } from 'node:fs';
import type { Relay } from './relay.js';
import { programBytes } from './programFile.js';

/** Length of what stands before the code in a ProgramData account. */
const HEADER_BYTES = 45;

/** The program as it was before terms: it knows version 1 of accounts only. */
export const FORMER = Uint8Array.from(readFileSync(new URL('../former/relay.so', import.meta.url)));
export const CURRENT = programBytes();

/** Puts other code in the program's place, as an upgrade does: every account stays. */
export async function upgrade(relay: Relay, code: Uint8Array): Promise<void> {
  const { ledger, programAddress, programData } = relay;
  await relay.change(programData, (data) => Uint8Array.of(...data.slice(0, HEADER_BYTES), ...code));
  // The ledger reads the code again when the program's own account is written.
  await ledger.forge(programAddress, await relay.state(programAddress));
}
