import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { relayGenesis, type RelayLedger } from '@legwork/deploy';
import { startLedger } from '@legwork/ledger';
import {
  configAddress,
  getAssignTaskLegInstruction,
  getListTaskInstruction,
  reputationAddress,
  taskAddress,
  taskLegAddress,
  vaultAddress,
} from '@legwork/program-client';
import { createUuid, credentialClaims, signingInputOf, uuidToBytes } from '@legwork/protocol/contract';
import {
  type Address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signBytes,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAgainstLedger, sendTransaction, verifyReputationCredential } from '../src/index.js';

const PROGRAM_FILE = new URL('../../../program/dist/relay.so', import.meta.url).pathname;

let dataDir: string;
let ledger: RelayLedger;
let program: Address;
let coordinator: KeyPairSigner;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'relay-sdk-'));
  ledger = await startLedger({ dataDir, port: 0, genesis: relayGenesis(PROGRAM_FILE), finality: 'immediate' });
  program = ledger.keypairs.program.signer.address;
  coordinator = ledger.keypairs.coordinator.signer;
});

afterAll(async () => {
  await ledger.close();
  await rm(dataDir, { recursive: true, force: true });
});

const rpcOf = () => createSolanaRpc(ledger.rpcUrl);

async function run(instruction: Instruction): Promise<void> {
  const rpc = rpcOf();
  const { value: lifetime } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(coordinator, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) => appendTransactionMessageInstructions([instruction], timed),
  );
  const signed = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
  await sendTransaction(rpc, signed, Number(lifetime.lastValidBlockHeight));
}

/** The agent accepts the first leg of a digital task. */
async function acceptLeg(agent: Address): Promise<void> {
  const poster = (await generateKeyPairSigner()).address;
  const taskId = uuidToBytes(createUuid());
  const [config, task] = await Promise.all([configAddress(program), taskAddress(program, poster, taskId)]);
  const [vault, taskLeg, reputation] = await Promise.all([
    vaultAddress(program, task),
    taskLegAddress(program, task, 0),
    reputationAddress(program, agent),
  ]);
  const deadline = BigInt(Math.floor(Date.now() / 1000) + 86_400);
  const terms = { numLegs: 1, maxBudget: 10_000_000n, deadline, termsHash: new Uint8Array(32).fill(1) };
  const options = { programAddress: program };
  await run(getListTaskInstruction({ funder: coordinator, poster, config, task, vault, taskId, ...terms }, options));
  await run(getAssignTaskLegInstruction({ coordinator, config, task, taskLeg, agent, reputation, index: 0 }, options));
}

async function payloadFor(agent: Address, figures: { legsAccepted: number; legsCompleted?: number; score?: number }) {
  const { legsAccepted, legsCompleted = 0, score = 0 } = figures;
  return credentialClaims({
    issuerPubkey: coordinator.address,
    agentPubkey: agent,
    reputation: {
      legsAccepted,
      legsCompleted,
      reliabilityScore: score,
      onChainPDA: await reputationAddress(program, agent),
      mirroredAt: new Date(),
    },
    id: createUuid(),
    issuedAtMs: Date.now(),
  });
}

