import { formatSol } from '@legwork/protocol/contract';
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
  sayWhen,
  sendExit,
} from '@legwork/sdk/exit';
import { element, problem } from './dom.js';

/** Looks at the ledger again, having said what was done. */
type Refresh = (said: string) => Promise<void>;

/** All that there is, with buttons for what can be done. */
export function showExits(exits: Exits, signer: LedgerSigner, refresh: Refresh): HTMLElement[] {
  const { key, ledger, lamports, listings, steps, notes } = exits;
  const acting = { exits, signer, refresh };
  const loose = steps.filter(({ action }) => action === 'collect' || action === 'end');
  const gains = steps.filter(({ onlyGains, from }) => onlyGains && from === null);
  const time = ledger.now.toISOString().slice(0, 16).replace('T', ' ');
  return [
    element(
      'p',
      {},
      `${key} has ${formatSol(lamports)} SOL. The ledger is ${ledger.genesisHash}, where it is ${time} UTC.`,
    ),
    ...notes.map((note) => element('p', { className: 'hint' }, note)),
    ...(gains.length > 1 ? [allOf(gains, acting)] : []),
    ...listings.map((one) => showListing(one, acting)),
    ...(loose.length > 0 ? [element('article', {}, ...loose.map((step) => showStep(step, acting)))] : []),
    ...(listings.length + loose.length === 0 ? [element('p', {}, NOTHING_HERE)] : []),
  ];
}

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
    element('h2', {}, head),
    ...lines.map((line) => element('p', {}, line)),
    ...steps.map((step) => showStep(step, acting)),
    ...(steps.length === 0
      ? [element('p', {}, 'There is nothing for you to do.')]
      : missing.map((line) => element('p', { className: 'hint' }, line))),
  );
}

const nameOf = ({ action, legIndex }: ExitStep) => (legIndex === undefined ? action : `${action} leg ${legIndex + 1}`);

/** What it does, what it has to be given, and a button that reads it back before anything is signed. */
function showStep(step: ExitStep, acting: Acting): HTMLElement {
  const place = element('div', {});
  const text = element('textarea', { rows: 3, ariaLabel: `What shows it, for ${nameOf(step)}` });
  const percent = element('input', { type: 'number', min: '0', max: '100', ariaLabel: 'Percent for who worked' });
  const takesText = step.needs.includes('file') || step.action === 'confirm';
  const button = element('button', { type: 'button' }, `${nameOf(step)}…`);
  button.addEventListener('click', () => {
    place.replaceChildren('Preparing…');
    prepare(step, acting, { text: takesText ? text.value : '', percent: percent.value })
      .then((prepared) => place.replaceChildren(...askBack([prepared], acting, place)))
      .catch((error: unknown) => place.replaceChildren(problem(error)));
  });
  const now = step.from === null;
  return element(
    'div',
    {},
    element('p', {}, element('strong', {}, `${sayWhen(step)}: ${nameOf(step)}`), `: ${step.does}`),
    ...(now && step.needs.includes('file') ? [text] : []),
    ...(now && step.needs.includes('percent') ? [percent] : []),
    ...(now ? [button, place] : []),
  );
}

interface Given {
  readonly text: string;
  readonly percent: string;
}

async function prepare(step: ExitStep, { exits, signer }: Acting, { text, percent }: Given): Promise<PreparedExit> {
  if (step.needs.includes('file') && text.trim() === '')
    throw new Error('Say what shows it: its sha256 goes on the ledger. Keep the text.');
  if (step.needs.includes('percent') && !/^\d+$/u.test(percent))
    throw new Error('Say what who worked gets: 0 to 100 percent.');
  return prepareExit(exits.ledger, signer.address, step, {
    mandates: exits.mandates,
    // The sentence before the button says so where nobody has picked the parcel up.
    evenBeforePickup: true,
    ...(text.trim() !== '' && { hash: resultHash(text).hex }),
    ...(step.needs.includes('percent') && { percent: Number(percent) }),
  });
}

/** What was read back from the bytes, and the button that signs. */
function askBack(prepared: readonly PreparedExit[], acting: Acting, place: HTMLElement): HTMLElement[] {
  const cost = prepared.reduce((sum, { costLamports }) => sum + costLamports, 0n);
  const sign = element(
    'button',
    { type: 'button' },
    prepared.length === 1 ? 'Sign and send' : `Sign and send all ${prepared.length}`,
  );
  const leave = element('button', { type: 'button' }, 'Leave it');
  leave.addEventListener('click', () => place.replaceChildren());
  sign.addEventListener('click', () => {
    place.replaceChildren('Sending…');
    sendAll(prepared, acting)
      .then((signatures) => acting.refresh(`Done: ${signatures.join(', ')}`))
      .catch((error: unknown) => place.replaceChildren(problem(error)));
  });
  const isOnlyGain = prepared.every(({ step }) => step.onlyGains);
  return [
    element(
      'div',
      { className: isOnlyGain ? '' : 'warning' },
      ...prepared.map(({ step, says }) =>
        element('p', {}, `${nameOf(step)}: ${step.does}. Signed is: ${says.join('; ')}.`),
      ),
      element('p', {}, `Fees and rents: ${formatSol(cost)} SOL.`),
    ),
    sign,
    leave,
  ];
}

async function sendAll(prepared: readonly PreparedExit[], { exits, signer }: Acting): Promise<string[]> {
  const signatures: string[] = [];
  for (const one of prepared) signatures.push(await sendExit(exits.ledger, one, [signer]));
  return signatures;
}

function allOf(gains: readonly ExitStep[], acting: Acting): HTMLElement {
  const place = element('div', {});
  const button = element('button', { type: 'button' }, `All ${gains.length} that only gain…`);
  button.addEventListener('click', () => {
    place.replaceChildren('Preparing…');
    Promise.all(gains.map((step) => prepare(step, acting, { text: '', percent: '' })))
      .then((prepared) => place.replaceChildren(...askBack(prepared, acting, place)))
      .catch((error: unknown) => place.replaceChildren(problem(error)));
  });
  return element('div', {}, button, place);
}
