import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const CLI = fileURLToPath(new URL('../../../packages/cli/bin/legwork.mjs', import.meta.url));

/**
 * A Solana cluster that does not know the program; it ends with the test.
 *
 * @returns its JSON-RPC
 */
export async function startCluster(data: string): Promise<string> {
  const args = [CLI, 'ledger', '--data', data, '--port', '0', '--no-program'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const url = /RPC +(http\S+)\n/.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    });
    void ended.then(() => reject(new Error(`the cluster ended: ${printed}`)));
  });
}
