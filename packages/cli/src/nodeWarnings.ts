/** What Node before 20.19.3 says at the first signature; what it signs with did not change. */
const SAID_OF_ED25519 = 'Ed25519 Web Crypto API algorithm is an experimental feature';

/** Lets Node print its warnings as ever, but not the one about Ed25519: nobody who uses the command can do anything about it. */
export function quietNode(): void {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (!warning.message.includes(SAID_OF_ED25519)) for (const print of printers) print(warning);
  });
}
