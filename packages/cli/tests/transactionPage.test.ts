import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { relayGenesis } from '@legwork/deploy';
import { startLedger } from '@legwork/ledger';
import { readTrace } from '@legwork/program-client/history';
import {
  address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Instruction,
  type KeyPairSigner,
  type Signature,
} from '@solana/kit';
import { findConfigPda, getSetPausedInstruction } from '@legwork/program-client';
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { paintFor, foldLogs } from '../src/ledger/layout.js';
import { readTransaction } from '../src/ledger/transaction.js';
import { transactionPage } from '../src/ledger/transactionPage.js';
import { PROGRAM_FILE } from '../src/paths.js';
import { runHere } from './support/line.js';

const ledger = await startLedger({ genesis: relayGenesis(PROGRAM_FILE) });
afterAll(() => ledger.close());
const rpc = createSolanaRpc(ledger.rpcUrl);
const relay = ledger.keypairs.program.signer.address;
const plain = paintFor({ isTTY: false }, {});
const SOL = 1_000_000_000n;

async function funded(): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner();
  await rpc.requestAirdrop(signer.address, lamports(10n * SOL)).send();
  return signer;
}

async function send(payer: KeyPairSigner, instructions: readonly Instruction[]): Promise<Signature> {
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const transaction = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions(instructions, message),
    ),
  );
  const wire = getBase64EncodedWireTransaction(transaction);
  await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
  return getSignatureFromTransaction(transaction);
}

async function pageOf(signature: Signature, url = ledger.rpcUrl): Promise<string> {
  const trace = await readTrace(url, signature);
  return transactionPage(await readTransaction(url, signature), { signature, relay, trace, paint: plain });
}

