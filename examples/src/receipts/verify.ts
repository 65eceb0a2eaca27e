// Checks a chain of receipts: node verify.js CHAIN.json [--rpc URL]
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Receipt, ReceiptError, verifyReceipts } from '@legwork/sdk';
import { createSolanaRpc } from '@solana/kit';

/** The content of a chain of receipts, a line each. @throws {ReceiptError} the first receipt that does not hold, and why */
export async function tell(chain: readonly Receipt[], rpcUrl?: string): Promise<string[]> {
  const { paid } = await verifyReceipts(chain, { ...(rpcUrl !== undefined && { rpc: createSolanaRpc(rpcUrl) }) });
  return chain.map(({ from, to, at, said, condition, hash }, place) => {
    const told = hash === null ? condition : `${condition} ${hash}`;
    return `${from} gave it to ${to} at ${at}: ${said}, ${told}${paid.includes(place) ? ', on the ledger' : ''}`;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({ options: { rpc: { type: 'string' } }, allowPositionals: true });
  const chain: Receipt[] = JSON.parse(await readFile(positionals[0] ?? 'chain.json', 'utf8'));
  try {
    process.stdout.write(`${(await tell(chain, values.rpc)).join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
