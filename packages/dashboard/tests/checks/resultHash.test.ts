import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { relayGenesis, type RelayLedger } from '@legwork/deploy';
import { startLedger } from '@legwork/ledger';
import {
  configAddress,
  getAssignTaskLegInstruction,
  getConfirmTaskLegInstruction,
  getListTaskInstruction,
  getSettleTaskInstruction,
  getTaskLegDecoder,
  LegStatus,
  reputationAddress,
  taskAddress,
  taskLegAddress,
  vaultAddress,
} from '@legwork/program-client';
import { createUuid, uuidToBytes } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import { type Artifact, sendTransaction } from '@legwork/sdk';
import {
  type Address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import vectors from '../../../protocol/vectors/result-hash.json' with { type: 'json' };
import {
  checkResult,
  compareResult,
  type LedgerLeg,
  type ReadableLedger,
  type ShownResult,
} from '../../src/checks/resultHash.js';
import { openNode } from '../../src/data/node.js';

const PROGRAM_FILE = new URL('../../../../program/dist/relay.so', import.meta.url).pathname;
const TEXT = 'Topics: delivery (12), price (7), support (3).\nمرحبا';

let dataDir: string;
let ledger: RelayLedger;
let program: Address;
let coordinator: KeyPairSigner;
let read: ReadableLedger;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'relay-dashboard-'));
  ledger = await startLedger({ dataDir, port: 0, genesis: relayGenesis(PROGRAM_FILE), finality: 'immediate' });
  program = ledger.keypairs.program.signer.address;
  coordinator = ledger.keypairs.coordinator.signer;
  const node = openNode({ rpcUrl: ledger.rpcUrl, programId: program });
  read = {
    programId: program,
    readAccount: (at) => node.account(at),
    readTransaction: (signature) => node.transaction(signature),
  };
});

afterAll(async () => {
  await ledger.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** @returns the signature of the transaction, which has landed */
async function run(instruction: Instruction): Promise<string> {
  const rpc = createSolanaRpc(ledger.rpcUrl);
  const { value: lifetime } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(coordinator, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) => appendTransactionMessageInstructions([instruction], timed),
  );
  const signed = await signTransactionMessageWithSigners(message);
  await sendTransaction(rpc, getBase64EncodedWireTransaction(signed), Number(lifetime.lastValidBlockHeight));
  return getSignatureFromTransaction(signed);
}

/** A task of one leg, which an agent has done; `settle` ends it and closes the account of the leg. */
async function completedTask(result: string, artifacts: readonly Artifact[] = []) {
  const [poster, agent] = (await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()])).map(
    ({ address }) => address,
  );
  if (poster === undefined || agent === undefined) throw new Error('both were made');
  const taskId = createUuid();
  const bytes = uuidToBytes(taskId);
  const [config, task] = await Promise.all([configAddress(program), taskAddress(program, poster, bytes)]);
  const [vault, taskLeg, reputation] = await Promise.all([
    vaultAddress(program, task),
    taskLegAddress(program, task, 0),
    reputationAddress(program, agent),
  ]);
  const deadline = BigInt(Math.floor(Date.now() / 1000) + 86_400);
  const terms = { numLegs: 1, maxBudget: 10_000_000n, deadline, termsHash: new Uint8Array(32).fill(1) };
  const to = { programAddress: program };
  const leg = { coordinator, config, task, taskLeg, agent, reputation, index: 0 };
  await run(getListTaskInstruction({ funder: coordinator, poster, config, task, vault, taskId: bytes, ...terms }, to));
  const assignSignature = await run(getAssignTaskLegInstruction(leg, to));
  const confirm = { ...leg, signer: coordinator, vault, resultHash: resultHash(result, artifacts).bytes };
  const confirmSignature = await run(getConfirmTaskLegInstruction(confirm, to));
  const { address: funder } = coordinator;
  const legsWithRentPayers = [taskLeg, funder];
  const ending = { signer: coordinator, config, task, vault, funder, legsWithRentPayers };
  const settle = () => run(getSettleTaskInstruction(ending, to));
  const shown: ShownResult = {
    taskId,
    posterPubkey: poster,
    legIndex: 0,
    text: result,
    artifacts,
    agentPubkey: agent,
    confirmSignature,
  };
  return { shown, task, taskLeg, assignSignature, settle };
}

const inSlot = { holds: true, seen: expect.stringMatching(/^sha256 on the ledger, slot \d+$/) as string };
const differs = (words: string) => ({ holds: false, difference: expect.stringContaining(words) as string });

