/** The address of a built module of this package. Threads load the built code even where the ledger itself runs from its source. */
export function builtModule(path: string): URL {
  const folder = new URL('.', import.meta.url);
  return new URL(path, import.meta.url.endsWith('.ts') ? new URL('../dist/', folder) : folder);
}
