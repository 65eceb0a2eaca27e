import { readKeyFile, type Trusted, trustedBy } from '@legwork/agents';
import { formatSol, LedgerRefusedError, resultHash, TransactionRefusedError } from '@legwork/sdk';
import {
  type ExitLedger,
  ExitError,
  type Exits,
  type ExitStep,
  findExits,
  openExit,
  type PreparedExit,
  prepareExit,
  sayWhen,
  sendExit,
} from '@legwork/sdk/exit';
import { address, type Address, isAddress, type KeyPairSigner } from '@solana/kit';
import { messageOf, UsageError, UserError } from '../screen.js';
import type { Agent } from './agent.js';
import { textIn } from './moves.js';
import { minuteOf, type Shown } from './output.js';
import { commandOf, dataOf, sayExits } from './outWords.js';

/** The input of `legwork exit`. */
export interface OutInput {
  readonly move?: ExitStep['action'];
  readonly of?: string;
  readonly rpc?: string;
  readonly program?: string;
  readonly listing?: readonly string[];
  readonly all?: true;
  readonly yes?: true;
  readonly leg?: number;
  readonly file?: string;
  readonly percent?: number;
  readonly payer?: string;
  readonly evenBeforePickup?: true;
}

interface At {
  readonly agent: Agent;
  readonly input: OutInput;
  readonly ledger: ExitLedger;
  readonly key: KeyPairSigner;
  readonly payer: KeyPairSigner;
}

/** All that a ledger has of a key, and what it can do about it; or the doing. It asks no service. Rule A-163. */
export async function* out(agent: Agent, input: OutInput): AsyncGenerator<Shown> {
  const key = await readKeyFile(agent.settings.key);
  const payer = input.payer === undefined ? key : await readKeyFile(input.payer);
  const ledger = await openExit(await placeOf(agent, input));
  const at = { agent, input, ledger, key, payer };
  if (input.move !== undefined) yield* byName(at, input.move);
  else if (input.all) yield* gains(at);
  else {
    const exits = await findExits(ledger, key.address, addressesIn(input.listing));
    yield { data: dataOf(exits), text: sayExits(exits, commandFor(at, '').replace(/^.*?legwork\s+/, '')) };
  }
}

/** Where to look: what a person named, else what the key worked with. Never a program that only an RPC names. */
async function placeOf({ settings }: Agent, { rpc = settings.rpc, program = settings.program }: OutInput) {
  if (rpc === undefined) throw new UsageError('Name an RPC of the ledger: --rpc https://…');
  const known = await trustedBy(settings.key, settings.service);
  const found = program === undefined ? soleOf(known) : known.find((one) => one.program === program);
  const meant = program ?? found?.program;
  if (meant === undefined) {
    throw new UsageError(
      'Name the program: --program ADDRESS. The journal of a key that worked with it has its address, and so do others who used the service. It acts with all rights of your key, so take its address only from somebody you trust.',
    );
  }
  return { rpcUrl: rpc, program: meant, genesisHash: found?.genesisHash };
}

function soleOf([first, ...others]: readonly Trusted[]): Trusted | undefined {
  const other = others.find(({ program }) => program !== first?.program);
  if (first === undefined || other === undefined) return first;
  throw new UsageError(
    `Your key worked with several programs: name one, --program ${first.program} or --program ${other.program}`,
  );
}

const addressesIn = (all: readonly string[] = []): Address[] =>
  all.map((one) => {
    if (isAddress(one)) return one;
    throw new UsageError(`${one} is not an address: give that of a package or a task on the ledger.`);
  });

/** A command as this person types it next. */
function commandFor({ agent, input: { rpc, program } }: At, words: string): string {
  const places = [
    ...(rpc === undefined ? [] : [`--rpc ${rpc}`]),
    ...(program === undefined ? [] : [`--program ${program}`]),
  ];
  return agent.command([words, ...places].join(' '));
}

/** The most rounds: what ends a listing opens the way to its rent. */
const MOST_ROUNDS = 5;

/** Does what only gains, one after the other, and looks again, until nothing is left. */
async function* gains(at: At): AsyncGenerator<Shown> {
  const { input, key } = at;
  const failed = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const exits = await findExits(await again(at, round), key.address, addressesIn(input.listing));
    const steps = exits.steps.filter((step) => step.onlyGains && step.from === null && !failed.has(commandOf(step)));
    if (steps.length === 0) {
      if (round === 0) yield nothingNow(at, exits);
      return;
    }
    for (const step of steps) {
      const prepared = await prepareFor(at, step, exits).catch((error: unknown) => error);
      if (prepared instanceof Error || !isPrepared(prepared)) {
        failed.add(commandOf(step));
        yield { data: { step, error: prepared }, text: `${commandOf(step)} is left out: ${messageOf(prepared)}` };
        continue;
      }
      yield saying(prepared, input.yes === true);
      if (!input.yes) continue;
      try {
        yield await doing(at, prepared);
      } catch (error) {
        if (!isRefused(error)) throw error;
        failed.add(commandOf(step));
        yield { data: { step, error }, text: `  not done: ${messageOf(error)}` };
      }
    }
    if (!input.yes) {
      const words = commandFor(at, 'exit --all --yes');
      yield { data: undefined, text: `Nothing was signed. To do this: ${words}` };
      return;
    }
  }
}

