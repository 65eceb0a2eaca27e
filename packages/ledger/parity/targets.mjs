// The two that are compared. A target has `name`, `rpcUrl`, `wsUrl`; `nextSlot(slot)` makes sure that what follows lands in a
// later slot, `settle(slot)` that the slot is final, `patience` is how many seconds a transaction may take, and `close()` ends
// what was started.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, call, until } from './rpc.mjs';

const SLOTS_TO_FINALITY = 40;

/** The local ledger at these URLs, started with `testing`. */
export const ledgerAt = ({ rpcUrl, wsUrl, close = async () => undefined }) => {
  const target = { name: 'ours', rpcUrl, wsUrl, patience: 5, close };
  const advance = (slots) => ask(target, 'relay_advanceTime', [{ slots }]);
  return { ...target, nextSlot: () => advance(1), settle: () => advance(SLOTS_TO_FINALITY) };
};

/** Starts our ledger, as built, in a folder that is removed afterwards. */
export async function startOurs() {
  const { startLedger } = await import('../dist/index.js');
  const dataDir = mkdtempSync(join(tmpdir(), 'legwork-parity-'));
  const ledger = await startLedger({
    dataDir,
    port: 0,
    testing: true,
    rpcPubsubEnableVoteSubscription: true,
    log: (line) => process.stderr.write(`${line}\n`),
  });
  const close = async () => {
    await ledger.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return ledgerAt({ rpcUrl: ledger.rpcUrl, wsUrl: ledger.wsUrl, close });
}

/** A node that runs: anything that answers as a cluster does. */
export function nodeAt(rpcUrl, wsUrl = webSocketOf(rpcUrl), close = async () => undefined) {
  const target = { name: 'validator', rpcUrl, wsUrl, patience: 300, close };
  const settle = (slot) =>
    until(`slot ${slot} being final`, async () => ((await ask(target, 'getSlot')) > slot ? true : undefined), 600);
  const nextSlot = (slot) =>
    until(
      `the slot after ${slot}`,
      async () => {
        const confirmed = await ask(target, 'getSlot', [{ commitment: 'confirmed' }]);
        return confirmed > slot ? true : undefined;
      },
      300,
    );
  return { ...target, nextSlot, settle };
}

/** Starts the validator of this path with a ledger of its own. */
export async function startValidator(path) {
  const ledger = mkdtempSync(join(tmpdir(), 'legwork-validator-'));
  const base = await freePorts();
  const ports = ['--rpc-port', base, '--faucet-port', base + 2, '--gossip-port', base + 3];
  const range = ['--dynamic-port-range', `${base + 10}-${base + 60}`];
  // A subscription that it has only then; its flag for blocks ends it in 4.2.
  const flags = ['--rpc-pubsub-enable-vote-subscription', '--quiet'];
  const args = ['--ledger', ledger, '--bind-address', '127.0.0.1', ...ports, ...range, ...flags];
  const child = spawn(path, args.map(String), { stdio: 'ignore' });
  const close = async () => {
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(ledger, { recursive: true, force: true });
  };
  const node = nodeAt(`http://127.0.0.1:${base}`, undefined, close);
  try {
    await until('the validator being healthy', async () => {
      const { result } = await call(node, 'getHealth').catch(() => ({}));
      return result === 'ok' ? true : undefined;
    });
    await node.settle(1);
  } catch (error) {
    await close();
    throw error;
  }
  return node;
}

function webSocketOf(rpcUrl) {
  const url = new URL(rpcUrl);
  url.protocol = 'ws:';
  url.port = String(Number(url.port) + 1);
  return url.href;
}

/** The first of a hundred ports that are probably free: two of them are known to be. */
async function freePorts() {
  for (;;) {
    const base = randomInt(200, 600) * 100;
    if ((await isFree(base)) && (await isFree(base + 1))) return base;
  }
}

async function isFree(port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
