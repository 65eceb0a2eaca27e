import { formatAmount, formatSol } from '@legwork/sdk';
import type { ExitListing, Exits, ExitStep } from '@legwork/sdk/exit';
import { minuteOf } from './output.js';

/** A step as it is typed, without `legwork`. */
export function commandOf({ action, of, legIndex, needs }: ExitStep): string {
  const leg = legIndex === undefined ? '' : ` --leg ${legIndex + 1}`;
  const given = needs.map((need) => (need === 'file' ? ' --file FILE' : ' --percent N')).join('');
  return `exit ${action} ${of}${leg}${given}`;
}

/** For programs. */
export function dataOf({ key, ledger, lamports, listings, mandates, steps, notes }: Exits) {
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

/** For people. @param options what each command is given besides, here */
export function sayExits(exits: Exits, options: string): string {
  const { key, ledger, lamports, listings, steps, notes } = exits;
  const whole = steps.filter(({ action }) => action === 'collect' || action === 'end');
  const gains = steps.filter(({ onlyGains, from }) => onlyGains && from === null).length;
  const lines = [
    `${key} has ${formatSol(lamports)} SOL. Program ${ledger.program}, ledger ${ledger.genesisHash}, where it is ${minuteOf(ledger.now)}.`,
    ...listings.flatMap((one) => ['', ...sayListing(one, key)]),
    ...(whole.length === 0 ? [] : ['', ...whole.flatMap(sayStep)]),
    ...(listings.length + whole.length > 0 ? [] : ['', NOTHING]),
    '',
    ...notes.map((note) => `Note: ${note}`),
    ...(gains === 0 ? [] : [`${gains} of these only ${gains === 1 ? 'gains' : 'gain'}: legwork exit --all`]),
    ...(steps.length === 0
      ? []
      : [`Each command says what it does, and does it with --yes. Each is given: ${options}`]),
  ];
  return lines.join('\n').trimEnd();
}

const NOTHING =
  'This ledger has nothing of this key: no package, task, mandate or token that waits. Is it the right key, program and cluster?';

const STATUS = {
  listed: 'listed, and nobody has it',
  forming: 'its couriers are being assigned',
  active: 'under way',
  over: 'over',
} as const;

function sayListing({ listing, turn, legs, steps, missing }: ExitListing, key: string): string[] {
  const { kind, id, address, status, deadline, held, asset, lister, funder } = listing;
  const roles = [
    ...(lister === key ? [kind === 'package' ? 'its shipper' : 'its poster'] : []),
    ...(funder === key && lister !== key ? ['its funder'] : []),
    ...(listing.terms?.receiverPubkey === key ? ['its receiver'] : []),
    ...(listing.terms?.arbiterPubkey === key ? ['its arbiter'] : []),
    ...listing.legs.flatMap((leg) => (leg.worker === key ? [`who has leg ${leg.index + 1}`] : [])),
  ];
  const whose =
    turn === null
      ? []
      : [
          `  the turn: ${turn.action}, by ${turn.actor.pubkey ?? turn.actor.role}${turn.until === null ? '' : `, until ${minuteOf(turn.until)}`}; else ${turn.silence}`,
        ];
  return [
    `${kind} ${id} at ${address}: ${STATUS[status]}; you are ${roles.join(', ') || 'not in it'}`,
    `  in escrow: ${formatAmount(held, asset)}; deadline ${minuteOf(deadline)}`,
    ...whose,
    ...legs.map(
      ({ leg, until, silence }) =>
        `  leg ${leg.index + 1}, ${leg.worker}: ${leg.stage}, pays ${formatAmount(leg.payment, asset)}${until === null ? '' : `; until ${minuteOf(until)}`}; if you do nothing: ${silence}`,
    ),
    ...steps.flatMap(sayStep),
    ...(steps.length === 0 ? ['  there is nothing for you to do'] : missing.map((one) => `  ${one}`)),
  ];
}

function sayStep(step: ExitStep): string[] {
  const when = step.from === null ? 'now' : `from ${minuteOf(step.from)}`;
  return [`  ${when}: legwork ${commandOf(step)}`, `    ${step.does}`];
}
