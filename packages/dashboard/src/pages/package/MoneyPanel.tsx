import { toLamports, type PackageDetail } from '@legwork/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { checkSum, type Money, sumOf } from '../../checks/vault.js';
import { useNames } from '../../data/names.js';
import { Amount } from '../../ui/Amount.js';
import { Verdict } from '../../ui/Check.js';
import { CheckOf } from '../../ui/Checks.js';
import { Key } from '../../ui/Key.js';
import { Loaded } from '../../ui/Loaded.js';
import { MoneyBar, type MoneyShare } from '../../ui/MoneyBar.js';
import { Panel } from '../../ui/Panel.js';
import { type Column, Table } from '../../ui/Table.js';
import { transactionCheck } from './checksOf.js';
import styles from './Package.module.css';

type Movement = Money['movements'][number];
type Names = ReadonlyMap<string, string>;

const WORDS: Readonly<Record<string, string>> = { lock: 'Locked', payment: 'Paid', refund: 'Returned' };

/** Where the money of a package is, and how it came there. */
export function MoneyPanel({ parcel, query }: { parcel: PackageDetail; query: UseQueryResult<Money> }) {
  const names = useNames();
  return (
    <Panel title="Money" beside={query.data && <Verdict of={checkSum(query.data)} />}>
      <Loaded query={query} rows={5}>
        {(money) => (
          <>
            <MoneyBar shares={sharesOf(parcel, money, names)} />
            <p className={styles.sum}>
              <span>
                In the vault now <Amount lamports={money.vaultLamports} />
              </span>
              <CheckOf id="vault" label="Check the vault" />
            </p>
            <Table
              caption="Movements"
              columns={columns(money, names)}
              rows={money.movements}
              keyOf={({ signature, what, legIndex }) => `${signature} ${what} ${legIndex}`}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** Whose the budget is: paid, promised to couriers on their way, returned, or in the vault for nobody yet. */
function sharesOf({ swarm, status }: PackageDetail, money: Money, names: Names): MoneyShare[] {
  const paid = money.movements
    .filter(({ what }) => what === 'payment')
    .map(
      ({ signature, to, lamports }): MoneyShare => ({
        key: signature,
        name: <Key value={to} page="agent" name={names.get(to)} />,
        lamports,
        look: 'paid',
      }),
    );
  const isUnderWay = status === 'in_transit' || status === 'swarm_forming';
  const promised = (isUnderWay ? (swarm?.legs ?? []) : [])
    .filter((leg) => leg.status === 'pending')
    .map(
      (leg): MoneyShare => ({
        key: leg.id,
        name: <Key value={leg.agentPubkey} page="agent" name={names.get(leg.agentPubkey)} />,
        lamports: leg.agreedPaymentLamports,
        look: 'promised',
        note: 'on arrival',
      }),
    );
  const held = money.vaultLamports - promised.reduce((sum, { lamports }) => sum + lamports, 0n);
  const { returned } = sumOf(money);
  return [
    ...paid,
    ...promised,
    { key: 'back', name: 'Returned', lamports: toLamports(returned < 0n ? 0n : returned), look: 'back' },
    {
      key: 'held',
      name: isUnderWay ? 'To return' : 'In the vault',
      lamports: toLamports(held < 0n ? 0n : held),
      look: 'held',
    },
  ];
}

function columns({ onChainVault }: Money, names: Names): Column<Movement>[] {
  return [
    {
      name: 'What',
      isFirst: true,
      show: ({ what, legIndex, from, to }) => {
        const isOut = from === onChainVault;
        const who = isOut ? to : from;
        return (
          <span className={styles.movement}>
            {WORDS[what] ?? what} {isOut ? 'to' : 'by'} <Key value={who} page="agent" name={names.get(who)} />
            {legIndex !== null && <span className={styles.dim}>leg {legIndex + 1}</span>}
          </span>
        );
      },
    },
    {
      name: 'Amount',
      isFigure: true,
      show: ({ from, lamports }) => <Amount lamports={lamports} isOut={from === onChainVault} />,
    },
    {
      name: 'Transaction',
      show: ({ signature }) => (
        <span className={styles.proof}>
          <Key value={signature} page="transaction" />
          <CheckOf id={transactionCheck(signature)} />
        </span>
      ),
    },
  ];
}
