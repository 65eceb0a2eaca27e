import { runHere } from '../../../cli/tests/support/line.js';
import type { TestService } from '../support/service.js';

/** The address of the console that `legwork ops open` prints to the authority of the program. */
export async function consoleAddress({ server, ledger }: TestService): Promise<string> {
  const settings = { LEGWORK_URL: server.url, LEGWORK_KEY: ledger.keypairs.authority.path };
  const { stdout } = await runHere(['ops', 'open', '--json'], settings);
  return (JSON.parse(stdout) as { url: string }).url;
}
