import { address, type Address } from '@solana/kit';
import { ExitError, type Exits, findExits, openExit } from '@legwork/sdk/exit';
import { element, problem, reading } from './dom.js';
import { currentSigner, watchKeys } from './keys.js';
import { showExits } from './show.js';

const valueOf = (id: string) => reading(id, HTMLInputElement).value.trim();

/** Addresses, apart by spaces or commas. @throws {ExitError} */
function addressesIn(text: string, what: string): Address[] {
  return text.split(/[\s,]+/u).flatMap((one) => {
    if (one === '') return [];
    try {
      return [address(one)];
    } catch (cause) {
      throw new ExitError(`${one} is not the address of ${what}`, { cause });
    }
  });
}

async function look(): Promise<Exits> {
  const signer = currentSigner();
  const [program] = addressesIn(valueOf('program'), 'a program');
  if (program === undefined) throw new ExitError('give the address of the program');
  const ledger = await openExit({ rpcUrl: valueOf('rpc'), program });
  return findExits(ledger, signer.address, addressesIn(valueOf('listings'), 'a package or a task'));
}

const status = reading('status', HTMLElement);
const found = reading('found', HTMLElement);

/** Shows what the ledger has now; a press of a button that changed something looks again. */
async function refresh(said = ''): Promise<void> {
  // What was pressed goes, and the focus with it.
  if (said !== '') status.focus();
  status.replaceChildren('Looking…');
  try {
    const exits = await look();
    found.replaceChildren(...showExits(exits, currentSigner(), refresh));
    status.replaceChildren(
      said || `Found: ${exits.listings.length} packages and tasks, ${exits.mandates.length} mandates.`,
    );
  } catch (error) {
    found.replaceChildren();
    status.replaceChildren(...(said === '' ? [] : [element('p', {}, said)]), problem(error));
  }
}

// In another's page a press could be meant for something else that lies below it.
if (window.top === window.self) {
  watchKeys();
  reading('where', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    void refresh();
  });
} else {
  document.body.replaceChildren(element('p', {}, 'Open this page by itself: it does nothing inside another page.'));
}
