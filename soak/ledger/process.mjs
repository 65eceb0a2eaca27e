// A ledger in a process of its own, to be killed, and its JSON-RPC.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../packages/ledger/tests/support/child.mjs', import.meta.url));

/** Starts a ledger without waiting for it. @param limit a shell command before it, such as `ulimit -f 4000` */
export function spawnLedger(dataDir, limit = ':') {
  const command = `${limit}; exec "$0" "$1" "$2"`;
  const args = ['-c', command, process.execPath, SCRIPT, JSON.stringify({ dataDir })];
  const child = spawn('bash', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { errors: '' };
  child.stderr.on('data', (text) => {
    said.errors += text;
  });
  const gone = once(child, 'exit');
  const stop = async (signal = 'SIGKILL') => {
    child.kill(signal);
    await gone;
  };
  /** Its URL; undefined when it ended before it served. */
  const served = Promise.race([
    once(child.stdout, 'data').then(([line]) => JSON.parse(line).rpcUrl),
    gone.then(() => undefined),
  ]);
  return { stop, served, said };
}

/** Starts a ledger that has to serve. */
export async function startLedger(dataDir, limit) {
  const ledger = spawnLedger(dataDir, limit);
  const rpcUrl = await ledger.served;
  if (rpcUrl === undefined) throw new Error(`the ledger did not start: ${ledger.said.errors}`);
  return { ...ledger, ...rpcOf(rpcUrl) };
}

function rpcOf(rpcUrl) {
  const post = async (body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.json();
  };
  const call = async (method, params) => {
    const { result, error } = await post({ jsonrpc: '2.0', id: 1, method, params });
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  return { post, call };
}
