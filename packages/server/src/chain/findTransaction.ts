import type { RelayInstruction } from '@agent-relay/program-client';
import { address, type Signature } from '@solana/kit';
import type { Chain } from './chain.js';
import { findLanded } from './landedTransaction.js';
import { ask } from './ledgerRpc.js';

const PAGE = 1000;

/**
 * The newest successful transaction that names the account and holds an instruction of the program as `matches` says,
 * whoever sent it; undefined when the ledger's history shows none.
 */
export async function findTransactionOf(
  chain: Chain,
  account: string,
  matches: (instruction: RelayInstruction) => boolean,
): Promise<string | undefined> {
  let before: Signature | undefined;
  for (;;) {
    const page = await ask(
      chain.rpc.getSignaturesForAddress(address(account), {
        commitment: 'confirmed',
        limit: PAGE,
        ...(before !== undefined && { before }),
      }),
    );
    for (const { signature, err } of page) {
      if (err !== null) continue;
      const landed = await findLanded(chain, signature);
      if (landed?.instructions.some(matches)) return signature;
    }
    before = page.at(-1)?.signature;
    if (page.length < PAGE || before === undefined) return undefined;
  }
}
