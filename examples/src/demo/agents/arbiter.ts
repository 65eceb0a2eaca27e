import { setTimeout as pause } from 'node:timers/promises';
import { makeMove } from '@legwork/sdk';
import type { Member } from '../company.js';
import type { Stage } from '../stage.js';
import { patiently } from './market.js';

const LOOK_EVERY_MS = 1_000;
/** An agent that brought nothing gets nothing: the leg is open again. */
const NOTHING = 0;
const WHOLE = 100;

/** Rules what is disputed until the signal: who says what a dispute denies has to show more than a claim. */
export async function rule({ ledger }: Stage, { client, signer }: Member, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    await patiently(async () => {
      const { items } = await client.listTurns({ pubkey: signer.address });
      for (const turn of items) {
        if (turn.kind !== 'package' || !turn.actions.includes('rule')) continue;
        await patiently(() => ruleOne(turn.packageId, turn.legId));
      }
    });
    await pause(LOOK_EVERY_MS, undefined, { signal: done }).catch(() => undefined);
  }

  async function ruleOne(packageId: string, legId: string): Promise<void> {
    const { items } = await client.listEvidence({ legId });
    const isShown = items.some(({ text }) => text.includes('locker'));
    const move = { packageId, legId, action: 'rule', percent: isShown ? WHOLE : NOTHING } as const;
    await makeMove(client, signer, move, { rpc: ledger.rpc });
  }
}
