import { resultHash } from '@legwork/protocol/rules';
import type { LedgerSigner } from '@legwork/sdk';
import {
  type ExitListing,
  type Exits,
  type ExitStep,
  NOTHING_HERE,
  type PreparedExit,
  prepareExit,
  sayListing,
  sendExit,
} from '@legwork/sdk/exit';
import { element, problem } from './dom.js';
import { figureIn, m, type Message, t } from '../language.js';

/** Looks at the ledger again, having said what was done. */
type Refresh = (said: string) => Promise<void>;

/** All that there is, with buttons for what can be done. */
export function showExits(exits: Exits, signer: LedgerSigner, refresh: Refresh): HTMLElement[] {
  const { key, ledger, lamports, listings, steps, notes } = exits;
  const acting = { exits, signer, refresh };
  const loose = steps.filter(({ action }) => action === 'collect' || action === 'end');
  const gains = steps.filter(({ onlyGains, from }) => onlyGains && from === null);
  return [
    element(
      'p',
      {},
      t('{key} has {amount} SOL. The ledger is {ledger}, at {time}.', {
        key,
        amount: figureIn(lamports),
        ledger: ledger.genesisHash,
        time: minuteOf(ledger.now),
      }),
    ),
    ...notes.map((note) => element('p', { className: 'hint' }, t(note))),
    ...(gains.length > 1 ? [allOf(gains, acting)] : []),
    ...listings.map((one) => showListing(one, acting)),
    ...(loose.length > 0 ? [element('article', {}, ...loose.map((step) => showStep(step, acting)))] : []),
    ...(listings.length + loose.length === 0 ? [element('p', {}, t(NOTHING_HERE))] : []),
  ];
}

