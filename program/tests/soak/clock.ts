import { address } from '@solana/kit';
import type { Relay } from '../harness/relay.js';

const CLOCK_SYSVAR = address('SysvarC1ock11111111111111111111111111111111');
const OFFSET_OF_UNIX_TIMESTAMP = 32;
const SHORTEST_WAIT = 400;

export async function waitFor(milliseconds: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** The ledger's time in Unix seconds: a validator's may run beside the machine's. */
export async function secondOf(relay: Relay): Promise<bigint> {
  const { data } = await relay.state(CLOCK_SYSVAR);
  return new DataView(data.buffer, data.byteOffset).getBigInt64(OFFSET_OF_UNIX_TIMESTAMP, true);
}

/** Waits for the ledger's time; asks the oftener the nearer it is. */
export async function until(relay: Relay, second: bigint): Promise<void> {
  for (;;) {
    const left = second - (await secondOf(relay));
    if (left <= 0n) return;
    await waitFor(Math.max(SHORTEST_WAIT, Number(left) * 300));
  }
}
