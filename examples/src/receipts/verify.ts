// Checks a chain of receipts: node verify.js CHAIN.json [--rpc URL]
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Receipt, ReceiptError, verifyReceipts } from '@legwork/sdk';
import { createSolanaRpc } from '@solana/kit';

/** What a chain of receipts says, line by line. @throws {ReceiptError} the first receipt that does not hold, and why */
export async function tell(chain: readonly Receipt[], rpcUrl?: string): Promise<string[]> {
  const { holders, holder, isEnded, firstNoted, paid } = await verifyReceipts(chain, {
    ...(rpcUrl !== undefined && { rpc: createSolanaRpc(rpcUrl) }),
  });
  const had = chain.map(({ to, at, said, condition, signed }, place) => {
    const proof = [...(signed ? ['signed'] : []), ...(paid.includes(place) ? ['on the ledger'] : [])];
    return `${to} had it from ${at}: ${said}, ${condition}, ${proof.join(' and ') || 'not proven'}`;
  });
  const noted = firstNoted
    ? `${firstNoted.by} was the first to note something, ${firstNoted.hash}, of what ${firstNoted.heldBy} had`
    : 'nothing is noted';
  const now = `${holder} has it now, ${isEnded ? 'where it was to go' : 'under way'}`;
  return [`${holders[0]?.holder} had it at first`, ...had, noted, now];
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