function nothingNow(at: At, { steps }: Exits): Shown {
  const [next] = steps
    .flatMap(({ onlyGains, from }) => (onlyGains && from !== null ? [from] : []))
    .toSorted((a, b) => a.getTime() - b.getTime());
  const later = next === undefined ? '' : ` The next can from ${minuteOf(next)}.`;
  const words = commandFor(at, 'exit');
  return {
    data: { done: [] },
    text: `Nothing that only gains can be done at ${minuteOf(at.ledger.now)}.${later} What else there is: ${words}`,
  };
}

const isPrepared = (value: unknown): value is PreparedExit =>
  typeof value === 'object' && value !== null && 'says' in value;
const isRefused = (error: unknown) =>
  error instanceof LedgerRefusedError || error instanceof TransactionRefusedError || error instanceof ExitError;

/** The ledger as it is after what was done. */
async function again({ agent, input, ledger }: At, round: number): Promise<ExitLedger> {
  return round === 0 ? ledger : openExit(await placeOf(agent, input));
}

/** The objects of steps that are about no listing. */
const OF_WHAT: Readonly<Partial<Record<ExitStep['action'], string>>> = { collect: 'MINT', end: 'MANDATE' };

/** Does the one thing that was named, having said what it does. */
async function* byName(at: At, move: ExitStep['action']): AsyncGenerator<Shown> {
  const { input, ledger, key } = at;
  if (input.of === undefined)
    throw new UsageError(`Say of what: ${commandFor(at, `exit ${move} ${OF_WHAT[move] ?? 'ADDRESS'}`)}`);
  const [of = key.address] = addressesIn([input.of]);
  const isOfListing = move !== 'collect' && move !== 'end';
  const exits = await findExits(ledger, key.address, isOfListing ? [of] : []);
  const step = stepOf(exits, move, of, input, minuteOf(ledger.now));
  const prepared = await prepareFor(at, step, exits);
  yield saying(prepared, input.yes === true);
  if (input.yes) yield await doing(at, prepared);
  else yield { data: undefined, text: `Nothing was signed. If you want it, add --yes.` };
}

/** @throws UserError when the key cannot do it now, with what it can */
function stepOf(
  { steps, notes }: Exits,
  move: ExitStep['action'],
  of: Address,
  { leg }: OutInput,
  now: string,
): ExitStep {
  const possible = steps.filter((step) => step.of === of);
  const named = possible.filter(
    (step) => step.action === move && (leg === undefined || step.legIndex === undefined || step.legIndex === leg - 1),
  );
  const [step, second] = named;
  if (step === undefined) {
    const can = possible.map((one) => `${sayWhen(one)} ${commandOf(one)}`);
    throw new UserError(
      [
        ...notes,
        `Your key cannot ${move} ${of}${leg === undefined ? '' : ` at leg ${leg}`}. It can: ${can.join(', ') || 'nothing'}.`,
      ].join('\n'),
    );
  }
  if (second !== undefined)
    throw new UsageError(`Say which leg: --leg ${(step.legIndex ?? 0) + 1} or --leg ${(second.legIndex ?? 0) + 1}`);
  if (step.from !== null)
    throw new UserError(`Your key can ${move} it from ${minuteOf(step.from)} on. On the ledger it is ${now}.`);
  return step;
}

async function prepareFor(
  { ledger, input, key, payer }: At,
  step: ExitStep,
  { mandates }: Exits,
): Promise<PreparedExit> {
  const { percent, evenBeforePickup } = input;
  if (step.needs.includes('percent') && percent === undefined)
    throw new UsageError("Give the worker's share: --percent 0 to 100");
  if (step.needs.includes('file') && input.file === undefined)
    throw new UsageError(`A ${step.action} needs the text that shows it: --file FILE`);
  const hash = input.file === undefined ? undefined : resultHash(await textIn(input.file)).hex;
  const given = {
    ...(percent !== undefined && { percent }),
    ...(hash !== undefined && { hash }),
    ...(evenBeforePickup && { evenBeforePickup }),
  };
  const claimedHash = step.action === 'confirm' && hash !== undefined ? { claimedHash: hash } : {};
  return prepareExit(ledger, address(key.address), step, { ...given, ...claimedHash, mandates, payer: payer.address });
}

function saying({ step, says, costLamports }: PreparedExit, isToBe: boolean): Shown {
  const lines = [
    `${commandOf(step)}: ${step.does}`,
    ...says.map((line) => `  signed is: ${line}`),
    `  fees and rents: ${formatSol(costLamports)} SOL`,
  ];
  return { data: isToBe ? undefined : { step, says, costLamports }, text: lines.join('\n') };
}

async function doing({ ledger, key, payer }: At, prepared: PreparedExit): Promise<Shown> {
  const signers = payer === key ? [key] : [payer, key];
  const signature = await sendExit(ledger, prepared, signers);
  const { step, says } = prepared;
  return { data: { step, says, signature }, text: `  done: transaction ${signature}` };
}
