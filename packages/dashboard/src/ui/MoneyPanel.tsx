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
import { m, type Message, rich, t } from '../language.js';

type Movement = Money['movements'][number];
type Names = ReadonlyMap<string, string>;

/** What a movement is called, and whose name follows. */
const WORDS: Readonly<Record<string, readonly [words: Message, who: 'from' | 'to' | 'nobody']>> = {
  lock: [m('Locked by {who}'), 'from'],
  payment: [m('Paid to {who}'), 'to'],
  refund: [m('Returned to {who}'), 'to'],
  stake: [m('Stake of {who}'), 'from'],
  stake_returned: [m('Stake back to {who}'), 'to'],
  stake_forfeited: [m('Stake lost'), 'nobody'],
  arbiter_fee: [m('Fee to {who}'), 'to'],
  burnt: [m('Burnt'), 'nobody'],
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
    <Panel title={t('Money')} beside={query.data && <Verdict of={checkSum(query.data, stakes)} />}>
      <Loaded query={query} rows={5}>
        {(money) => (
          <>
            <MoneyBar
              of={money}
              shares={[...paidShares(money, names), ...promised, ...restShares(money, promised, isUnderWay)]}
            />
            <p className={styles.sum}>
              <span>
                <InVault of={money} stakes={stakes} />
              </span>
              <CheckOf id="vault" label={t('Check the vault')} />
            </p>
            <Table
              caption={t('Movements')}
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

function InVault({ of: money, stakes }: { of: Money; stakes: bigint }) {
  const amount = <Amount isExact of={money} amount={money.vault} />;
  return stakes > 0n
    ? rich('In the vault now {amount}, as stakes {stakes}', { amount, stakes: <Amount of={money} amount={stakes} /> })
    : rich('In the vault now {amount}', { amount });
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
    { key: 'back', name: t('Returned'), amount: toLamports(returned < 0n ? 0n : returned), look: 'back' },
    {
      key: 'held',
      name: isUnderWay ? t('To return') : t('In the vault'),
      amount: toLamports(held < 0n ? 0n : held),
      look: 'held',
    },
  ];
}

function columns(money: Money, names: Names): Column<Movement>[] {
  return [
    {
      name: t('What'),
      isFirst: true,
      show: ({ what, legIndex, from, to }) => {
        const isOut = from === money.onChainVault;
        const [words, whose]: (typeof WORDS)[string] =
          WORDS[what] ?? (isOut ? [m('{what} to {who}'), 'to'] : [m('{what} by {who}'), 'from']);
        const who = whose === 'to' ? to : from;
        return (
          <span className={styles.movement}>
            {rich(words, { what, who: <Key value={who} page="agent" name={names.get(who)} /> })}
            {legIndex !== null && <span className={styles.dim}>{t('leg {number}', { number: legIndex + 1 })}</span>}
          </span>
        );
      },
    },
    {
      name: t('Amount'),
      isFigure: true,
      show: (movement) => {
        const sign = signOf(movement, money);
        const amount = <Amount isExact of={money} amount={movement.amount} isOut={sign < 0} />;
        return sign === 0 ? (
          <span className={styles.dim}>{rich('stays in escrow: {amount}', { amount })}</span>
        ) : (
          amount
        );
      },
    },
    {
      name: t('Transaction'),
      show: ({ signature }) => (
        <span className={styles.proof}>
          <Key value={signature} page="transaction" />
          <CheckOf id={transactionCheck(signature)} />
        </span>
      ),
    },
  ];
}
