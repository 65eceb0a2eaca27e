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
    element('p', {}, `${key} has ${formatSol(lamports)} SOL. The ledger is ${ledger.genesisHash}, at ${time} UTC.`),
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

/** Where a button says what comes of it, aloud as well. */
const placeBelow = () => element('div', { role: 'status', tabIndex: -1 });

interface Asked {
  readonly place: HTMLElement;
  /** What asked. */
  readonly button: HTMLElement;
}

const nameOf = ({ action, legIndex }: ExitStep) => (legIndex === undefined ? action : `${action} leg ${legIndex + 1}`);

/** What it does, what it has to be given, and a button that reads it back before anything is signed. */
function showStep(step: ExitStep, acting: Acting): HTMLElement {
  const place = placeBelow();
  const text = element('textarea', { rows: 3, ariaLabel: `${textOf(step)}, for ${nameOf(step)}` });
  const percent = element('input', { type: 'number', min: '0', max: '100', ariaLabel: 'Percent for the worker' });
  const button = element('button', { type: 'button' }, `${nameOf(step)}…`);
  const again = () => prepare(step, acting, { text: text.value, percent: percent.value });
  button.addEventListener('click', () => {
    place.replaceChildren('Preparing…');
    again()
      .then((prepared) => place.replaceChildren(...askBack([{ prepared, again }], acting, { place, button })))
      .catch((error: unknown) => place.replaceChildren(problem(error)));
  });
  const now = step.from === null;
  const takesText = step.needs.includes('file') || step.action === 'confirm';
  return element(
    'div',
    {},
    element('p', {}, element('strong', {}, `${sayWhen(step)}: ${nameOf(step)}`), `: ${step.does}`),
    ...(now && takesText ? [element('p', { className: 'hint' }, `${textOf(step)}:`), text] : []),
    ...(now && step.needs.includes('percent') ? [percent] : []),
    ...(now ? [button, place] : []),
  );
}

const textOf = ({ action }: ExitStep) =>
  action === 'confirm'
    ? 'For a digital task: the result you have read, so that only this text is paid; may be empty'
    : 'Your evidence; keep this text, only its sha256 goes on the ledger';

interface Given {
  readonly text: string;
  readonly percent: string;
}

async function prepare(step: ExitStep, { exits, signer }: Acting, { text, percent }: Given): Promise<PreparedExit> {
  const isGiven = text.trim() !== '';
  if (step.needs.includes('file') && !isGiven) throw new Error('Give your evidence: its sha256 goes on the ledger.');
  if (step.needs.includes('percent') && !/^\d+$/u.test(percent)) {
    throw new Error('Enter the percentage for the worker, from 0 to 100.');
  }
  const { hex } = resultHash(text);
  return prepareExit(exits.ledger, signer.address, step, {
    mandates: exits.mandates,
    // The sentence before the button says so where nobody has picked the parcel up.
    evenBeforePickup: true,
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
  const words = all.length === 1 ? 'Sign and send' : `Sign and send all ${all.length}`;
  const sign = element('button', { type: 'button' }, words);
  const leave = element('button', { type: 'button' }, 'Do not sign');
  // The focus stays where the keyboard goes on.
  leave.addEventListener('click', () => {
    button.focus();
    place.replaceChildren();
  });
  sign.addEventListener('click', () => {
    place.focus();
    place.replaceChildren('Sending…');
    sendAll(all, acting)
      .then((signatures) => acting.refresh(`Done: ${signatures.join(', ')}`))
      .catch((error: unknown) => place.replaceChildren(problem(error)));
  });
  const isOnlyGain = all.every(({ prepared }) => prepared.step.onlyGains);
  return [
    element(
      'div',
      { className: isOnlyGain ? '' : 'warning' },
      ...all.map(({ prepared: { step, says } }) =>
        element('p', {}, `${nameOf(step)}: ${step.does}. You sign: ${says.join('; ')}.`),
      ),
      element('p', {}, `Fees and rents: ${formatSol(cost)} SOL.`),
    ),
    sign,
    leave,
  ];
}

const shownOf = ({ says, costLamports }: PreparedExit) => [...says, costLamports].join('\n');

/** @throws Error when what is to be signed is not what was shown any more */
async function sendAll(all: readonly Ready[], { exits, signer }: Acting): Promise<string[]> {
  const signatures: string[] = [];
  for (const { prepared, again } of all) {
    try {
      const fresh = await again();
      if (shownOf(fresh) !== shownOf(prepared)) {
        throw new Error('The ledger has moved on, and this step was not signed. Search again.');
      }
      signatures.push(await sendExit(exits.ledger, fresh, [signer]));
    } catch (error) {
      if (signatures.length === 0 || !(error instanceof Error)) throw error;
      // What landed is not told as failed.
      throw new Error(`Done: ${signatures.join(', ')}. The next one failed: ${error.message}`, { cause: error });
    }
  }
  return signatures;
}

function allOf(gains: readonly ExitStep[], acting: Acting): HTMLElement {
  const place = placeBelow();
  const button = element('button', { type: 'button' }, `All ${gains.length} that only pay you…`);
  button.addEventListener('click', () => {
    place.replaceChildren('Preparing…');
    Promise.all(
      gains.map(async (step): Promise<Ready> => {
        const again = () => prepare(step, acting, { text: '', percent: '' });
        return { prepared: await again(), again };
      }),
    )
      .then((all) => place.replaceChildren(...askBack(all, acting, { place, button })))
      .catch((error: unknown) => place.replaceChildren(problem(error)));
  });
  return element('div', {}, button, place);
}
