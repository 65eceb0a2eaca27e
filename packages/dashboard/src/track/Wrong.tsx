/** @jsxImportSource preact */
import { useState } from 'preact/hooks';
import { withPhoto } from '../door/note.js';
import { photoOf } from '../door/photo.js';
import { Button } from './Door.js';
import { faultOf } from './words.js';
import { rich, t } from '../language.js';

interface Props {
  /** As it is shown. */
  readonly pays: string;
  readonly back: () => void;
  /** @param note what is wrong, with the photograph */
  readonly sign: (note: string) => Promise<void>;
}

/** What somebody says who takes a parcel that is not as it should be. It pays all the same, and says so. */
export function Wrong({ pays, back, sign }: Props) {
  const [text, setText] = useState('');
  const [photo, setPhoto] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const take = async (input: HTMLInputElement) => {
    setProblem(undefined);
    const [file] = input.files ?? [];
    if (file === undefined) return setPhoto(undefined);
    setIsBusy(true);
    await photoOf(file).then(setPhoto, (error: unknown) => {
      // What was taken before stays, and its name does not give way to another one.
      input.value = '';
      setProblem(faultOf(error));
    });
    setIsBusy(false);
  };
  const note = withPhoto(text, photo);
  return (
    <div class="door">
      <label>
        {t('What is wrong')}
        <textarea value={text} maxLength={2_000} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <label>
        {t('Photograph (optional)')}
        <input
          type="file"
          accept="image/*"
          capture="environment"
          aria-disabled={isBusy}
          // Disabled it would lose the focus.
          onClick={(event) => isBusy && event.preventDefault()}
          onChange={({ currentTarget }) => void take(currentTarget)}
        />
      </label>
      <p role="status">{isBusy && t('Making the photograph smaller.')}</p>
      {photo && <img class="photo" src={photo} alt={t('Your photograph')} />}
      {problem && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      <p class="notice" id="pays">
        {rich(
          "With this note you still accept the parcel, and the courier is paid the full <b>{pays}</b>. The note stays in the receipt and shows who carried the parcel when it was damaged. Without a network it waits on this phone: open this link again once you are online. <b>If the courier should not be paid, sign nothing:</b> tell the shipper, who can dispute the courier's claim.",
          { pays, b: (inside) => <strong>{inside}</strong> },
        )}
      </p>
      <Button label={t('Back without signing')} onPress={back} isSecond />
      <Button
        label={t('Accept it with this note')}
        onPress={() => void sign(note)}
        isOff={note === '' || isBusy}
        describedBy="pays"
      />
    </div>
  );
}
