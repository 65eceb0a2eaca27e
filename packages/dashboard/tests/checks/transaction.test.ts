import { formatPubkey } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { startOutsideService } from '../../../sdk/tests/support/outsideService.js';
import type { LedgerTransaction } from '../../src/checks/ledgerTransaction.js';
import type { Outcome } from '../../src/checks/outcome.js';
import { changeOf, checkClaim, type Claim } from '../../src/checks/transaction.js';
import { type Node, openNode } from '../../src/data/node.js';
import recorded from './recorded.json' with { type: 'json' };

const { programId, ...transactions } = recorded;
type Name = keyof typeof transactions;
const NAMES = Object.keys(transactions) as Name[];

/** A node that answers what it is told to, as text: it may lie. */
let said: string;
let node: Node;
const honest = (name: Name) => JSON.stringify({ jsonrpc: '2.0', id: 1, result: transactions[name].answer });

beforeEach(async () => {
  const outside = await startOutsideService(() => ({ text: said }));
  node = openNode({ rpcUrl: outside.url, programId });
});

/** As a page checks: what the node says of the transaction, against the claim. */
const check = async (claim: Claim): Promise<Outcome> => checkClaim(await node.transaction(claim.signature), claim);

async function read(name: Name): Promise<LedgerTransaction> {
  said = honest(name);
  const transaction = await node.transaction(transactions[name].signature);
  if (transaction === undefined) throw new Error('it is recorded');
  return transaction;
}

/** All that can be claimed of a transaction, and is true. */
function truth(transaction: LedgerTransaction): Claim & Required<Pick<Claim, 'accounts' | 'moved' | 'data'>> {
  const relay = transaction.instructions.find((one) => one.relay !== undefined)?.relay;
  if (relay === undefined) throw new Error('it holds an instruction of the program');
  const accounts = Object.entries(relay.accounts).map(([role, account]) => [role, String(account?.address)]);
  const moved = transaction.balances.map(({ account }) => ({ account, amount: changeOf(transaction, account) }));
  return {
    signature: transaction.signature,
    instruction: relay.name,
    accounts: Object.fromEntries(accounts) as Record<string, string>,
    data: Object.fromEntries(
      Object.entries(relay.data).filter(([, value]) => typeof value === 'number' || typeof value === 'bigint'),
    ),
    signer: transaction.signers[0] ?? '',
    moved,
  };
}

/** What a check of an answer that somebody changed came to: no such answer may hold. */
async function outcomeOf(claim: Claim): Promise<Outcome | Error> {
  return check(claim).catch((error: unknown) => error as Error);
}

const isFound = (outcome: Outcome | Error) => outcome instanceof Error || !outcome.holds;
const otherKey = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => formatPubkey(bytes));
const aName = fc.constantFrom(...NAMES);

