import { isSignerRole, isWritableRole, type Instruction } from '@solana/kit';
import { must } from './delivery.js';
import type { Relay } from './relay.js';
import { swapped } from './tamper.js';

/** One account in two of an instruction's writable places, every pair of them, each way round. */
function* doubled(instruction: Instruction): Generator<readonly [string, Instruction]> {
  const metas = instruction.accounts ?? [];
  const writable = [...metas.keys()].filter((place) => isWritableRole(metas[place]?.role ?? 0));
  for (const from of writable) {
    for (const to of writable.filter((place) => !isSignerRole(metas[place]?.role ?? 0))) {
      const address = metas[from]?.address;
      if (address && address !== metas[to]?.address) yield [`${from} in ${to}`, swapped(instruction, to, address)];
    }
  }
}

/** Pairs that the program took, before it took the instruction itself. */
export async function acceptedDoubles(relay: Relay, instruction: Instruction): Promise<string[]> {
  const taken: string[] = [];
  const doubles = [...doubled(instruction)];
  if (doubles.length === 0) throw new Error('an instruction that moves lamports writes two accounts');
  for (const [pair, double] of doubles) {
    if ((await relay.ledger.send(double)).error === undefined) taken.push(pair);
  }
  must(await relay.ledger.send(instruction));
  return taken;
}
