import { type Lamports, toLamports } from '@legwork/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { checkSum, type Money, signOf, sumOf } from '../checks/vault.js';
import { useNames } from '../data/names.js';
import { Amount } from './Amount.js';
import { Verdict } from './Check.js';
import { CheckOf } from './Checks.js';
import { Key } from './Key.js';
import { Loaded } from './Loaded.js';
import { MoneyBar, type MoneyShare } from './MoneyBar.js';
import { Panel } from './Panel.js';
import { type Column, Table } from './Table.js';
import { transactionCheck } from '../data/escrowChecks.js';
import styles from './MoneyPanel.module.css';

type Movement = Money['movements'][number];
type Names = ReadonlyMap<string, string>;

/** What a movement is called, and whose name follows. */
const WORDS: Readonly<Record<string, readonly [words: string, who: 'from' | 'to' | 'nobody']>> = {
  lock: ['Locked by', 'from'],
  payment: ['Paid to', 'to'],
  refund: ['Returned to', 'to'],
  stake: ['Stake of', 'from'],
  stake_returned: ['Stake back to', 'to'],
  stake_forfeited: ['Stake lost', 'nobody'],
  arbiter_fee: ['Fee to', 'to'],
  burnt: ['Burnt', 'nobody'],
};

interface Props {
  readonly query: UseQueryResult<Money>;
  /** What is still to be paid, to whom that is known. */
  readonly promised: readonly MoneyShare[];
  /** Something may still be paid: what is promised to nobody returns in the end. */
  readonly isUnderWay: boolean;
  /** What the legs hold as stakes, by their stages; left out: there are none. */
  readonly stakes?: bigint;
}

/** Where the money of a package or a digital task is, and how it came there. */
export function MoneyPanel({ query, promised, isUnderWay, stakes = 0n }: Props) {
  const names = useNames();
  return (
    <Panel title="Money" beside={query.data && <Verdict of={checkSum(query.data, stakes)} />}>
      <Loaded query={query} rows={5}>
        {(money) => (
          <>
            <MoneyBar
              of={money}
              shares={[...paidShares(money, names), ...promised, ...restShares(money, promised, isUnderWay)]}
            />
            <p className={styles.sum}>
              <span>
                In the vault now <Amount isExact of={money} amount={money.vault} />
                {stakes > 0n && (
                  <>
                    , as stakes <Amount of={money} amount={stakes} />
                  </>
                )}
              </span>
              <CheckOf id="vault" label="Check the vault" />
            </p>
            <Table
              caption="Movements"
              columns={columns(money, names)}
              rows={money.movements}
              keyOf={({ signature, what, to, legIndex }) => `${signature} ${what} ${to} ${legIndex}`}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** A leg whose agent is known, and which is not paid yet. */
export function promisedTo(
  { id, agentPubkey, amount, note }: { id: string; agentPubkey: string; amount: Lamports; note: string },
  names: Names,
): MoneyShare {
  const name = <Key value={agentPubkey} page="agent" name={names.get(agentPubkey)} />;
  return { key: id, name, amount, look: 'promised', note };
}

const paidShares = ({ movements }: Money, names: Names): MoneyShare[] =>
  movements
    .filter(({ what }) => what === 'payment')
    .map(({ signature, to, amount, legIndex }) => ({
      key: `${signature} ${legIndex}`,
      name: <Key value={to} page="agent" name={names.get(to)} />,
      amount,
      look: 'paid',
    }));

/** What returned, and what is in the vault for nobody in particular. */
function restShares(money: Money, promised: readonly MoneyShare[], isUnderWay: boolean): MoneyShare[] {
  const held = money.vault - promised.reduce((sum, { amount }) => sum + amount, 0n);
  const { returned } = sumOf(money);
  return [
    { key: 'back', name: 'Returned', amount: toLamports(returned < 0n ? 0n : returned), look: 'back' },
    {
      key: 'held',
      name: isUnderWay ? 'To return' : 'In the vault',
      amount: toLamports(held < 0n ? 0n : held),
      look: 'held',
    },
  ];
}

function columns(money: Money, names: Names): Column<Movement>[] {
  return [
    {
      name: 'What',
      isFirst: true,
      show: ({ what, legIndex, from, to }) => {
        const isOut = from === money.onChainVault;
        const [words, whose] = WORDS[what] ?? [`${what} ${isOut ? 'to' : 'by'}`, isOut ? 'to' : 'from'];
        const who = whose === 'to' ? to : from;
        return (
          <span className={styles.movement}>
            {words} {whose !== 'nobody' && <Key value={who} page="agent" name={names.get(who)} />}
            {legIndex !== null && <span className={styles.dim}>leg {legIndex + 1}</span>}
          </span>
        );
      },
    },
    {
      name: 'Amount',
      isFigure: true,
      show: (movement) => {
        const sign = signOf(movement, money);
        const amount = <Amount isExact of={money} amount={movement.amount} isOut={sign < 0} />;
        return sign === 0 ? <span className={styles.dim}>stays in escrow: {amount}</span> : amount;
      },
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
