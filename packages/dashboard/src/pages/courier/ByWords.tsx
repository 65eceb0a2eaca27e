import { handoffCode, type PackageDetail, readHandoff, receiverOfWords, signHandoff } from '@legwork/sdk';
import { useState } from 'react';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { actingFor, type Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { takeCode } from './useCodes.js';
import { t } from '../../language.js';

interface Props {
  readonly session: Session;
  readonly parcel: PackageDetail;
  readonly legIndex: number;
}

/** A consignee without a phone reads out its six words: they sign here what it would have signed there. Rule A-140. */
export function ByWords({ session, parcel, legIndex }: Props) {
  const doing = useDoing();
  const [words, setWords] = useState('');
  const sign = async () => {
    const receiver = await receiverOfWords(words, parcel.shipperPubkey);
    if (receiver.address !== parcel.terms?.receiverPubkey) {
      throw new Error(t('These words are not for this parcel. Ask to hear them again.'));
    }
    const { client } = actingFor(session);
    const ahead = await readHandoff(client, receiver.address, { packageId: parcel.id, legIndex });
    return takeCode(session, handoffCode(await signHandoff(receiver, ahead)));
  };
  return (
    <details>
      <summary>{t('Did the receiver read you six words?')}</summary>
      <form
        className={form.step}
        onSubmit={(event) => {
          event.preventDefault();
          doing.run(t('Reading the words.'), sign);
        }}
      >
        <label className={form.field}>
          {t('The six words')}
          <input
            value={words}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setWords(target.value)}
          />
        </label>
        <Action doing={doing}>{t('Confirm the handoff')}</Action>
        <Told doing={doing} />
      </form>
    </details>
  );
}
