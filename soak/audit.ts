import { fetchRelayAccounts, type PackageDetail, type RelayAccount } from '@agent-relay/sdk';
import { PackageStatus } from '@agent-relay/program-client';
import type { Address } from '@solana/kit';
import { Client } from 'pg';
import { type Books, feesSince, readBooks } from '../packages/cli/tests/support/books.js';
import type { LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import type { Carried } from './agents.js';
import { historyOf } from './ledgerHistory.js';

/** What the audit compares. */
export interface Audited {
  readonly rpc: LedgerRpc;
  readonly programId: Address;
  readonly coordinator: Address;
  readonly connectionString: string;
  readonly before: Books;
  readonly carried: readonly Carried[];
}

type Rows = Record<string, unknown>[];
type Query = (text: string) => Promise<Rows>;
type OnChain<Kind extends RelayAccount['kind']> = Extract<RelayAccount, { kind: Kind }>;

const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, amount) => total + amount, 0n);

/** Notes a finding where two things differ. */
class Comparison {
  readonly findings: string[] = [];

  equal(what: string, found: unknown, wanted: unknown): void {
    const [left, right] = [show(found), show(wanted)];
    if (left !== right) this.findings.push(`${what}: ${left} instead of ${right}`);
  }
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'nothing';
}

/** Compares ledger, database and wallets once everything has come to rest. @returns what does not agree */
export async function audit(audited: Audited): Promise<string[]> {
  const database = new Client({ connectionString: audited.connectionString });
  await database.connect();
  try {
    const query: Query = async (text) => (await database.query<Record<string, unknown>>(text)).rows;
    const comparison = new Comparison();
    for (const { item } of audited.carried) await auditHistory(audited, item, comparison);
    await auditMoney(audited, comparison);
    const accounts = await fetchRelayAccounts(audited.rpc, audited.programId);
    await auditPackageRows(accounts, audited.carried, query, comparison);
    await auditOtherRows(accounts, audited.carried, query, comparison);
    return comparison.findings;
  } finally {
    await database.end();
  }
}

/** On the ledger: one listing, one formation, one confirmation a leg, one settlement, nothing else and nothing failed. */
async function auditHistory(
  { rpc, programId }: Audited,
  { id, onChainPackage, listSignature, settleSignature, swarm }: PackageDetail,
  comparison: Comparison,
): Promise<void> {
  const history = await historyOf(rpc, programId, onChainPackage as Address);
  const legs = swarm?.legs ?? [];
  const shown = history.map(({ signature, failed, instructions }) => [
    ...(failed ? ['FAILED'] : []),
    ...instructions.map(({ name }) => name),
    signature,
  ]);
  comparison.equal(`package ${id}: its transactions`, shown, [
    ['listPackage', listSignature],
    ['formSwarm', ...legs.map(() => 'assignLeg'), swarm?.formSignature],
    ...legs.map(({ confirmSignature }) => ['confirmLeg', confirmSignature]),
    ['settle', settleSignature],
  ]);
}

/** Everybody has what the packages say, and no lamport came from nowhere or went anywhere else. */
async function auditMoney(audited: Audited, comparison: Comparison): Promise<void> {
  const { rpc, programId, coordinator, before, carried } = audited;
  const after = await readBooks(rpc, programId, [...before.wallets.keys()]);
  const fees = await feesSince(rpc, before);
  const gain = (wallet: Address) =>
    (after.wallets.get(wallet) ?? 0n) - (before.wallets.get(wallet) ?? 0n) + (fees.get(wallet)?.lamports ?? 0n);
  const earned = new Map<string, bigint>();
  const spent = new Map<string, bigint>();
  const transactions = new Map<string, number>([[coordinator, 2 * carried.length]]);
  const add = (book: Map<string, bigint>, wallet: string, amount: bigint) =>
    book.set(wallet, (book.get(wallet) ?? 0n) + amount);
  const count = (wallet: string) => transactions.set(wallet, (transactions.get(wallet) ?? 0) + 1);
  const rents = new Map(
    (await fetchRelayAccounts(rpc, programId)).map((account) => [account.address as string, account.lamports]),
  );
  for (const { item, shipper } of carried) {
    const legs = item.swarm?.legs ?? [];
    for (const leg of legs) {
      add(earned, leg.agentPubkey, leg.agreedPaymentLamports);
      count(legs[leg.legIndex + 1]?.agentPubkey ?? shipper.address);
    }
    count(shipper.address);
    add(spent, shipper.address, sum(legs.map((leg) => leg.agreedPaymentLamports)));
    add(spent, shipper.address, rents.get(item.onChainPackage) ?? 0n);
  }
  for (const wallet of before.wallets.keys()) {
    comparison.equal(`transactions of ${wallet}`, fees.get(wallet)?.transactions, transactions.get(wallet) ?? 0);
    if (wallet === coordinator) continue;
    comparison.equal(`gain of ${wallet}`, gain(wallet), (earned.get(wallet) ?? 0n) - (spent.get(wallet) ?? 0n));
  }
  const wallets = [...before.wallets.keys()];
  comparison.equal('what wallets gained', sum(wallets.map(gain)), before.inProgram - after.inProgram);
}

