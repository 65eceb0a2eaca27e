import {
  getAssignLegInstruction,
  getFormSwarmInstruction,
  legAddress,
  reputationAddress,
  swarmAddress,
} from '@legwork/program-client';
import { createLedgerRpc } from '@legwork/program-client/history';
import {
  parseSetComputeUnitLimitInstruction,
  parseSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import {
  address,
  type Address,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
  isWritableRole,
  lamports,
  signature as toSignature,
} from '@solana/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FEE_LAMPORTS } from '../../src/coordinator/funds.js';
import type { SignedIntent } from '../../src/db/outbox.js';
import type { Ledger } from '../../src/ledger/ledger.js';
import { keepPrices } from '../../src/ledger/kept.js';
import { broadcast } from '../../src/outbox/broadcast.js';
import { signIntent } from '../../src/outbox/signIntent.js';
import { LyingNode } from '../support/lyingNode.js';
import { draft } from '../support/market.js';
import { newWallet } from '../support/packageRows.js';
import { withService } from '../support/service.js';
import { transfer } from '../support/transactions.js';
import { listPackage } from '../support/listed.js';

const service = withService();
const LEGS = 7;
const FEES = ['getRecentPrioritizationFees'];
/** The least that an account without data may hold. */
const GIFT = lamports(890_880n);

let ledger: Ledger;
let node: LyingNode;
/** The same ledger behind a node that can be told what to say; nothing is kept of what it said before. */
const behind = (): Ledger => {
  const rpc = createLedgerRpc(node.url);
  return { ...ledger, rpc, prices: keepPrices(rpc, ledger.coordinator.address) };
};

beforeAll(async () => {
  const context = await service.current.context();
  await context.db.destroy();
  ({ ledger } = context);
  node = await LyingNode.start(service.current.ledger.rpcUrl);
});
afterAll(() => node.close());

async function signed(by: Ledger, instructions: readonly Instruction[], attempts = 0): Promise<SignedIntent> {
  const signing = await signIntent(by, instructions, { attempts });
  if (!('signed' in signing)) throw new Error(signing.refused.reason);
  return signing.signed;
}

/** Compute units and their price, in micro-lamports. */
function budgetOf({ transaction }: SignedIntent): { units: number; price: bigint } {
  const { messageBytes } = getTransactionDecoder().decode(transaction);
  const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
  const [limit, price] = message.instructions as Parameters<typeof parseSetComputeUnitPriceInstruction>[0][];
  if (!limit || !price) throw new Error('the budget comes first');
  return {
    units: parseSetComputeUnitLimitInstruction(limit).data.units,
    price: parseSetComputeUnitPriceInstruction(price).data.microLamports,
  };
}

/** The largest formation there is, and the accounts that it creates. */
async function formation(): Promise<{ instructions: Instruction[]; created: Address[] }> {
  const { programAddress, coordinator, configAddress: config } = ledger;
  const shipper = await service.current.party();
  const parcel = await listPackage(shipper.client, shipper.signer, draft());
  const at = { programAddress };
  const swarm = await swarmAddress(programAddress, address(parcel.onChainPackage));
  const shared = { coordinator, config, package: address(parcel.onChainPackage), swarm };
  const created = [swarm];
  const instructions: Instruction[] = [
    getFormSwarmInstruction({ ...shared, totalLegs: LEGS, totalLamports: BigInt(LEGS) }, at),
  ];
  for (let index = 0; index < LEGS; index += 1) {
    const courier = address(await newWallet());
    const leg = await legAddress(programAddress, swarm, index);
    const reputation = await reputationAddress(programAddress, courier);
    created.push(leg, reputation);
    instructions.push(getAssignLegInstruction({ ...shared, leg, courier, reputation, index, paymentLamports: 1n }, at));
  }
  return { instructions, created };
}

async function transfers(): Promise<Instruction[]> {
  const { signer } = await service.current.party();
  return [transfer(ledger.coordinator, signer)];
}

/** The ledger's fee for a signed transaction, lamports. */
function feeOf(transaction: SignedIntent): bigint {
  const { units, price } = budgetOf(transaction);
  return 5_000n + (BigInt(units) * price + 999_999n) / 1_000_000n;
}

test('lamports sent to all fifteen addresses between simulation and execution stop no formation (S-102)', async () => {
  const { instructions, created } = await formation();
  expect(created).toHaveLength(1 + 2 * LEGS);
  const bytes = await signed(ledger, instructions);
  for (const one of created) await service.current.rpc.requestAirdrop(one, GIFT).send();
  expect(await broadcast(ledger, bytes, () => undefined)).toMatchObject({ kind: 'landed' });
});

const FIVE_FEES = [9, 1, 30, 20, 10].map((prioritizationFee, slot) => ({ slot, prioritizationFee }));

test("the price is what those paid lately who wrote the coordinator's account, asked for once in a while (S-102)", async () => {
  const { instructions } = await formation();
  const told = await node.begin({ kind: 'says', result: FIVE_FEES }, FEES);
  const by = behind();
  expect(budgetOf(await signed(by, instructions)).price).toBe(10n);
  expect(budgetOf(await signed(by, instructions)).price).toBe(10n);
  expect(told.met.map(({ params }) => params[0])).toEqual([[ledger.coordinator.address]]);
});

test('after a try that came to nothing it is what those paid who wrote the same accounts (S-102)', async () => {
  const { instructions } = await formation();
  await node.mend();
  const fees = FIVE_FEES.map(({ slot, prioritizationFee }) => ({ slot, prioritizationFee: 1_000 * prioritizationFee }));
  const told = await node.begin({ kind: 'says', result: fees }, FEES);
  expect(budgetOf(await signed(behind(), instructions, 1)).price).toBe(10_000n);
  const written = instructions.flatMap(({ accounts = [] }) => accounts.filter(({ role }) => isWritableRole(role)));
  const asked = told.met.flatMap(({ params }) => params[0] as string[]);
  expect(asked.toSorted()).toEqual([...new Set(written.map((account) => account.address as string))].toSorted());
  expect(asked).toContain(ledger.coordinator.address);
  expect(asked).not.toContain(ledger.programAddress);
});

test('each try that came to nothing raises the price, and never above what is set aside (S-102, M-72)', async () => {
  const instructions = await transfers();
  await node.mend();
  const by = behind();
  const prices = [];
  for (let attempts = 0; attempts <= 3; attempts += 1) {
    prices.push(budgetOf(await signed(by, instructions, attempts)).price);
  }
  expect(prices).toEqual([0n, 1_000n, 2_000n, 4_000n]);

  const largest = (await formation()).instructions;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(1e12), { maxLength: 5 }),
      fc.nat(1_000),
      fc.constantFrom(instructions, largest),
      async (fees, attempts, some) => {
        const result = fees.map((prioritizationFee, slot) => ({ slot, prioritizationFee }));
        await node.mend();
        await node.begin({ kind: 'says', result }, FEES);
        expect(feeOf(await signed(behind(), some, attempts))).toBeLessThanOrEqual(FEE_LAMPORTS);
      },
    ),
    { numRuns: 30 },
  );
});

test('the ledger charges at most what is set aside, at the highest price (S-102, M-72)', async () => {
  const bytes = await signed(ledger, (await formation()).instructions, 1_000);
  expect(await broadcast(ledger, bytes, () => undefined)).toMatchObject({ kind: 'landed' });
  const landed = await service.current.rpc
    .getTransaction(toSignature(bytes.signature), { commitment: 'confirmed', encoding: 'json' })
    .send();
  expect(landed?.meta?.fee).toBe(feeOf(bytes));
  expect(landed?.meta?.fee).toBeGreaterThan(FEE_LAMPORTS - 5n);
  expect(landed?.meta?.fee).toBeLessThanOrEqual(FEE_LAMPORTS);
});
