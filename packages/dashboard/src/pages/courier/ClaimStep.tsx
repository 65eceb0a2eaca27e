import { useState } from 'react';
import { withPhoto } from '../../door/note.js';
import { PhotoField } from '../../door/PhotoField.js';
import { Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { useDoing } from '../../wallet/useDoing.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { move } from '../turns/makeMove.js';
import type { StepProps } from './LegStep.js';
import { t } from '../../language.js';

/** What a courier does whose parcel is where it should be, and nobody signs: it claims so, with what shows it. */
export function ClaimStep({ session, subject }: StepProps) {
  const doing = useDoing();
  const [text, setText] = useState('');
  const [photo, setPhoto] = useState<string>();
  const claim = async () => {
    const said = {
      action: 'claim',
      text: withPhoto(text, photo),
      percent: undefined,
      evenBeforePickup: false,
    } as const;
    await move(session, subject, said);
    return t('Claimed. It is on the ledger. The other side can now confirm or dispute it.');
  };
  return (
    <>
      <label className={form.field}>
        {t('Where it is, and your evidence')}
        <textarea value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      <PhotoField doing={doing} photo={photo} change={setPhoto} />
      <AskedBack
        label={t('Claim delivery')}
        doing={doing}
        question={{
          says: t(
            'Shipper, receiver and arbiter can read this. If nobody disputes the claim in time, you are paid. If the arbiter rules it ' +
              'false, you lose your stake.',
          ),
        }}
        onMake={() => doing.run(t('Waiting for your wallet to sign.'), claim)}
      />
      <Told doing={doing} />
    </>
  );
}