describe('a transaction of the ledger, against what is claimed of it (D-10)', () => {
  test.each(NAMES)('%s holds when all that is claimed is true', async (name) => {
    const transaction = await read(name);
    expect(await check(truth(transaction))).toEqual({ holds: true, seen: `slot ${transaction.slot}` });
  });

  test('what moved is told without the fee', async () => {
    const { instructions, ...transaction } = await read('confirm');
    const relay = instructions.find((one) => one.relay !== undefined)?.relay;
    if (relay?.name !== 'confirmLeg') throw new Error('a courier is paid');
    const paid = changeOf({ instructions, ...transaction }, relay.accounts.courier.address);
    expect(paid).toBeGreaterThan(0n);
    expect(changeOf({ instructions, ...transaction }, relay.accounts.vault.address)).toBe(-paid);
    const [payer = ''] = transaction.signers;
    expect(changeOf({ instructions, ...transaction }, payer)).toBe(0n);
  });

  test('another amount, to the lamport, is found', async () => {
    await fc.assert(
      fc.asyncProperty(aName, fc.nat(), fc.bigInt({ min: -5n, max: 5n }), async (name, at, by) => {
        const claim = truth(await read(name));
        const moved = claim.moved.map((one, index) =>
          index === at % claim.moved.length ? { ...one, amount: one.amount + by } : one,
        );
        expect(isFound(await outcomeOf({ ...claim, moved }))).toBe(by !== 0n);
      }),
      { numRuns: 40 },
    );
  });

  test('another account in any role, another signer and another argument are found', async () => {
    await fc.assert(
      fc.asyncProperty(aName, fc.nat(), otherKey, async (name, at, key) => {
        const claim = truth(await read(name));
        const [role = ''] = Object.keys(claim.accounts).slice(at % Object.keys(claim.accounts).length);
        expect(await outcomeOf({ ...claim, accounts: { ...claim.accounts, [role]: key } })).toMatchObject({
          holds: false,
          difference: expect.stringContaining(key) as string,
        });
        expect(isFound(await outcomeOf({ ...claim, signer: key }))).toBe(true);
        for (const [argument, value] of Object.entries(claim.data)) {
          const data = { ...claim.data, [argument]: BigInt(value) + 1n };
          expect(isFound(await outcomeOf({ ...claim, data }))).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('another instruction, a role that it has not, and another signature are found', async () => {
    const claim = truth(await read('confirm'));
    const others: Partial<Claim>[] = [
      { instruction: 'settle' },
      { instruction: ['settle', 'reclaimPackage'] },
      { accounts: { toString: claim.signature } },
      { signature: transactions.list.signature },
    ];
    for (const other of others) expect(isFound(await outcomeOf({ ...claim, ...other }))).toBe(true);
    expect(await check({ ...claim, instruction: ['settle', 'confirmLeg'] })).toMatchObject({ holds: true });
  });

  test('a transaction that failed, or is not there, did nothing of what is claimed', async () => {
    const claim = truth(await read('confirm'));
    said = said.replace('"err":null', '"err":{"InstructionError":[2,{"Custom":6021}]}');
    expect(await check(claim)).toEqual({ holds: false, difference: 'The transaction failed on the ledger.' });
    said = JSON.stringify({ jsonrpc: '2.0', id: 1, result: null });
    expect(await check(claim)).toEqual({ holds: false, difference: 'The ledger shows no such transaction.' });
  });
});

describe('a node that lies (D-10)', () => {
  test('changes no bit of what was signed', async () => {
    await fc.assert(
      fc.asyncProperty(aName, fc.nat(), fc.integer({ min: 0, max: 7 }), async (name, at, bit) => {
        const claim = truth(await read(name));
        const bytes = Buffer.from(transactions[name].answer.transaction[0] ?? '', 'base64');
        const where = at % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(where) ^ (1 << bit), where);
        said = said.replace(transactions[name].answer.transaction[0] ?? '', bytes.toString('base64'));
        expect(isFound(await outcomeOf(claim))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('shows no balance that would need lamports from nowhere', async () => {
    const claim = truth(await read('confirm'));
    const [first = 0] = transactions.confirm.answer.meta.postBalances;
    said = said.replace(`"postBalances":[${first}`, `"postBalances":[${first + 1}`);
    expect(await outcomeOf(claim)).toMatchObject({ message: 'The balances that the node shows do not add up.' });
  });

  test.each([
    ['a slot below zero', '"slot":', '"slot":-'],
    ['a fee above what exists', '"fee":', '"fee":99999999999999999999'],
    ['a time that no calendar has', '"blockTime":', '"blockTime":99999999999'],
    ['text for a number', '"fee":', '"fee":"<img src=x>","was":'],
    ['no outcome', '"meta":', '"meta":null,"was":'],
  ])('with %s is not understood, in words', async (_, what, instead) => {
    const claim = truth(await read('confirm'));
    said = said.replace(what, instead);
    expect(await outcomeOf(claim)).toMatchObject({
      message: expect.stringMatching(/^The node shows it in an unknown form/),
    });
  });

  test('reaches nobody with the words of its refusal but as text, and silence is said to be silence', async () => {
    const claim = truth(await read('confirm'));
    said = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: '<b>no</b>' } });
    expect(await outcomeOf(claim)).toMatchObject({ message: expect.stringContaining('refused') as string });
    said = '<html>gone</html>';
    expect(await outcomeOf(claim)).toMatchObject({ message: expect.stringMatching(/^Your browser cannot reach 127/) });
  });

  test('is not asked about what is no signature or no address', async () => {
    await expect(node.transaction('nonsense')).rejects.toThrow('This is not a signature');
    await expect(node.account('nonsense')).rejects.toThrow('This is not an address');
  });
});
