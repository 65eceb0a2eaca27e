import './exit.css';
import { address, type Address } from '@solana/kit';
import { ExitError, type Exits, findExits, openExit } from '@legwork/sdk/exit';
import { element, problem, reading } from './dom.js';
import { currentSigner, watchKeys } from './keys.js';
import { showExits } from './show.js';
import { m, type Message, speak, t } from '../language.js';

const valueOf = (id: string) => reading(id, HTMLInputElement).value.trim();

/** Addresses, apart by spaces or commas. @param otherwise said of what is none @throws {ExitError} */
function addressesIn(text: string, otherwise: Message): Address[] {
  return text.split(/[\s,]+/u).flatMap((one) => {
    if (one === '') return [];
    try {
      return [address(one)];
    } catch (cause) {
      throw new ExitError(t(otherwise, { given: one }), { cause });
    }
  });
}

async function look(): Promise<Exits> {
  const signer = currentSigner();
  const [program] = addressesIn(valueOf('program'), m('{given} is not the address of a program'));
  if (program === undefined) throw new ExitError(t('give the address of the program'));
  const ledger = await openExit({ rpcUrl: valueOf('rpc'), program });
  const listings = addressesIn(valueOf('listings'), m('{given} is not the address of a package or a task'));
  return findExits(ledger, signer.address, listings);
}

const status = reading('status', HTMLElement);
const found = reading('found', HTMLElement);

/** Shows what the ledger has now; a press of a button that changed something looks again. */
async function refresh(said = ''): Promise<void> {
  // What was pressed goes, and the focus with it.
  if (said !== '') status.focus();
  status.replaceChildren(t('Looking…'));
  try {
    const exits = await look();
    found.replaceChildren(...showExits(exits, currentSigner(), refresh));
    const [listings, mandates] = [exits.listings.length, exits.mandates.length];
    status.replaceChildren(
      said || t('Found: {listings} packages and tasks, {mandates} mandates.', { listings, mandates }),
    );
  } catch (error) {
    found.replaceChildren();
    status.replaceChildren(...(said === '' ? [] : [element('p', {}, said)]), problem(error));
  }
}

/** Says the shell in the reader's language: it is written in English, for who has no script as well. */
function sayShell(): void {
  const texts = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode as Text;
    const english = node.data.replace(/\s+/gu, ' ').trim();
    const said = t(english);
    if (said !== english) node.data = said;
  }
  found.ariaLabel = t('What the ledger holds for your key');
}

function begin(): void {
  sayShell();
  // In another's page a press could be meant for something else that lies below it.
  if (window.top !== window.self) {
    document.body.replaceChildren(
      element('p', {}, t('Open this page by itself: it does nothing inside another page.')),
    );
    return;
  }
  watchKeys();
  reading('where', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    void refresh();
  });
}

await speak();
begin();
