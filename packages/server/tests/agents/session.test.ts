import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createKeyFile,
  journalOf,
  LimitError,
  openSession,
  type OverLimit,
  parsePolicy,
  TrustError,
} from '@legwork/agents';
import { openReputation, type LegworkSigner, signListing, TransactionRefusedError } from '@legwork/sdk';
import { getConfirmLegInstruction, getSetPausedInstruction } from '@legwork/program-client';
import { getTransferSolInstruction } from '@solana-program/system';
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createNoopSigner,
  createSignableMessage,
  createTransactionMessage,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { draft } from '../support/market.js';
import { withService } from '../support/service.js';
import { listPackage } from '../support/listed.js';

const service = withService();
const STRANGER = address('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T');
const OTHER_PROGRAM = address('SysvarC1ock11111111111111111111111111111111');
const OLD_BLOCKHASH = 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N' as Blockhash;

/** An agent with 2 SOL and a policy whose limits are these lines. */
async function agent(limits = 'perTransaction: 0.3, perDay: 0.4, inAll: 1', rest = '') {
  const key = join(await mkdtemp(join(tmpdir(), 'legwork-agent-')), 'ada.json');
  const { address: pubkey } = await createKeyFile(key);
  await service.current.rpc.requestAirdrop(pubkey, 2_000_000_000n as never).send();
  const parsed = parsePolicy(
    'p.yaml',
    `key: ${key}\nservice: ${service.current.server.url}\nlimits: { ${limits} }\n${rest}`,
  );
  if (!('policy' in parsed)) throw new Error(parsed.faults.join('\n'));
  const { policy } = parsed;
  const journal = async () =>
    (await readFile(journalOf(key), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { policy, pubkey, journal };
}

async function built(feePayer: Address, instructions: readonly Instruction[], blockhash?: Blockhash) {
  const { value: latest } = await service.current.rpc.getLatestBlockhash().send();
  return pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(feePayer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash({ ...latest, ...(blockhash && { blockhash }) }, paid),
    (timed) => compileTransaction(appendTransactionMessageInstructions(instructions, timed)),
  );
}

const sign = (signer: LegworkSigner, transaction: Awaited<ReturnType<typeof built>>) =>
  signer.signTransactions([transaction as never]);

const confirmAs = (recipient: Address, programAddress: Address) =>
  getConfirmLegInstruction(
    {
      recipient: createNoopSigner(recipient),
      package: STRANGER,
      swarm: STRANGER,
      leg: STRANGER,
      vault: STRANGER,
      courier: STRANGER,
      reputation: STRANGER,
      formation: 1,
    },
    { programAddress },
  );

describe('what is signed', () => {
  test.each<[string, RegExp, (pubkey: Address, program: Address) => Promise<Awaited<ReturnType<typeof built>>>]>([
    [
      'a transfer',
      /holds an instruction of program 1111/,
      (own) =>
        built(own, [getTransferSolInstruction({ source: createNoopSigner(own), destination: STRANGER, amount: 1n })]),
    ],
    ['another program', /expected one instruction/, (own) => built(own, [confirmAs(own, OTHER_PROGRAM)])],
    [
      'a transfer beside it',
      /and nothing else/,
      (own, program) =>
        built(own, [
          confirmAs(own, program),
          getTransferSolInstruction({ source: createNoopSigner(own), destination: STRANGER, amount: 1n }),
        ]),
    ],
    ['nothing', /holds no instruction/, (own) => built(own, [])],
    [
      "an operator's instruction",
      /an agent signs no setPaused/,
      (own, program) =>
        built(own, [
          getSetPausedInstruction(
            { authority: createNoopSigner(own), config: STRANGER, paused: true },
            { programAddress: program },
          ),
        ]),
    ],
    ['a fee that another pays', /would pay or sign/, (own, program) => built(STRANGER, [confirmAs(own, program)])],
    ['a second signer', /would pay or sign/, (own, program) => built(own, [confirmAs(STRANGER, program)])],
    [
      'an old blockhash',
      /does not know the blockhash/,
      (own, program) => built(own, [confirmAs(own, program)], OLD_BLOCKHASH),
    ],
  ])('is not %s: refused, told, and in the journal (A-4)', async (_, message, make) => {
    const { policy, pubkey, journal } = await agent();
    const session = await openSession(policy);
    const signing = sign(session.signer, await make(pubkey, address(session.config.programId)));
    await expect(signing).rejects.toThrow(message);
    await expect(signing).rejects.toThrow(TransactionRefusedError);
    await session.close();
    expect((await journal()).at(-1)).toMatchObject({ kind: 'refused', what: 'a transaction' });
    expect((await journal()).some(({ kind }) => kind === 'signed')).toBe(false);
  });

  test.each([
    ['a text of somebody else', 'I owe you 5 SOL'],
    ['a request to another service', 'svc-auth-v1\nPOST\nexample.org\n/bids\n1-aaaaaaaa\nff'],
    ['a claim of a reward', 'svc-reward-v1\nx'],
  ])('is not %s (A-4)', async (_, text) => {
    const session = await openSession((await agent()).policy);
    const message = createSignableMessage(text);
    await expect(session.signer.signMessages([message])).rejects.toThrow(/signs requests to/);
    await session.close();
  });

  test('is a request to the service and the listing that was asked for, written down before it is sent (A-4)', async () => {
    const { policy, pubkey, journal } = await agent();
    const session = await openSession(policy);
    await session.client.registerAgent({ agentPubkey: pubkey, displayName: 'Ada' });
    const parcel = await listPackage(session.client, session.signer, draft({ maxBudgetSol: 0.1 }));
    await session.close();
    expect((await journal()).at(-1)).toMatchObject({
      kind: 'signed',
      instruction: 'listPackage',
      subject: parcel.onChainPackage,
      signature: parcel.listSignature,
      lamports: String(100_000_000 + 890_880 + 2_164_560 + 5_000),
    });
  });
});

describe('a limit', () => {
  test('of a transaction, a day or in all stands, also for a second process and after a restart (A-6)', async () => {
    const { policy } = await agent('perTransaction: 0.3, perDay: 0.4, inAll: 0.5');
    const [first, second] = [await openSession(policy), await openSession(policy)];
    const list = (session: typeof first, maxBudgetSol: number) =>
      signListing(session.client, session.signer, draft({ maxBudgetSol }));
    await expect(list(first, 0.31)).rejects.toThrow(/limits.perTransaction is 0.3 SOL/);
    await list(first, 0.25);
    await expect(list(second, 0.25)).rejects.toThrow(LimitError);
    // Both want what only one of them can have.
    const both = await Promise.allSettled([list(first, 0.1), list(second, 0.1)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await Promise.all([first.close(), second.close()]);
    const third = await openSession(policy);
    await expect(list(third, 0.1)).rejects.toThrow(/limits.perDay is 0.4 SOL/);
    await third.close();
  });

  test('may be passed when a person allows it, for that one transaction, and what was allowed counts (A-7)', async () => {
    const { policy } = await agent('perTransaction: 0.0001, perDay: 1, inAll: 1');
    const asked: OverLimit[] = [];
    let answer = false;
    const session = await openSession(policy, {
      approve: async (request) => {
        asked.push(request);
        return answer;
      },
    });
    const open = () => openReputation(session.client, session.rpc, session.signer);
    await expect(open()).rejects.toThrow(LimitError);
    answer = true;
    await open();
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({ instruction: 'openReputation', lamports: 1_252_800n + 5_000n });
    expect(session.spending.inAll).toBe(1_257_800n);
    await session.close();
  });
});

describe('a service', () => {
  test('that names another program than the policy, or than its RPC node is on, is not worked with (A-5)', async () => {
    const { policy } = await agent();
    await expect(openSession({ ...policy, program: STRANGER })).rejects.toThrow(TrustError);
    await (await openSession({ ...policy, program: service.current.ledger.keypairs.program.signer.address })).close();
  });

  test('that is elsewhere and changes its program is not worked with until the policy names it (A-5)', async () => {
    const { policy, journal } = await agent();
    // By a name of this machine that is no loopback address, a service counts as one elsewhere.
    const elsewhere = { ...policy, service: policy.service.replace('127.0.0.1', '0.0.0.0') };
    const session = await openSession(elsewhere);
    const { journal: file } = session;
    await file.append({ kind: 'trusted', service: elsewhere.service, genesisHash: 'another', program: STRANGER });
    await session.close();
    await expect(openSession(elsewhere)).rejects.toThrow(/was on program .* is now on program .* write "program: /);
    const program = service.current.ledger.keypairs.program.signer.address;
    await (await openSession({ ...elsewhere, program })).close();
    await (await openSession(elsewhere)).close();
    expect((await journal()).filter(({ kind }) => kind === 'trusted')).toHaveLength(3);
  });
});
