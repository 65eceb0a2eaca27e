import { formatSol } from '@legwork/sdk';
import { type ExitListing, type Exits, type ExitStep, NOTHING_HERE, sayListing, sayWhen } from '@legwork/sdk/exit';
import { minuteOf } from './output.js';

/** The option that gives what a step needs. */
const OPTIONS = { file: ' --file FILE', percent: ' --percent N', early: ' --even-before-pickup' } as const;

/** A step as it is typed, without `legwork`. */
export function commandOf({ action, of, legIndex, needs }: ExitStep): string {
  const leg = legIndex === undefined ? '' : ` --leg ${legIndex + 1}`;
  const given = needs.map((need) => OPTIONS[need]).join('');
  return `exit ${action} ${of}${leg}${given}`;
}

/** For programs. */
export function dataOf({ key, ledger, lamports, listings, mandates, steps, notes }: Exits): object {
  return {
    key,
    program: ledger.program,
    genesisHash: ledger.genesisHash,
    now: ledger.now,
    lamports,
    listings: listings.map(({ listing, turn, legs, missing }) => ({
      ...listing,
      nonce: undefined,
      turn,
      legs: legs.map(({ leg, ...rest }) => ({ ...leg, ...rest })),
      missing,
    })),
    mandates,
    steps,
    notes,
  };
}

/** For people. @param options the further options of each command here */
export function sayExits(exits: Exits, options: string): string {
  const { key, ledger, lamports, listings, steps, notes } = exits;
  const whole = steps.filter(({ action }) => action === 'collect' || action === 'end');
  const gains = steps.filter(({ onlyGains, from }) => onlyGains && from === null).length;
  const lines = [
    `${key} has ${formatSol(lamports)} SOL. Program ${ledger.program}, ledger ${ledger.genesisHash}, where it is ${minuteOf(ledger.now)}.`,
    ...listings.flatMap((one) => ['', ...linesOf(one, key)]),
    ...(whole.length === 0 ? [] : ['', ...whole.flatMap(sayStep)]),
    ...(listings.length + whole.length > 0 ? [] : ['', NOTHING_HERE]),
    '',
    ...notes.map((note) => `Note: ${note}`),
    ...(gains === 0 ? [] : [`${gains} of these only ${gains === 1 ? 'gains' : 'gain'}: legwork exit --all`]),
    ...(steps.length === 0
      ? []
      : [`Each command says what it does, and does it with --yes. Each is given: ${options}`]),
  ];
  return lines.join('\n').trimEnd();
}

function linesOf(one: ExitListing, key: string): string[] {
  const { steps, missing } = one;
  const [head, ...lines] = sayListing(one, key);
  return [
    head,
    ...lines.map((line) => `  ${line}`),
    ...steps.flatMap(sayStep),
    ...(steps.length === 0 ? ['  there is nothing for you to do'] : missing.map((line) => `  ${line}`)),
  ];
}

const sayStep = (step: ExitStep) => [`  ${sayWhen(step)}: legwork ${commandOf(step)}`, `    ${step.does}`];