async function auditPackageRows(
  accounts: readonly RelayAccount[],
  carried: readonly Carried[],
  query: Query,
  comparison: Comparison,
): Promise<void> {
  const packages = accounts.filter((account): account is OnChain<'package'> => account.kind === 'package');
  const onLedger = packages.map(({ address, data, vaultLamports }) => ({
    package: address,
    status: data.status === PackageStatus.Delivered ? 'delivered' : PackageStatus[data.status],
    budget: String(data.maxBudget),
    paid: String(data.paid),
    formation: data.formation,
    vault: String(vaultLamports),
  }));
  const rows = await query(
    `select p.on_chain_package as package, p.status, p.max_budget_lamports::text as budget,
       (select sum(agreed_payment_lamports) from legs join swarms on swarms.id = swarm_id
         where package_id = p.id and legs.status = 'completed')::text as paid, p.formation, '0' as vault
     from packages p where p.status <> 'draft'`,
  );
  const sorted = (list: Rows) => list.toSorted((a, b) => (String(a['package']) < String(b['package']) ? -1 : 1));
  comparison.equal('package rows', sorted(rows), sorted(onLedger));
  comparison.equal('packages on the ledger', packages.length, carried.length);
  const others = accounts.filter(({ kind }) => kind === 'swarm' || kind === 'leg').map(({ address }) => address);
  comparison.equal('swarm and leg accounts that were left', others, []);
}

async function auditOtherRows(
  accounts: readonly RelayAccount[],
  carried: readonly Carried[],
  query: Query,
  comparison: Comparison,
): Promise<void> {
  const reputations = accounts
    .filter((account): account is OnChain<'reputation'> => account.kind === 'reputation')
    .map(({ data }) => [
      data.agent as string,
      String(data.legsAccepted),
      String(data.legsCompleted),
      data.reliabilityScore,
    ]);
  const mirrored = await query(
    'select agent_pubkey, legs_accepted::text, legs_completed::text, reliability_score from reputations',
  );
  const byAgent = (list: unknown[][]) => list.toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
  comparison.equal('reputation rows', byAgent(mirrored.map((row) => Object.values(row))), byAgent(reputations));
  comparison.equal('swarm rows', await query('select status, count(*)::int from swarms group by 1'), [
    { status: 'settled', count: carried.length },
  ]);
  comparison.equal('intents', await query('select kind, status, count(*)::int from outbox group by 1, 2 order by 1'), [
    { kind: 'form_swarm', status: 'done', count: carried.length },
    { kind: 'settle', status: 'done', count: carried.length },
  ]);
  comparison.equal(
    'failed formations',
    await query('select id, failed_formations from packages where failed_formations > 0'),
    [],
  );
  // A crash of PostgreSQL may leave gaps between numbers; each event has one of its own all the same.
  const [numbers] = await query('select count(*)::int as all, count(distinct seq)::int as numbered from events');
  comparison.equal('numbered events', numbers?.['numbered'], numbers?.['all']);
  for (const { item } of carried) {
    const legs = item.swarm?.legs.map(() => item.id) ?? [];
    const events = await query(
      `select type from events where subject = 'package:${item.id}' and type <> 'BID_STORED' order by seq`,
    );
    comparison.equal(
      `events of package ${item.id}`,
      events.map(({ type }) => type),
      [
        'PACKAGE_LISTED',
        'SWARM_FORMED',
        ...legs.map(() => 'BID_RECEIVED'),
        ...legs.map(() => 'LEG_CONFIRMED'),
        'PACKAGE_DELIVERED',
      ],
    );
  }
}

/** Waits until no intent is open and every event has its number, or for a minute. */
export async function untilQuiet(connectionString: string): Promise<void> {
  const database = new Client({ connectionString });
  await database.connect();
  try {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
      const { rows } = await database.query<{ busy: boolean }>(
        `select exists (select from outbox where status in ('pending', 'sent'))
           or exists (select from events where seq is null) as busy`,
      );
      if (rows[0] && !rows[0].busy) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } finally {
    await database.end();
  }
}