describe('a result that the page checks', () => {
  test('(D-14) holds by its account, and by its transaction once settlement has closed that', async () => {
    const { shown, settle } = await completedTask(TEXT);
    expect(await checkResult(read, shown)).toEqual(inSlot);
    expect(await checkResult(read, { ...shown, confirmSignature: null })).toEqual(inSlot);
    await settle();
    expect(await checkResult(read, shown)).toEqual(inSlot);
    expect(await checkResult(read, { ...shown, text: `${TEXT} ` })).toEqual(differs('The sha256 of this result is'));
    expect(await checkResult(read, { ...shown, confirmSignature: null })).toEqual(differs('no account'));
  });

  test('(D-14) is not that of another leg, task, agent or transaction', async () => {
    const [one, two] = await Promise.all([completedTask(TEXT), completedTask(TEXT)]);
    expect(await checkResult(read, { ...one.shown, agentPubkey: two.shown.agentPubkey })).toEqual(
      differs(`The ledger names ${one.shown.agentPubkey}`),
    );
    await Promise.all([one.settle(), two.settle()]);
    const lent = { ...one.shown, confirmSignature: two.shown.confirmSignature };
    expect(await checkResult(read, lent)).toEqual(differs('does not confirm this leg'));
    const assigned = { ...one.shown, confirmSignature: one.assignSignature };
    expect(await checkResult(read, assigned)).toEqual(differs('does not confirm this leg'));
    expect(await checkResult(read, { ...one.shown, legIndex: 1 })).toEqual(differs('does not confirm this leg'));
    expect(await checkResult(read, { ...one.shown, taskId: createUuid() })).toEqual(
      differs('does not confirm this leg'),
    );
    const posted = { ...one.shown, posterPubkey: two.shown.posterPubkey };
    expect(await checkResult(read, posted)).toEqual(differs('does not confirm this leg'));
  });

  test('(D-14) is not called checked when the node does not know the transaction', async () => {
    const { shown, settle } = await completedTask(TEXT);
    await settle();
    const forgetful = { ...read, readTransaction: () => Promise.resolve(undefined) };
    await expect(checkResult(forgetful, shown)).rejects.toThrow('the node does not have its transaction');
  });

  test('(D-14) is found out by whatever of it is changed', async () => {
    const { shown, task, taskLeg } = await completedTask(TEXT);
    const account = await read.readAccount(taskLeg);
    if (account === undefined) throw new Error('the leg has an account until it is settled');
    const honest = { account: getTaskLegDecoder().decode(account.data), slot: account.slot };
    expect(compareResult(shown, task, honest)).toEqual(inSlot);
    const { address: other } = await generateKeyPairSigner();
    const text = fc
      .string({ unit: 'binary', maxLength: 40 })
      .map((changed): [ShownResult, LedgerLeg] => [{ ...shown, text: changed }, honest]);
    const hash = fc.tuple(fc.nat(31), fc.integer({ min: 1, max: 255 })).map(([at, by]): [ShownResult, LedgerLeg] => {
      const bytes = Uint8Array.from(honest.account.resultHash, (byte, index) => (index === at ? byte ^ by : byte));
      return [shown, { ...honest, account: { ...honest.account, resultHash: bytes } }];
    });
    const field = fc
      .constantFrom({ agent: other }, { task: other }, { index: 1 }, { status: LegStatus.Pending })
      .map((changed): [ShownResult, LedgerLeg] => [shown, { ...honest, account: { ...honest.account, ...changed } }]);
    fc.assert(
      fc.property(fc.oneof(text, hash, field), ([shownNow, ledgerNow]) => {
        fc.pre(shownNow.text !== TEXT || ledgerNow !== honest);
        expect(compareResult(shownNow, task, ledgerNow).holds).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  test.each<{ name: string; result: string; artifacts?: readonly Artifact[]; sha256Hex: string }>(vectors.cases)(
    '(D-14) is hashed as the vectors say: $name',
    async ({ result, artifacts = [], sha256Hex }) => {
      const { shown, task, taskLeg } = await completedTask(result, artifacts);
      const account = await read.readAccount(taskLeg);
      if (account === undefined) throw new Error('the leg has an account until it is settled');
      const held = { account: getTaskLegDecoder().decode(account.data), slot: account.slot };
      expect(compareResult(shown, task, held)).toEqual(inSlot);
      expect(compareResult({ ...shown, text: `${result}x` }, task, held)).toEqual(
        differs(`the ledger holds ${sha256Hex}`),
      );
    },
  );
});
