// The ledger of bench/rebuild.mjs: wallets with money, and many transactions at once.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configAddress } from '@legwork/program-client';
import { createLegworkClient } from '@legwork/sdk';
import * as kit from '@solana/kit';
import { legwork } from '../examples/dist/demo/command.js';
import { startInstance } from '../examples/dist/demo/instance.js';

/** Listings whose transactions are sent together: their blockhash is young enough. */
export const AT_ONCE = 30;
const WALLETS = 20;
const DEADLINE_SEC = 90 * 86_400;

/** Starts a ledger on a data folder that a service has left. @returns the input of every listing, and how to end it */
export async function startMadeLedger(data) {
  const { url, stop: stopInstance } = await startInstance(data, { ledgerPort: 0 });
  const { programId } = await createLegworkClient({ url }).getConfig();
  await stopInstance();
  const ledger = legwork(['ledger', '--data', data, '--port', '0'], {});
  const [ready] = await once(ledger.child, 'message');
  async function stop() {
    // A ledger that was started by a process is stopped by that process's word.
    ledger.child.send({ type: 'close' });
    await ledger.ended;
  }
  return { scene: await prepare(data, ready.ledger.rpcUrl, programId), stop };
}

/** The most transactions in one request, whose size a node limits. */
const CALLS_A_REQUEST = 25;

async function call(rpcUrl, calls) {
  const answers = [];
  for (let from = 0; from < calls.length; from += CALLS_A_REQUEST) {
    answers.push(...(await callAtOnce(rpcUrl, calls.slice(from, from + CALLS_A_REQUEST))));
  }
  return answers;
}

async function callAtOnce(rpcUrl, calls) {
  const body = JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })));
  const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answers = await response.json();
  return answers.map(({ result, error }) => {
    if (error) throw new Error(JSON.stringify(error));
    return result;
  });
}

/** Wallets with money, and what every instruction names. */
async function prepare(data, rpcUrl, programId) {
  const keypair = join(data, 'ledger', 'coordinator-keypair.json');
  const secret = JSON.parse(await readFile(keypair, 'utf8'));
  const coordinator = await kit.createKeyPairSignerFromBytes(Uint8Array.from(secret));
  const wallets = () => Promise.all(Array.from({ length: WALLETS }, () => kit.generateKeyPairSigner()));
  const [shippers, agents] = [await wallets(), await wallets()];
  const funded = [coordinator, ...shippers, ...agents];
  await call(
    rpcUrl,
    funded.map(({ address }) => ['requestAirdrop', [address, 10_000 * 1e9]]),
  );
  const config = await configAddress(programId);
  const deadline = Math.floor(Date.now() / 1000) + DEADLINE_SEC;
  return { rpcUrl, programAddress: programId, keypair, config, coordinator, shippers, agents, deadline };
}

/** Sends the transactions in their order. */
export async function land({ rpcUrl }, transactions) {
  const [{ value: lifetime }] = await call(rpcUrl, [['getLatestBlockhash', [{ commitment: 'confirmed' }]]]);
  const signed = await Promise.all(transactions.map((one) => sign(one, lifetime)));
  const config = { encoding: 'base64', skipPreflight: true };
  await call(
    rpcUrl,
    signed.map((one) => ['sendTransaction', [kit.getBase64EncodedWireTransaction(one), config]]),
  );
}

function sign({ payer, instructions }, lifetime) {
  const message = kit.pipe(
    kit.createTransactionMessage({ version: 0 }),
    (m) => kit.setTransactionMessageFeePayerSigner(payer, m),
    (m) => kit.setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
    (m) => kit.appendTransactionMessageInstructions(instructions, m),
  );
  return kit.signTransactionMessageWithSigners(message);
}
