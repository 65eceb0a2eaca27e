import { formatAmount, isInSol } from '@legwork/sdk';
import type { Asset, Lamports } from '@legwork/sdk';
import { commandLine } from '../commandLine.js';
import type { ActsAs } from '../commandLine.js';
import type { Ask } from '../engine/desk.js';
import { LaterError } from '../engine/move.js';
import { postForText } from '../model/postForText.js';
import type { CourierPolicy } from '../policy/policy.js';
import { runCommand } from '../worker/runCommand.js';

/** A parcel that this courier is to take, or to take over, as a command or an address is told of it. */
export interface Handoff {
  readonly packageId: string;
  /** The leg that ends with it, and is paid; of a first pickup the one that begins. */
  readonly legId: string;
  readonly description: string;
  readonly from: string;
  readonly place: { readonly lat: number; readonly lng: number };
  /** Base units of {@link Handoff.asset}. */
  readonly pays: Lamports;
  readonly asset: Asset;
}

/** The person or program to ask, and where. */
export interface Asking {
  /** Where a command runs. */
  readonly folder: string;
  readonly ask: Ask | undefined;
  /** As whom a person acts who says it by a command. */
  readonly by: ActsAs;
}

/** The wait before the same question is asked again: the parcel may come any minute. */
const AGAIN_MS = 30_000;
/** A person who said no, or is not there, is not asked at once. */
const PERSON_AGAIN_MS = 300_000;
const OK = 200;
/** Nobody reads it: the status says it. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Resolves when the parcel is in the courier's hands, as the policy says how one knows. Rule A-33.
 *
 * @throws {LaterError} when it is not, or nobody can say
 */
export async function inHand(
  how: CourierPolicy['handoff'],
  handoff: Handoff,
  { folder, ask, by }: Asking,
  signal: AbortSignal,
): Promise<void> {
  switch (how.how) {
    case 'auto':
      return;
    case 'ask':
      await askPerson(handoff, { ask, by }, signal);
      return;
    case 'command': {
      const input = JSON.stringify(forOthers(handoff));
      const { code } = await runCommand(how.command, { input, timeoutSec: how.timeoutSec, folder }, signal);
      if (code !== 0)
        throw new LaterError(`${how.command[0]} says that package ${handoff.packageId} is not here`, AGAIN_MS);
      return;
    }
    case 'http': {
      const { status } = await postForText({
        url: how.url,
        body: forOthers(handoff),
        timeoutMs: how.timeoutSec * 1000,
        maxBytes: MAX_ANSWER_BYTES,
        signal,
      });
      if (status !== OK)
        throw new LaterError(`${how.url} says ${status}: package ${handoff.packageId} is not here`, AGAIN_MS);
    }
  }
}

async function askPerson(
  handoff: Handoff,
  { ask, by }: Pick<Asking, 'ask' | 'by'>,
  signal: AbortSignal,
): Promise<void> {
  const { packageId, legId, description, from, place, pays, asset } = handoff;
  if (!ask) {
    const command = commandLine(pays > 0n ? `handoff ${packageId}` : `move take ${legId}`, by);
    throw new LaterError(
      `package ${packageId} waits to be taken over at ${place.lat}, ${place.lng}; when it is in your hands: ${command}`,
      PERSON_AGAIN_MS,
    );
  }
  const paying = pays > 0n ? ` Yes pays them ${formatAmount(pays, asset)}.` : '';
  const question = `Is package ${packageId} (${printable(description)}) in your hands, from ${from} at ${place.lat}, ${place.lng}?${paying}`;
  if (!(await ask(question, signal))) throw new LaterError(`package ${packageId} is not here yet`, PERSON_AGAIN_MS);
}

/** Lamports are null where a token pays. */
const forOthers = ({ pays, asset, ...handoff }: Handoff) => ({
  ...handoff,
  paysLamports: isInSol(asset) ? Number(pays) : null,
  ...(isInSol(asset) ? {} : { ...asset, pays: String(pays) }),
});

/** A stranger's text on a terminal: on one line, without characters that could move the cursor, not too long. */
export const printable = (text: string) => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 120);
