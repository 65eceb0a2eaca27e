import { SOL } from '@legwork/sdk';
import type { Balance, LedgerTransaction } from '../../checks/ledgerTransaction.js';
import { signedAmount } from '../../checks/transaction.js';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Panel } from '../../ui/Panel.js';
import { type Column, Table } from '../../ui/Table.js';
import styles from './ledger.module.css';
import { rolesByAddress } from '../../checks/instructionWords.js';
import { t } from '../../language.js';

/** Whose balance a transaction changed, and by how much. */
export function Balances({ of: { balances, instructions } }: { of: LedgerTransaction }) {
  const roles = rolesByAddress(instructions);
  const changed = balances.filter(({ before, after }) => before !== after);
  const others = balances.length - changed.length;
  return (
    <Panel title={t('Balance changes')} beside={others > 0 && t('{count} accounts unchanged', { count: others })}>
      <Table
        caption={t('Accounts whose balance changed')}
        columns={columnsOf(roles, balances)}
        rows={changed}
        keyOf={({ account }) => account}
      />
    </Panel>
  );
}

function columnsOf(roles: ReadonlyMap<string, string>, [payer]: readonly Balance[]): Column<Balance>[] {
  const roleOf = ({ account }: Balance) =>
    [account === payer?.account && t('pays the fee'), roles.get(account)].filter(Boolean).join(', ');
  return [
    { name: t('Account'), isFirst: true, show: ({ account }) => <Key value={account} page="account" /> },
    { name: t('Role'), show: roleOf },
    {
      name: t('Before'),
      isFigure: true,
      isWide: true,
      show: ({ before }) => <Amount isExact of={SOL} amount={before} />,
    },
    { name: t('After'), isFigure: true, isWide: true, show: ({ after }) => <Amount isExact of={SOL} amount={after} /> },
    {
      name: t('Change'),
      isFigure: true,
      show: ({ before, after }) => (
        <span className={after > before ? styles.good : undefined}>{signedAmount(after - before, SOL)}</span>
      ),
    },
  ];
}
