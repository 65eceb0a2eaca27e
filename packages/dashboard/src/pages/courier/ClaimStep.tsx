import { useState } from 'react';
import { withPhoto } from '../../door/note.js';
import { PhotoField } from '../../door/PhotoField.js';
import { Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { useDoing } from '../../wallet/useDoing.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { move } from '../turns/makeMove.js';
import type { StepProps } from './LegStep.js';

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
    return 'Claimed: the ledger has it. The other side can now confirm or dispute it.';
  };
  return (
    <>
      <label className={form.field}>
        Where it is, and what shows that
        <textarea value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      <PhotoField doing={doing} photo={photo} change={setPhoto} />
      <AskedBack
        label="Claim that it is there"
        doing={doing}
        question={{
          says:
            'Shipper, receiver and arbiter can read this. If nobody disputes it in time, you are paid; a claim that is ruled to be ' +
            'false costs you your stake.',
        }}
        onMake={() => doing.run('Waiting for your wallet to sign.', claim)}
      />
      <Told doing={doing} />
    </>
  );
}
