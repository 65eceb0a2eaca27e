import { SOL } from '@legwork/sdk';
import { useEffect, useState } from 'react';
import { allOf, signedAmount } from '../../checks/transaction.js';
import { Amount } from '../../ui/Amount.js';
import { shortened } from '../../ui/shortened.js';
import form from '../../wallet/form.module.css';
import { type Effects, effectsOf } from '../effects.js';
import type { Read } from '../transaction.js';
import { Answer, CHANGES, Lines } from './Answer.js';
import { Sheet } from './Sheet.js';
import styles from './sheet.module.css';
import { rich, t } from '../../language.js';

interface Props {
  readonly wire: Uint8Array;
  readonly own: string;
  /** What its bytes say. */
  readonly read: Read;
  readonly onAnswer: (isSigned: boolean) => void;
}

/** Who gets what by a transaction, before it is signed. */
export function TransactionSheet({ wire, own, read, onAnswer }: Props) {
  const [effects, setEffects] = useState<Effects>();
  useEffect(() => void effectsOf(wire, read).then(setEffects), [wire, read]);
  const refused =
    effects && 'refused' in effects ? [t('The ledger would refuse it now: {why}.', { why: effects.refused })] : [];
  const unknown = effects && 'unknown' in effects ? [effects.unknown] : [];
  const doubts = [...read.doubts, ...refused, ...unknown];
  return (
    <Sheet title={t('Sign this transaction?')} onClose={() => onAnswer(false)}>
      <Lines lines={[...read.lines, ...othersOf(read)]} doubts={doubts} />
      <div role="status">
        {effects === undefined && <p className={form.hint}>{t('Asking the ledger what changes hands.')}</p>}
        {effects && 'changes' in effects && <Changes of={effects.changes} roles={read.roles} own={own} />}
      </div>
      <p className={form.hint}>
        <Fee of={read} own={own} />
      </p>
      <Answer isDoubted={doubts.length > 0} isWaiting={effects === undefined} onAnswer={onAnswer} />
    </Sheet>
  );
}

const othersOf = ({ others }: Read) =>
  others.length === 0 ? [] : [t('Signed as well by {others}', { others: allOf(others) })];

function Fee({ of: { feePayer, feeLamports }, own }: { of: Read; own: string }) {
  const amount = <Amount isExact of={SOL} amount={feeLamports} />;
  return feePayer === own
    ? rich('Fee: {amount}, paid by this device.', { amount })
    : rich('Fee: {amount}, paid by {payer}.', { amount, payer: shortened(feePayer) });
}

interface ChangesProps {
  readonly of: Extract<Effects, { changes: unknown }>['changes'];
  readonly roles: Read['roles'];
  readonly own: string;
}

/** This device first, then who gets most. */
function Changes({ of: changes, roles, own }: ChangesProps) {
  const ordered = changes.toSorted(
    (one, other) =>
      Number(other.account === own) - Number(one.account === own) || (firstOf(one) < firstOf(other) ? 1 : -1),
  );
  if (ordered.length === 0) return <p>{t('Nothing changes hands.')}</p>;
  return (
    <ul className={styles.changes} aria-label={t('What changes hands')}>
      {ordered.map(({ account, amounts }) => (
        <li
          key={account}
          id={account === own ? CHANGES : undefined}
          className={account === own ? styles.own : undefined}
        >
          <span title={account}>
            {account === own ? t('This device') : `${roles.get(account) ?? t('account')} ${shortened(account)}`}
          </span>
          <span>{amounts.map(({ amount, of }) => signedAmount(amount, of)).join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}

const firstOf = ({ amounts: [first] }: ChangesProps['of'][number]) => first?.amount ?? 0n;
