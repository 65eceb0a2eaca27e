import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { confirmWithCode, type MadeMove, makeMove, type MoveAction, openField, receive, stillOpen } from '@legwork/sdk';
import { orNoSuchFile } from '../paths.js';
import { UsageError } from '../screen.js';
import type { Agent } from './agent.js';
import { legAtHand, type LegInput, sessionFor } from './legAtHand.js';
import { minuteOf, type Shown } from './output.js';

interface MoveInput extends LegInput {
  readonly file?: string;
}

/** A command for this move of a leg, which one wallet signs alone. */
export function moving(action: MoveAction): (agent: Agent, input: MoveInput) => Promise<Shown> {
  return async (agent, input) => {
    const at = await legAtHand(agent, input);
    const text = input.file === undefined ? undefined : await textIn(input.file);
    const { client, signer, rpc } = await sessionFor(agent, at, action);
    // The wallet asks before it pays for what nobody has picked up (T-97).
    const early = action === 'confirm' && { evenBeforePickup: true };
    const { leg, terms } = at;
    const move = { legId: leg.id, ...at.of, onChainLeg: leg.onChainLeg, terms, action, text, ...early };
    return told(agent, await makeMove(client, signer, move, { rpc }));
  };
}

/** Signs that the parcel was received or taken over, or that a result is right; with a code, in the name of the receiver who shows it. */
export async function confirm(agent: Agent, input: LegInput & { readonly code?: string }): Promise<Shown> {
  if (input.code === undefined) return moving('confirm')(agent, input);
  const code = await textIn(input.code);
  const { kind, leg, listing } = await legAtHand(agent, input);
  if (kind === 'task') throw new UsageError('A digital task has no receiver who shows a code.');
  const { client, signer, rpc } = await agent.session();
  return told(
    agent,
    await confirmWithCode(client, signer, leg.id, code, { packageId: listing.id, evenBeforePickup: true, rpc }),
  );
}

/** The text of a file, or of standard input. @throws UsageError when there is none */
export async function textIn(file: string): Promise<string> {
  const text = file === '-' ? await textOf(process.stdin) : await orNoSuchFile(file, readFile(file, 'utf8'));
  if (text.trim() === '') throw new UsageError(`${file === '-' ? 'Standard input' : file} is empty.`);
  return text;
}

const WORDS: Readonly<Record<MadeMove['stage'], string>> = {
  pending: 'awaits acceptance by its courier or agent',
  accepted: 'is accepted',
  carried: 'is under way: its courier has the parcel',
  claimed: 'is claimed: its courier or agent says that it is done',
  disputed: 'is disputed: the arbiter rules it',
  ruled: 'is ruled, and paid once somebody carries it out',
  vacant: 'is open for others',
  completed: 'is completed',
};

/** A move that the ledger has confirmed. */
export function told(agent: Agent, made: MadeMove): Shown {
  const { legId, stage, until, signature } = made;
  const clock = until === null ? '' : `, until ${minuteOf(until)}`;
  const next = stage === 'ruled' ? `: ${agent.command(`move crank ${legId}`)}` : '';
  return { data: made, text: `The leg ${WORDS[stage]}${clock} (transaction ${signature})${next}${stillOpen(made)}` };
}

/** Signs that this key received the parcel of a package, which pays the courier who brought it. Safe to repeat. */
export async function handoff(agent: Agent, { package: packageId }: { readonly package: string }): Promise<Shown> {
  const { client, signer, rpc } = await agent.session();
  // The wallet asks before it pays for what nobody has picked up.
  const received = await receive(client, signer, { packageId, evenBeforePickup: true }, { rpc });
  const { legId, status, finality, swarmStatus, signature } = received;
  const rest = swarmStatus === 'settled' ? 'the package is delivered' : 'the courier before you is paid';
  return {
    data: { packageId, legId, status, finality, swarmStatus, signature, ...openField(received) },
    text: `Confirmed: ${rest} (${finality}; transaction ${signature})${stillOpen(received)}`,
  };
}