describe('a credential and the ledger', () => {
  it('(M-63) agree while the account holds its figures, and after it has grown', async () => {
    const { address: agent } = await generateKeyPairSigner();
    await acceptLeg(agent);
    const { payload } = await payloadFor(agent, { legsAccepted: 1 });
    expect(await checkAgainstLedger(rpcOf(), program, payload)).toEqual({
      status: 'equal',
      ledger: { legsAccepted: 1, legsCompleted: 0, reliabilityScore: 0 },
    });
    await acceptLeg(agent);
    expect(await checkAgainstLedger(rpcOf(), program, payload)).toEqual({
      status: 'moved_on',
      ledger: { legsAccepted: 2, legsCompleted: 0, reliabilityScore: 0 },
    });
  });

  it.each([
    ['more accepted legs', { legsAccepted: 3 }],
    ['more completed legs', { legsAccepted: 1, legsCompleted: 1, score: 100 }],
    ['a score that its counts do not make', { legsAccepted: 1, score: 50 }],
    ['more completed than accepted legs', { legsAccepted: 0, legsCompleted: 1, score: 100 }],
  ])('(M-63) contradict each other on %s', async (_what, figures) => {
    const { address: agent } = await generateKeyPairSigner();
    await acceptLeg(agent);
    const { payload } = await payloadFor(agent, figures);
    expect(await checkAgainstLedger(rpcOf(), program, payload)).toMatchObject({ status: 'contradicted' });
  });

  it('(M-63) do not meet where the account is not that of the subject', async () => {
    const [{ address: agent }, { address: other }] = await Promise.all([
      generateKeyPairSigner(),
      generateKeyPairSigner(),
    ]);
    await acceptLeg(agent);
    const { payload } = await payloadFor(agent, { legsAccepted: 1 });
    const borrowed = { ...payload, sub: (await payloadFor(other, { legsAccepted: 1 })).payload.sub };
    expect(await checkAgainstLedger(rpcOf(), program, borrowed)).toEqual({ status: 'wrong_account' });
    expect(await checkAgainstLedger(rpcOf(), coordinator.address, payload)).toEqual({ status: 'wrong_account' });
    expect(await checkAgainstLedger(rpcOf(), program, { ...payload, sub: 'ada' })).toEqual({ status: 'wrong_account' });
  });

  it('(M-63) do not meet where nothing is, or only lamports that somebody sent there', async () => {
    const { address: agent } = await generateKeyPairSigner();
    const { payload } = await payloadFor(agent, { legsAccepted: 0 });
    expect(await checkAgainstLedger(rpcOf(), program, payload)).toEqual({ status: 'no_account' });
    const rpc = createSolanaRpc(ledger.rpcUrl as `http://${string}` & { '~cluster': 'devnet' });
    await rpc.requestAirdrop(await reputationAddress(program, agent), lamports(1_000_000_000n)).send();
    expect(await checkAgainstLedger(rpc, program, payload)).toEqual({ status: 'no_account' });
  });
});

describe('verifying without anybody', () => {
  async function signed(): Promise<string> {
    const { address: agent } = await generateKeyPairSigner();
    const { header, payload } = await payloadFor(agent, { legsAccepted: 1 });
    const input = signingInputOf(header, payload);
    const signature = await signBytes(coordinator.keyPair.privateKey, Buffer.from(input));
    return `${input}.${Buffer.from(signature).toString('base64url')}`;
  }

  it('(M-64) takes the word of the given issuers only', async () => {
    const jwt = await signed();
    const issuerPubkeys = [coordinator.address];
    expect(verifyReputationCredential(jwt, { issuerPubkeys })).toMatchObject({
      valid: true,
      payload: { iss: `did:svc:${coordinator.address}` },
    });
    expect(verifyReputationCredential(jwt, { issuerPubkeys: [] })).toEqual({ valid: false, reason: 'unknown_issuer' });
    expect(verifyReputationCredential('x', { issuerPubkeys })).toEqual({ valid: false, reason: 'malformed' });
  });

  it('(M-64) goes by the given clock and age', async () => {
    const jwt = await signed();
    const issuerPubkeys = [coordinator.address];
    const late = { issuerPubkeys, nowMs: Date.now() + 7_200_000 };
    expect(verifyReputationCredential(jwt, late).valid).toBe(true);
    expect(verifyReputationCredential(jwt, { ...late, maxAgeSec: 3600 })).toEqual({ valid: false, reason: 'too_old' });
    expect(verifyReputationCredential(jwt, { issuerPubkeys, nowMs: Date.now() + 86_400_000 })).toEqual({
      valid: false,
      reason: 'expired',
    });
  });
});
