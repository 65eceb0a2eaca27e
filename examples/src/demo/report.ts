import { imbalance } from './audit.js';
import type { Audit } from './audit.js';

const NAME_WIDTH = 22;
const AMOUNT_WIDTH = 20;

/** The table of every wallet, and the sum that has to come out even. */
export function report(audit: Audit, nameOf: (pubkey: string) => string): string[] {
  const rows = audit.wallets.map(({ pubkey, before, airdrops, after }) =>
    row(nameOf(pubkey), [before, airdrops, after, after - before - airdrops]),
  );
  const total = (pick: (wallet: Audit['wallets'][number]) => bigint) =>
    audit.wallets.reduce((sum, wallet) => sum + pick(wallet), 0n);
  const before = total((wallet) => wallet.before);
  const airdrops = total((wallet) => wallet.airdrops);
  const after = total((wallet) => wallet.after);
  const missing = imbalance(audit);
  const others = audit.exchangedWithOthers;
  const came = before + airdrops + others;
  return [
    heading(['before', 'airdrops', 'after', 'difference']),
    ...rows,
    '-'.repeat(NAME_WIDTH + 4 * AMOUNT_WIDTH),
    row('all wallets', [before, airdrops, after, after - before - airdrops]),
    '',
    `  in program accounts  ${amount(audit.inProgramAccounts)}`,
    `  in vaults            ${amount(audit.inVaults)}`,
    ...(audit.inTokenAccounts === 0n ? [] : [`  in token accounts    ${amount(audit.inTokenAccounts)}`]),
    `  fees                 ${amount(audit.fees)}   (${audit.transactions} transactions)`,
    ...(others === 0n ? [] : [`  from others          ${amount(others)}   (others on this ledger)`]),
    '',
    `  before + airdrops${others === 0n ? '' : ' + from others'}            = ${grouped(came)} lamports`,
    `  after + accounts + vaults + fees = ${grouped(came - missing)} lamports`,
    '  (Read as confirmed. A getBalance without a commitment shows what was final some 13 seconds ago.)',
    missing === 0n ? '  Every lamport is accounted for.' : `  NOT EQUAL: ${grouped(missing)} lamports are missing.`,
  ];
}

function heading(columns: readonly string[]): string {
  return 'lamports'.padEnd(NAME_WIDTH) + columns.map((column) => column.padStart(AMOUNT_WIDTH)).join('');
}

function row(name: string, amounts: readonly bigint[]): string {
  return name.padEnd(NAME_WIDTH) + amounts.map(amount).join('');
}

function amount(lamports: bigint): string {
  return grouped(lamports).padStart(AMOUNT_WIDTH);
}

/** 1234567 as 1,234,567. */
function grouped(lamports: bigint): string {
  return lamports.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}
