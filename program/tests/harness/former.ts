import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { must } from './delivery.js';
import { Relay } from './relay.js';
import { programBytes } from './programFile.js';

/** Length of what stands before the code in a ProgramData account. */
const HEADER_BYTES = 45;

/** The program as it was before terms: it knows version 1 of accounts only. */
export const FORMER = Uint8Array.from(readFileSync(new URL('../former/relay.so', import.meta.url)));
/** The program as it was before terms of tasks: packages have them. Accounts are the same. */
export const FORMER_WITH_TERMS = Uint8Array.from(
  brotliDecompressSync(readFileSync(new URL('../former/terms.so.br', import.meta.url))),
);
/** The program as it was when it counted every leg at its assignment. */
export const FORMER_AT_ONCE = Uint8Array.from(
  brotliDecompressSync(readFileSync(new URL('../former/atOnce.so.br', import.meta.url))),
);
/** The program as it was when everything was paid in lamports. */
export const FORMER_IN_SOL = Uint8Array.from(
  brotliDecompressSync(readFileSync(new URL('../former/inSol.so.br', import.meta.url))),
);
/** The program as it was when every funder signed. */
export const FORMER_WITHOUT_MANDATES = Uint8Array.from(
  brotliDecompressSync(readFileSync(new URL('../former/noMandates.so.br', import.meta.url))),
);
export const CURRENT = programBytes();

/** With this code, initialised. */
export async function relayOf(code: Uint8Array): Promise<Relay> {
  const relay = await Relay.deployed();
  await upgrade(relay, code);
  must(await relay.ledger.send(relay.initialize()));
  return relay;
}

/** Puts other code in the program's place, as an upgrade does: every account stays. */
export async function upgrade(relay: Relay, code: Uint8Array): Promise<void> {
  const { ledger, programAddress, programData } = relay;
  relay.isFormer = code !== CURRENT;
  await relay.change(programData, (data) => Uint8Array.of(...data.slice(0, HEADER_BYTES), ...code));
  // The ledger reads the code again when the program's own account is written.
  await ledger.forge(programAddress, await relay.state(programAddress));
}
