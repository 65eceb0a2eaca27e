import { runHere } from '../../../cli/tests/support/line.js';
import type { TestService } from '../support/service.js';

/** The address of the console that `legwork ops open` prints to the authority of the program. */
export async function consoleAddress({ server, ledger }: TestService): Promise<string> {
  const settings = { LEGWORK_URL: server.url, LEGWORK_KEY: ledger.keypairs.authority.path };
  const { stdout } = await runHere(['ops', 'open', '--json'], settings);
  return (JSON.parse(stdout) as { url: string }).url;
}

/** As if this key had opened the other one so many minutes ago. */
export async function openedBefore({ db }: TestService, by: string, key: string, minutes: number): Promise<void> {
  const at = new Date(Date.now() - minutes * 60_000);
  const nothing = { signed_text: '', body: null, signature: '' };
  await db
    .insertInto('operator_acts')
    .values({ at, act: 'open', target: `key:${key}`, operator_pubkey: by, ...nothing })
    .execute();
}
