import { useEffect, useState } from 'react';
import { shortened } from '../../ui/shortened.js';
import form from '../../wallet/form.module.css';
import { paidBy } from '../effects.js';
import type { Message } from '../message.js';
import { Answer, Lines } from './Answer.js';
import { Sheet } from './Sheet.js';
import styles from './sheet.module.css';
import { t } from '../../language.js';

interface Props {
  readonly message: Message;
  readonly own: string;
  readonly onAnswer: (isSigned: boolean) => void;
}

/** A text as it is, with what it does if it is the text of a handoff. */
export function MessageSheet({ message: { shown, words, doubts, handoff }, own, onAnswer }: Props) {
  const [found, setFound] = useState<Awaited<ReturnType<typeof paidBy>>>();
  useEffect(() => {
    // Without a network it is signed all the same: a handoff needs none.
    if (handoff) void paidBy(handoff, own).then(setFound);
  }, [handoff, own]);
  const paid =
    found && 'paid' in found && handoff?.said !== 'picked up' ? [t('It pays {worker}.', { worker: found.paid })] : [];
  const refused =
    found && 'refused' in found ? [t('The ledger would refuse it now: {why}.', { why: found.refused })] : [];
  const all = [...doubts, ...refused];
  return (
    <Sheet title={t('Sign this text?')} onClose={() => onAnswer(false)}>
      <Lines lines={[...words, ...paid]} doubts={all} />
      <pre className={styles.text} tabIndex={0} aria-label={t('The text')}>
        {shown}
      </pre>
      <p className={form.hint}>{t('Signed by this device, {key}.', { key: shortened(own) })}</p>
      <Answer isDoubted={all.length > 0} onAnswer={onAnswer} />
    </Sheet>
  );
}
