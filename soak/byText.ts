import { setTimeout as sleep } from 'node:timers/promises';
import { readHandoff, signHandoff, submitHandoff } from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import type { Agent, World } from './agent.js';

/** The longest that somebody keeps a signed text back, milliseconds. */
const KEPT_MS = 3_000;

const numberOf = (id: string, index: number) => Number.parseInt(id.slice(-6), 16) + index;

/** Reports whether this handoff is signed as a text and sent by the courier who is paid: one in three is. */
export const isByText = (packageId: string, legIndex: number): boolean => numberOf(packageId, legIndex) % 3 === 0;

/** The receiver signs once, at the door; the courier keeps the text for a while, and then sends it until the ledger has it. */
export async function handOverByText(
  { agent, world: { rpc } }: { readonly agent: Agent; readonly world: World },
  name: string,
  { packageId, legIndex }: { readonly packageId: string; readonly legIndex: number },
  { receiver, courier }: { readonly receiver: KeyPairSigner; readonly courier: KeyPairSigner },
): Promise<void> {
  const ahead = await agent.step(`${name}: read the text`, () =>
    readHandoff(agent.clientOf(receiver), receiver.address, { packageId, legIndex }, { rpc }),
  );
  const signed = await signHandoff(receiver, ahead);
  await sleep(numberOf(packageId, legIndex) % KEPT_MS);
  await agent.step(`${name}: send the text`, () => submitHandoff(agent.clientOf(courier), courier, signed, { rpc }));
}