/** A node that answers every request with this result. */
async function nodeThatAnswers(result: string): Promise<string> {
  const server = createServer((_, response) => response.end(`{"jsonrpc":"2.0","id":"1","result":${result}}`));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const A_SIGNATURE = '1'.repeat(64) as Signature;

describe('a transaction in the terminal', () => {
  test('[L-79] tells who paid what to whom', async () => {
    const [payer, recipient] = [await funded(), await generateKeyPairSigner()];
    const transfer = getTransferSolInstruction({ source: payer, destination: recipient.address, amount: SOL });
    const page = await pageOf(await send(payer, [transfer]));
    expect(page).toMatch(/^Result +succeeded$/m);
    expect(page).toMatch(/^Fee +0\.000005 SOL$/m);
    expect(page).toMatch(/^Time +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m);
    expect(page).toMatch(new RegExp(`^ +0 +${payer.address} +sign write +-1\\.000005 SOL$`, 'm'));
    expect(page).toMatch(new RegExp(`^ +1 +${recipient.address} +write +\\+1 SOL$`, 'm'));
    expect(page).toMatch(/^ +1 System: transfer$/m);
    expect(page).toMatch(/^ +lamports +1000000000 \(1 SOL\)$/m);
    expect(page).toMatch(/^ +System: success$/m);
  });

  test('[L-79] tells the relay program’s instructions by name, with those that they called', async () => {
    // The genesis makes the assets after it.
    const made = await rpc.getSignaturesForAddress(relay, { commitment: 'confirmed' }).send();
    const pages = await Promise.all(made.map(({ signature }) => pageOf(signature)));
    const page = pages.find((one) => one.includes('Relay: initialize')) ?? '';
    expect(page).toMatch(/^ {2}1 Relay: initialize$/m);
    expect(page).toMatch(new RegExp(`^ {4}coordinator +${ledger.keypairs.coordinator.signer.address}$`, 'm'));
    expect(page).toMatch(/^ {4}1\.1 System: createAccount$/m);
    expect(page).toMatch(/^ {2}Relay\n {4}System: success$/m);
    expect(page).toMatch(/^ {4}success, [\d,]+ units$/m);
  });

  test('[L-79] says in words why one failed, in the program’s own where they are its', async () => {
    const payer = await funded();
    const tooMuch = getTransferSolInstruction({ source: payer, destination: relay, amount: 1_000n * SOL });
    expect(await pageOf(await send(payer, [tooMuch]))).toMatch(/^Result +failed: .*instruction #1/m);
    const [config] = await findConfigPda({ programAddress: relay });
    const pause = getSetPausedInstruction({ config, authority: payer, paused: true }, { programAddress: relay });
    expect(await pageOf(await send(payer, [pause]))).toMatch(/^Result +failed: Unauthorized: .+\(instruction #1\)$/m);
  });

  test('[L-79] tells what each instruction and each program used', async () => {
    const made = await rpc.getSignaturesForAddress(relay, { commitment: 'confirmed' }).send();
    const pages = await Promise.all(made.map(({ signature }) => pageOf(signature)));
    const page = pages.find((one) => one.includes('Relay: initialize')) ?? '';
    const [, total] = /^Units +([\d,]+)$/m.exec(page) ?? [];
    expect(page).toMatch(new RegExp(`^Units\n +1  Relay +${total ?? ''}\n\n`, 'm'));
    const payer = await funded();
    const memo = { programAddress: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'), data: Buffer.from('x') };
    const transfer = getTransferSolInstruction({ source: payer, destination: relay, amount: 1n });
    const both = await pageOf(await send(payer, [memo, transfer]));
    expect(both).toMatch(/^Units\n +1 {2}Memo +[\d,]+\n +what the log does not tell +150$/m);
  });

  test('[L-79] tells how accounts changed, and runs a failed one again on what they were', async () => {
    const [payer, fresh] = [await funded(), await generateKeyPairSigner()];
    const space = { lamports: SOL, space: 40n, programAddress: relay };
    const made = await pageOf(await send(payer, [getCreateAccountInstruction({ payer, newAccount: fresh, ...space })]));
    expect(made).toMatch(
      new RegExp(`^Changes\n {2}${fresh.address}\n {4}owner +none → ${relay}\n {4}space +none → 40$`, 'm'),
    );
    expect(made).not.toContain('Run again');
    const tooMuch = getTransferSolInstruction({ source: payer, destination: relay, amount: 1_000n * SOL });
    const failed = await send(payer, [tooMuch]);
    expect(await pageOf(failed)).toMatch(
      /^Run again\n {2}It fails the same way, with the same log:\n {4}1 System: failed: custom program error: 0x1$/m,
    );
    const shown = await readTransaction(ledger.rpcUrl, failed);
    const pageWith = (trace: Parameters<typeof transactionPage>[1]['trace']) =>
      transactionPage(shown, { signature: failed, relay, paint: plain, trace });
    expect(pageWith({ changes: undefined, replay: undefined })).toMatch(/^Run again\n {2}What .+ no longer known/m);
    expect(pageWith(undefined)).toMatch(/^Run again\n {2}This node does not run it again\.$/m);
    const other = { error: null, logs: [] };
    expect(pageWith({ changes: [], replay: other })).toMatch(/^Run again\n {2}It ends otherwise now:$/m);
  });

  test('[L-79] stays within 80 columns, apart from the signature', async () => {
    const payer = await funded();
    const memo = {
      programAddress: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
      accounts: [],
      data: Buffer.from('words '.repeat(60)),
    };
    const [, ...lines] = (await pageOf(await send(payer, [memo]))).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.join(' ').split('words').length - 1).toBeGreaterThanOrEqual(60);
  });

  test('[L-79] has colour in a terminal only', () => {
    expect(paintFor({ isTTY: true }, { TERM: 'xterm' })('red', 'x')).toBe('\u001b[31mx\u001b[0m');
    expect(paintFor({ isTTY: true }, { NO_COLOR: '1' })('red', 'x')).toBe('x');
    expect(paintFor({ isTTY: false }, {})('red', 'x')).toBe('x');
  });

  test('[L-79] what programs write cannot reach the terminal’s controls', async () => {
    const account = { pubkey: 'evil\\u001b[2J', signer: true, writable: true };
    const url = await nodeThatAnswers(`{ "slot": 5, "blockTime": null, "meta": { "err": null, "fee": 5000,
      "preBalances": [1], "postBalances": [18446744073709551615], "logMessages": ["Program log: \\u001b[31mred\\u0007\\u202e"] },
      "transaction": { "message": { "accountKeys": [${JSON.stringify(account).replaceAll('\\\\', '\\')}], "instructions": [] } } }`);
    const page = await pageOf(A_SIGNATURE, url);
    expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(page).toContain('·[31mred··');
    expect(page).toContain('+18446744073.709551614 SOL');
  });

  test.each([
    ['none', 'null', /has no such transaction/],
    ['another form', '{"slot":"x"}', /unknown form: slot/],
    [
      'no outcome',
      '{"slot":5,"blockTime":1,"meta":null,"transaction":{"message":{"accountKeys":[],"instructions":[]}}}',
      /meta/,
    ],
  ])('[L-79] refuses a node that shows %s', async (_, result, message) => {
    await expect(readTransaction(await nodeThatAnswers(result), A_SIGNATURE)).rejects.toThrow(message);
  });
});

test('[L-79] the command prints it, without colour in a pipe, and says what it does not find', async () => {
  const signature = await rpc.requestAirdrop(relay, lamports(SOL)).send();
  const tx = (...args: string[]) => runHere(['ledger', 'tx', ...args, '--url', ledger.rpcUrl, '--program', relay]);
  expect(await tx(signature)).toMatchObject({ code: 0, stdout: await pageOf(signature), stderr: '' });
  expect(await tx(A_SIGNATURE)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('no such transaction'),
  });
  expect(await tx('nonsense')).toMatchObject({ code: 2, stderr: expect.stringContaining('base58') });
});

describe('the log of a transaction', () => {
  const ONE = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  const OTHER = '11111111111111111111111111111111';
  const fold = (logs: string[]) =>
    foldLogs(logs, (program) => (program === ONE ? 'One' : 'Other')).map(
      ({ depth, text }) => `${' '.repeat(depth)}${text}`,
    );

  test('[L-79] is folded by calls', () => {
    expect(
      fold([
        `Program ${ONE} invoke [1]`,
        'Program log: hello',
        `Program ${OTHER} invoke [2]`,
        `Program ${OTHER} success`,
        `Program ${OTHER} invoke [2]`,
        'Program log: bye',
        `Program ${OTHER} consumed 1200 of 200000 compute units`,
        `Program ${OTHER} failed: custom program error: 0x1`,
        `Program ${ONE} failed: custom program error: 0x1`,
      ]),
    ).toEqual([
      'One',
      ' hello',
      ' Other: success',
      ' Other',
      '  bye',
      '  failed: custom program error: 0x1, 1,200 units',
      ' failed: custom program error: 0x1',
    ]);
  });

  test('[L-79] of another shape is shown as it is', () => {
    expect(fold(['Log truncated', `Program ${ONE} success`, ''])).toEqual(['Log truncated', 'success', '']);
  });
});