const minuteOf = (instant: Date) => `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

interface Acting {
  readonly exits: Exits;
  readonly signer: LedgerSigner;
  readonly refresh: Refresh;
}

function showListing(one: ExitListing, acting: Acting): HTMLElement {
  const [head, ...lines] = sayListing(one, acting.exits.key);
  const { steps, missing } = one;
  return element(
    'article',
    {},
    element('h2', {}, t(head)),
    ...lines.map((line) => element('p', {}, t(line))),
    ...steps.map((step) => showStep(step, acting, one.listing.kind)),
    ...(steps.length === 0
      ? [element('p', {}, t('There is nothing for you to do.'))]
      : missing.map((line) => element('p', { className: 'hint' }, t(line)))),
  );
}

/** Where a button says what comes of it, aloud as well. */
const placeBelow = () => element('div', { role: 'status', tabIndex: -1 });

interface Asked {
  readonly place: HTMLElement;
  /** What asked. */
  readonly button: HTMLElement;
}

/** What a step is called, of a leg or of the whole. */
const NAMES: Readonly<Record<ExitStep['action'], Message>> = {
  accept: m('{leg, select, none {accept} other {accept leg {leg}}}'),
  take: m('{leg, select, none {take} other {take leg {leg}}}'),
  vacate: m('{leg, select, none {vacate} other {vacate leg {leg}}}'),
  claim: m('{leg, select, none {claim} other {claim leg {leg}}}'),
  confirm: m('{leg, select, none {confirm} other {confirm leg {leg}}}'),
  dispute: m('{leg, select, none {dispute} other {dispute leg {leg}}}'),
  rule: m('{leg, select, none {rule} other {rule leg {leg}}}'),
  crank: m('{leg, select, none {crank} other {crank leg {leg}}}'),
  cancel: m('cancel'),
  reclaim: m('reclaim'),
  settle: m('settle'),
  close: m('close'),
  collect: m('collect'),
  end: m('end'),
};

const nameOf = ({ action, legIndex }: ExitStep) =>
  t(NAMES[action], { leg: legIndex === undefined ? 'none' : legIndex + 1 });

/** What it does, what it has to be given, and a button that reads it back before anything is signed. */
function showStep(step: ExitStep, acting: Acting, kind?: 'package' | 'task'): HTMLElement {
  const place = placeBelow();
  const text = element('textarea', {
    rows: 3,
    ariaLabel: t('{text}, for {step}', { text: textOf(step), step: nameOf(step) }),
  });
  const percent = element('input', { type: 'number', min: '0', max: '100', ariaLabel: t('Percent for the worker') });
  const button = element('button', { type: 'button' }, `${nameOf(step)}…`);
  const early = element('input', { type: 'checkbox' });
  const again = () => prepare(step, acting, { text: text.value, percent: percent.value, early: early.checked });
  button.addEventListener('click', () => {
    place.replaceChildren(t('Preparing…'));
    again()
      .then((prepared) => place.replaceChildren(...askBack([{ prepared, again }], acting, { place, button })))
      .catch((error: unknown) => place.replaceChildren(problem(error)));
  });
  const now = step.from === null;
  const takesText = step.needs.includes('file') || (step.action === 'confirm' && kind === 'task');
  return element(
    'div',
    {},
    element('p', {}, element('strong', {}, `${whenOf(step)}: ${nameOf(step)}`), `: ${t(step.does)}`),
    ...(now && takesText ? [element('p', { className: 'hint' }, `${textOf(step)}:`), text] : []),
    ...(now && step.needs.includes('percent') ? [percent] : []),
    ...(now && step.needs.includes('early') ? [element('label', {}, early, ` ${t(EARLY)}`)] : []),
    ...(now ? [button, place] : []),
  );
}

const whenOf = ({ from }: ExitStep) => (from === null ? t('now') : t('from {time}', { time: minuteOf(from) }));

const textOf = ({ action }: ExitStep) =>
  action === 'confirm'
    ? t('For a digital task: the result you have read, so that only this text is paid; may be empty')
    : t('Your evidence; keep this text, only its sha256 goes on the ledger');

const EARLY = m('I pay now, although nobody has picked the parcel up');

interface Given {
  readonly text: string;
  readonly percent: string;
  readonly early: boolean;
}

async function prepare(
  step: ExitStep,
  { exits, signer }: Acting,
  { text, percent, early }: Given,
): Promise<PreparedExit> {
  const isGiven = text.trim() !== '';
  if (step.needs.includes('file') && !isGiven) throw new Error(t('Give your evidence: its sha256 goes on the ledger.'));
  if (step.needs.includes('percent') && !/^\d+$/u.test(percent)) {
    throw new Error(t('Enter the percentage for the worker, from 0 to 100.'));
  }
  if (step.needs.includes('early') && !early)
    throw new Error(t('Nobody has picked the parcel up. Tick the box to pay all the same.'));
  const { hex } = resultHash(text);
  return prepareExit(exits.ledger, signer.address, step, {
    mandates: exits.mandates,
    evenBeforePickup: early,
    ...(isGiven && (step.action === 'confirm' ? { claimedHash: hex } : { hash: hex })),
    ...(step.needs.includes('percent') && { percent: Number(percent) }),
  });
}

/** A step that was read back, and the same once more: a transaction lives for a minute, and who reads takes longer. */
interface Ready {
  readonly prepared: PreparedExit;
  readonly again: () => Promise<PreparedExit>;
}

/** What was read back from the bytes, and the button that signs. */
function askBack(all: readonly Ready[], acting: Acting, { place, button }: Asked): HTMLElement[] {
  const cost = all.reduce((sum, { prepared }) => sum + prepared.costLamports, 0n);
  const words = all.length === 1 ? t('Sign and send') : t('Sign and send all {count}', { count: all.length });
  const sign = element('button', { type: 'button' }, words);
  const leave = element('button', { type: 'button' }, t('Do not sign'));
  // The focus stays where the keyboard goes on.
  leave.addEventListener('click', () => {
    button.focus();
    place.replaceChildren();
  });
  sign.addEventListener('click', () => {
    place.focus();
    place.replaceChildren(t('Sending…'));
    sendAll(all, acting)
      .then((signatures) => acting.refresh(t('Done: {signatures}', { signatures: signatures.join(', ') })))
      .catch((error: unknown) => place.replaceChildren(problem(error)));
  });
  const isOnlyGain = all.every(({ prepared }) => prepared.step.onlyGains);
  return [
    element(
      'div',
      { className: isOnlyGain ? '' : 'warning' },
      ...all.map(({ prepared: { step, says } }) => element('p', {}, saidBack(step, says))),
      element('p', {}, t('Fees and rents: {amount} SOL.', { amount: figureIn(cost) })),
    ),
    sign,
    leave,
  ];
}

const saidBack = (step: ExitStep, says: readonly string[]) =>
  t('{step}: {does}. You sign: {lines}.', {
    step: nameOf(step),
    does: t(step.does),
    lines: says.map((line) => t(line)).join('; '),
  });

const shownOf = ({ says, costLamports }: PreparedExit) => [...says, costLamports].join('\n');

/** @throws Error when what is to be signed is not what was shown any more */
async function sendAll(all: readonly Ready[], { exits, signer }: Acting): Promise<string[]> {
  const signatures: string[] = [];
  for (const { prepared, again } of all) {
    try {
      const fresh = await again();
      if (shownOf(fresh) !== shownOf(prepared)) {
        throw new Error(t('The ledger has moved on, and this step was not signed. Search again.'));
      }
      signatures.push(await sendExit(exits.ledger, fresh, [signer]));
    } catch (error) {
      if (signatures.length === 0 || !(error instanceof Error)) throw error;
      // What landed is not told as failed.
      const told = { signatures: signatures.join(', '), why: error.message };
      throw new Error(t('Done: {signatures}. The next one failed: {why}', told), { cause: error });
    }
  }
  return signatures;
}

function allOf(gains: readonly ExitStep[], acting: Acting): HTMLElement {
  const place = placeBelow();
  const button = element('button', { type: 'button' }, t('All {count} that only pay you…', { count: gains.length }));
  button.addEventListener('click', () => {
    place.replaceChildren(t('Preparing…'));
    Promise.all(
      gains.map(async (step): Promise<Ready> => {
        const again = () => prepare(step, acting, { text: '', percent: '', early: false });
        return { prepared: await again(), again };
      }),
    )
      .then((all) => place.replaceChildren(...askBack(all, acting, { place, button })))
      .catch((error: unknown) => place.replaceChildren(problem(error)));
  });
  return element('div', {}, button, place);
}
